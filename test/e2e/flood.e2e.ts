import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { SQSEvent } from 'aws-lambda';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WINDOW_MS } from '../../core/wakeups/wake-up.ts';
import { hashOfToken, newToken } from '../../providers/kubernetes/webhook-token.ts';
import { openCluster } from './cluster.ts';
import { hostileCalls, reviewOf } from './flood/hostile-calls.ts';
import { type Call, type IngestSandbox, startIngest } from './flood/ingest-sandbox.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import type { Deployment } from './template/deployment.ts';
import { applyRoles, buildBundles, deployTemplate } from './template/ground.ts';
import { resourcesOf, synthesize, type Synthesized } from './template/synthesize.ts';

const bundles = await buildBundles();
/** Calls that wait for their answers at a time. */
const AT_A_TIME = 64;

const ofType = (deployment: Deployment, name: string) => {
  const found = deployment.lambda.functions.find(({ id }) => new RegExp(`^${name}[0-9A-F]{8}$`).test(id));
  expect(found).toBeDefined();
  return found!;
};

/**
 * Number of evaluations for a notification. Others are for the time when the group must show its new size: Outrigger's
 * own wake-up, which has `due`.
 */
const evaluationsForNotifications = (deployment: Deployment): number =>
  (deployment.lambda.invocations.get(ofType(deployment, 'ScaleUp').id) as readonly SQSEvent[]).filter(({ Records }) =>
    Records.some(({ body }) => !('due' in (JSON.parse(body) as object))),
  ).length;

/** Makes the calls, and gives the milliseconds from the first to the last answer. */
async function flood({ call }: IngestSandbox, calls: readonly Call[]): Promise<number> {
  const statuses = new Set<number>();
  const left = calls.values();
  // A window just begun: the first calls of each kind are in the same one.
  await delay(WINDOW_MS - (Date.now() % WINDOW_MS) + 5);
  const begin = performance.now();
  const caller = async (): Promise<void> => {
    for (const each of left) {
      statuses.add((await call(each)).status);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, caller));
  const took = performance.now() - begin;
  expect([...statuses]).toEqual([200]);
  return took;
}

/** The kinds of items that are stored: the first parts of the keys. */
async function stored({ administer, resolve }: Deployment, { template }: Synthesized): Promise<readonly string[]> {
  const [[table] = []] = resourcesOf(template, 'AWS::DynamoDB::GlobalTable');
  const { Items } = await administer('dynamodb', 'DynamoDB_20120810.Scan', { TableName: resolve({ Ref: table }) });
  const keys = (Items as readonly { readonly sk: { readonly S: string } }[]).map(({ sk }) => sk.S);
  return [...new Set(keys.map((key) => key.split('#')[0]!))].toSorted();
}

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1]!;

test('10 000 forged, repeated, oversized and broken calls cause one evaluation, and nothing else is stored', async () => {
  const CLUSTER = 'flood';
  const token = newToken();
  const settings = { name: CLUSTER, mode: 'act', webhookTokenHashes: [hashOfToken(token)] };
  const synthesized = synthesize(settings, bundles);
  const cluster = await openCluster(CLUSTER);
  const deployment = await deployTemplate(synthesized, cluster, {}, {});
  onTestFinished(() => deployment.stop());
  onTestFinished(await applyRoles(cluster.kube, deployment.output('Rbac')));
  await cluster.createGroups({ name: 'web' });
  await cluster.createDeployment('web', 1, { cpuMilli: 900, memoryMib: 500 });
  await cluster.untilEvent('FailedScheduling');
  const sandbox = await startIngest(ofType(deployment, 'Ingest').lambda.settings);
  onTestFinished(() => sandbox.stop());

  const recorded = { path: `/${token}/${CLUSTER}`, body: reviewOf(randomUUID()) };
  const calls = hostileCalls(recorded, CLUSTER);
  expect(calls).toHaveLength(10_000);
  const took = await flood(sandbox, calls);
  const invocations = await sandbox.took();
  const [median, p99, most] = [0.5, 0.99, 1].map((share) => percentile(invocations, share).toFixed(1));
  process.stdout.write(
    `e2e: 10 000 calls in ${(took / 1_000).toFixed(1)} s; ingest ${median} ms (median), ${p99} ms (p99), ${most} ms (most)\n`,
  );
  // The decision of the one evaluation is carried out; the rest of the queue is evaluated within that time.
  const grown = { [`${CLUSTER}-web-a`]: 1 };
  await vi.waitFor(async () => expect(await cluster.sizes()).toEqual(grown), { timeout: PATIENCE_MS });
  await delay(5_000);
  await deployment.lambda.settled();

  // A repetition is known as one for a minute.
  expect(took).toBeLessThan(60_000);
  expect(evaluationsForNotifications(deployment)).toBe(1);
  expect(await cluster.sizes()).toEqual(grown);
  // Records of decisions, the state with the changed group, and the intent. The new instance follows when it is listed.
  expect((await stored(deployment, synthesized)).filter((kind) => kind !== 'INSTANCE')).toEqual([
    'DECIDED',
    'DECIDED-BYTES',
    'DECIDED-FROM',
    'DECISION',
    'GROUP',
    'INTENT',
    'STATE',
  ]);
  expect(deployment.records.problems).toEqual([]);
});
