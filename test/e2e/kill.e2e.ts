import type { V1ValidatingWebhookConfiguration } from '@kubernetes/client-node';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { clusterName } from '../../core/model/values/names.ts';
import { EMPTY_STATE } from '../../core/model/state.ts';
import { addTime, epochMs, minutes } from '../../core/model/values/time.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { createDynamoDbHeartbeat } from '../../providers/dynamodb/heartbeat.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { ensureTable } from '../../providers/dynamodb/table.ts';
import { commitOf } from '../providers/state-store.contract.ts';
import { sizeIntent } from '../scenario-builders.ts';
import { repetitions } from '../sample.ts';
import { openCluster, type E2eCluster } from './cluster.ts';
import { startKilling, stateOf } from './killing.ts';
import { PATIENCE_MS } from './servers/server-process.ts';
import { serverSet } from './server-set.ts';

const KILLS = repetitions(20, 4);
/** A wave comes for each process that is killed. */
const PODS_PER_WAVE = 5;
const PODS = KILLS * PODS_PER_WAVE;
/** Two on a node. */
const POD = { cpuMilli: 1900, memoryMib: 1024 };
const GROUPS = { name: 'm5', instanceType: 'm5.xlarge', zones: ['us-east-1a', 'us-east-1b'], max: 100 };
const BOOT_MS = 300;
/** Sizes by zone, so that clusters can be compared. */
type Sizes = Readonly<Record<string, number>>;
const zoneOf = (group: string): string => group.slice(-1);

let undisturbed: Sizes | null = null;

describe(`a scale-up of ${PODS} pods in waves`, () => {
  test('of a process that is not disturbed', async () => {
    const cluster = await openScaleUp('undisturbed');
    await cluster.outriggerWithWebhook('outrigger', ...stateOf(cluster), '--schedule=1s');
    for (let wave = 0; wave < KILLS; wave += 1) {
      await createWave(cluster, wave);
      await delay(400);
    }
    await cluster.untilRunning(PODS);
    await cluster.untilEvaluations(2);

    undisturbed = await sizesByZone(cluster);
    expect(undisturbed).toEqual({ a: PODS / 4, b: PODS / 4 });
  });

  test(`of processes that are killed, ${KILLS} in a row`, async () => {
    expect(undisturbed, 'sizes of the undisturbed run').not.toBeNull();
    const cluster = await openScaleUp('killed');
    const killing = await startKilling(cluster);
    for (let index = 0; index < KILLS; index += 1) {
      const wave = delay(killing.below(1_500)).then(() => createWave(cluster, index));
      const moment = await killing.kill();
      await wave;
      process.stdout.write(`killed ${moment}; ${await sizesInWords(cluster)}\n`);
    }
    const last = killing.start();
    await cluster.untilRunning(PODS);
    await untilNothingIsLeft(cluster);
    // Two more scans, in which nothing may happen any more.
    await cluster.untilEvaluations(2);

    expect(await sizesByZone(cluster)).toEqual(undisturbed);
    // No other client changes anything, so that these are all sizes that the groups ever had.
    const { calls } = cluster.recorder;
    expect([...new Set(calls.map(({ action }) => action).filter((action) => !action.startsWith('Describe')))]).toEqual([
      'SetDesiredCapacity',
    ]);
    for (const [zone, most] of Object.entries(undisturbed!)) {
      const asked = cluster.recorder
        .sizeChanges()
        .filter(({ group }) => zoneOf(group) === zone)
        .map(({ size }) => size);
      // Each size once and none that is taken back: nothing was done twice, nothing more than once justified.
      expect(asked).toEqual([...new Set(asked)].toSorted((a, b) => a - b));
      expect(Math.max(...asked)).toBeLessThanOrEqual(most);
    }
    // Each process has put its own webhook in the place of the one before.
    expect(await webhooks(cluster)).toEqual(['outrigger-local-killed']);
    expect(await last.stop()).toBe('0');
    expect(await webhooks(cluster)).toEqual([]);
  });
});

/** From the start of a process to the size that a killed one had claimed; printed, as the machine may do other things besides. */
const GOAL_SECONDS = 10;
/** The claim lasts for ten minutes. */
const LIMIT_SECONDS = 120;

test('what a killed process had claimed is taken over long before its claim ends', async () => {
  const cluster = await openScaleUp('taken-over');
  const [table, client] = [cluster.name, createDynamoDbClient({ endpoint: serverSet.dynamodbEndpoint })];
  await ensureTable(client, table);
  const now = epochMs(Date.now());
  const [group] = Object.keys(await cluster.sizes());
  const left = sizeIntent(group!, 0, 2, { createdAt: now, attempts: 1, claimedUntil: addTime(now, minutes(10)) });
  await storeOf(cluster).commit(clusterName(table), commitOf(0, { now, state: EMPTY_STATE, intents: [left] }));
  await createDynamoDbHeartbeat({ client, table }).beat(clusterName(table));
  await cluster.outriggerWithWebhook('outrigger', ...stateOf(cluster), '--schedule=60s');
  const up = performance.now();
  await cluster.recorder.until('the size that was claimed', (seen) => seen.sizeChanges().length > 0);

  const [set] = cluster.recorder.sizeChanges();
  expect(set).toMatchObject({ group, size: 2 });
  const seconds = (set!.at - up) / 1_000;
  console.log(`taken over after ${seconds.toFixed(1)} s (goal ${GOAL_SECONDS} s)`);
  expect(seconds).toBeLessThan(LIMIT_SECONDS);
});

async function openScaleUp(name: string): Promise<E2eCluster> {
  const cluster = await openCluster(name);
  await cluster.createGroups(GROUPS);
  cluster.bridge(BOOT_MS);
  return cluster;
}

const createWave = (cluster: E2eCluster, wave: number): Promise<void> =>
  cluster.createDeployment(`wave-${wave}`, PODS_PER_WAVE, POD);

const sizesByZone = async (cluster: E2eCluster): Promise<Sizes> =>
  Object.fromEntries(Object.entries(await cluster.sizes()).map(([group, size]) => [zoneOf(group), size]));

const sizesInWords = async (cluster: E2eCluster): Promise<string> =>
  Object.entries(await sizesByZone(cluster))
    .map(([zone, size]) => `${zone} ${size}`)
    .join(', ');

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

const webhooks = async ({ kube }: E2eCluster): Promise<readonly (string | undefined)[]> =>
  (await kube.list<V1ValidatingWebhookConfiguration>(WEBHOOKS)).map(({ metadata }) => metadata?.name);

const storeOf = ({ name: table }: E2eCluster): StateStore =>
  createDynamoDbStore({
    client: createDynamoDbClient({ endpoint: serverSet.dynamodbEndpoint }),
    table,
    onQuarantine: (problem) => expect.unreachable(JSON.stringify(problem)),
  });

/** Waits until all that was decided has come to an end, and all instances that were requested are nodes. */
async function untilNothingIsLeft(cluster: E2eCluster): Promise<void> {
  const store = storeOf(cluster);
  await expect
    .poll(async () => (await store.load(clusterName(cluster.name))).intents.filter(isPending), {
      timeout: PATIENCE_MS,
      interval: 200,
    })
    .toEqual([]);
}

const isPending = ({ status }: { readonly status: string }): boolean => status === 'pending';
