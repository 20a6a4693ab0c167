import { hash } from 'node:crypto';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { V1Pod } from '@kubernetes/client-node';
import { openCluster, type E2eCluster } from './cluster.ts';
import { connection } from './connection.ts';
import { recordNominated } from './placement/nominations.ts';
import { recordOpenings, spreadInWords } from './placement/openings.ts';
import { BOOT_MS, GROUPS, POD, PODS_PER_STEP, closedNodes, RELEASE_STEPS } from './placement/release-steps.ts';
import { startKubeGate } from './servers/kube-gate.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { applyRoles, buildBundles, deployTemplate } from './template/ground.ts';
import { notify } from './template/run.ts';
import { synthesize } from './template/synthesize.ts';
import { serverSet } from './server-set.ts';

const CLUSTER = 'placement-functions';
const TOKEN = 'a-token-of-the-webhook';
const synthesized = synthesize(
  { name: CLUSTER, mode: 'act', options: { plannedPlacement: true, scaleDownEnabled: false } },
  await buildBundles(),
);
/** The schedule fires each minute. */
const SCHEDULE_MS = 60_000;

test('no node stays closed when all functions are killed on Lambda at any step of a release', async () => {
  const cluster = await openCluster(CLUSTER);
  const gate = await startKubeGate(connection(), serverSet.certificate);
  onTestFinished(() => gate.stop());
  const parameters = { WebhookTokenHashes: hash('sha256', TOKEN) };
  const deployment = await deployTemplate(synthesized, cluster, {}, parameters, undefined, gate.connection);
  onTestFinished(() => deployment.stop());
  const { lambda, triggers } = deployment;
  await cluster.createGroups(GROUPS);
  cluster.bridge(BOOT_MS);
  onTestFinished(await applyRoles(cluster.kube, deployment.output('Rbac')));
  const fire = async (): Promise<void> => {
    for (const schedule of triggers.schedules) await triggers.fire(schedule);
  };
  await notify({ cluster, deployment, scanning: () => Promise.resolve() }, TOKEN);

  const openings = recordOpenings(cluster);
  const nominated = recordNominated(cluster);
  const held: number[] = [];
  for (const [index, { what, at, nth, side }] of RELEASE_STEPS.entries()) {
    const caught = gate.catchRequest(at, nth, side);
    await cluster.createDeployment(`step-${index}`, PODS_PER_STEP, POD);
    const request = await caught;
    await Promise.all(lambda.functions.map((each) => each.lambda.stop()));
    const closed = (await closedNodes(cluster)).length;
    gate.open();
    const back = performance.now();
    await fire();
    const schedule = setInterval(() => void fire(), SCHEDULE_MS);
    onTestFinished(() => clearInterval(schedule));
    await untilSettled(cluster, (index + 1) * PODS_PER_STEP);
    clearInterval(schedule);
    const since = openings.held(back).filter((seconds) => seconds > 0);
    held.push(...since);
    process.stdout.write(
      `killed ${what} (${request}): ${closed} nodes closed, ` +
        `${since.length} opened by the next functions, ${spreadInWords(since)} after they were back\n`,
    );
  }
  openings.stop();
  nominated.stop();
  const running = await runningPods(cluster);
  process.stdout.write(
    `${nominated.to.size} of ${running.length} pods were nominated, ${nominated.asPlanned(running)} of them run there\n`,
  );

  expect(held.length).toBeGreaterThanOrEqual(RELEASE_STEPS.length);
  // Nothing was bought twice, though functions die that have just bought.
  const sizes = Object.values(await cluster.sizes());
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe((RELEASE_STEPS.length * PODS_PER_STEP) / 3);
});

/** Running pods, except the pods that were created to test the webhook. */
const runningPods = async ({ kube, name }: E2eCluster): Promise<readonly V1Pod[]> =>
  (await kube.list<V1Pod>(`/api/v1/namespaces/${name}/pods`)).filter(({ status }) => status?.phase === 'Running');

const untilSettled = (cluster: E2eCluster, pods: number): Promise<void> =>
  vi.waitFor(
    async () => {
      expect(await runningPods(cluster)).toHaveLength(pods);
      expect(await closedNodes(cluster)).toEqual([]);
    },
    { timeout: 2 * PATIENCE_MS, interval: 250 },
  );
