import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, onTestFinished, test } from 'vitest';
import { withoutProgress } from '../cli/explain/without-progress.ts';
import { type E2eCluster, openCluster } from './cluster.ts';
import { untilUntainted } from './ready.ts';
import { serverSet } from './server-set.ts';
import { type Answer, THROTTLED } from './servers/proxy.ts';
import { createSlowPods } from './slow-pods.ts';
import type { Deployment } from './template/deployment.ts';
import { applyRoles, buildBundles, deployTemplate } from './template/ground.ts';
import { scanning, untilWeb } from './template/run.ts';
import { resourcesOf, synthesize } from './template/synthesize.ts';
import { options, WEB } from './template/variants.ts';

const MAIN = new URL('../../cli/main.ts', import.meta.url).pathname;
const run = promisify(execFile);
const bundles = await buildBundles();

/** A pause is in effect after this. */
const EFFECT_MS = 2_000;

/** Their drain takes longer than a busy computer takes to start a command. */
const PODS = 16;

/** A call that was made before the pause and is throttled is repeated by the SDK for so long. */
const REPEATED_MS = 3_500;

interface Ground {
  readonly cluster: E2eCluster;
  readonly deployment: Deployment;
  /** Runs a command on the table of the stack; gives the time at which it had ended. */
  readonly command: (...args: readonly string[]) => Promise<number>;
}

/** Deploys the stack beside one group of so many nodes. No schedule fires by itself. */
async function openGround(name: string, desired: number): Promise<Ground> {
  const cluster = await openCluster(name);
  const synthesized = synthesize({ name, mode: 'act', options }, bundles);
  const deployment = await deployTemplate(synthesized, cluster, {}, { WebhookTokenHashes: hash('sha256', 'unused') });
  onTestFinished(() => deployment.stop());
  await cluster.createGroups({ ...WEB, desired });
  cluster.bridge(100);
  onTestFinished(await applyRoles(cluster.kube, deployment.output('Rbac')));
  const [table] = resourcesOf(synthesized.template, 'AWS::DynamoDB::GlobalTable').map(([id]) =>
    String(deployment.resolve({ Ref: id })),
  );
  return {
    cluster,
    deployment,
    command: async (...args) => {
      const where = [`--cluster=${name}`, `--table=${table}`, `--dynamodb-endpoint=${serverSet.dynamodbEndpoint}`];
      const { stderr } = await run(process.execPath, [MAIN, ...args, ...where]);
      expect(withoutProgress(stderr)).toBe('');
      return Date.now();
    },
  };
}

test('functions: a size that is decided and not set is not set any more, until it is resumed', async () => {
  const { cluster, deployment, command } = await openGround('paused-sizes', 0);
  const throttling = { on: true, tries: [] as number[] };
  deployment.interfere(async (_, { operation }, answer): Promise<Answer> => {
    if (operation !== 'SetDesiredCapacity' || !throttling.on) {
      return await answer();
    }
    throttling.tries.push(Date.now());
    return THROTTLED;
  });
  await cluster.createDeployment('web', 1, { cpuMilli: 900, memoryMib: 500 });
  await scanning(deployment, () => expect(throttling.tries.length).toBeGreaterThan(0));

  const paused = await command('pause', '--scale-up');
  await delay(Math.max(0, paused + EFFECT_MS + REPEATED_MS - Date.now()));
  throttling.on = false;
  let scans = 0;
  await scanning(deployment, () => {
    scans += 1;
    expect(scans).toBe(3);
  });
  expect(throttling.tries.filter((at) => at > paused + EFFECT_MS + REPEATED_MS)).toEqual([]);
  expect([cluster.recorder.sizeChanges(), await cluster.sizes()]).toEqual([[], { 'paused-sizes-web-a': 0 }]);

  await command('resume');
  await scanning(deployment, async () => expect(await cluster.sizes()).toEqual({ 'paused-sizes-web-a': 1 }));
  await untilWeb(cluster, 1);
});

test('functions: a drain is rolled back, no node stays tainted, none goes', async () => {
  const { cluster, deployment, command } = await openGround('paused-drains', 2);
  const { name } = cluster;
  await untilUntainted(cluster, 2);
  await createSlowPods(cluster, { replicas: PODS, cpu: '100m', endSeconds: 5 });
  const evictions = (): number =>
    deployment.records.kube.filter(({ attributes, status }) => attributes.resource === 'pods/eviction' && status < 300)
      .length;
  await scanning(deployment, () => expect(evictions()).toBeGreaterThan(0));

  const paused = await command('pause', '--cancel-drains', '--for=1h');
  await delay(Math.max(0, paused + EFFECT_MS - Date.now()));
  const before = evictions();
  await untilUntainted(cluster, 2);
  await scanning(deployment, () => undefined);
  await untilWeb(cluster, PODS);
  expect(before).toBeLessThan(PODS / 2);
  expect(evictions()).toBe(before);
  expect(await cluster.sizes()).toEqual({ [`${name}-web-a`]: 2 });
  expect([...deployment.records.problems]).toEqual([]);
});
