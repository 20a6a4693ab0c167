import { install } from '../../../cli/install/install.ts';
import type { Drain } from '../../../core/model/drain.ts';
import { clusterName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { createDynamoDbClient } from '../../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../../providers/dynamodb/drains.ts';
import { drainOf } from '../../providers/drain-store.contract.ts';
import { silentJournal, startWorld, type State, TABLE, type World } from './world.ts';

const OURS = { key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' };
const SOFT = { key: 'DeletionCandidateOfClusterAutoscaler', value: '1', effect: 'PreferNoSchedule' };
const FILLED = { key: 'outrigger.dev/filled-late', value: '', effect: 'PreferNoSchedule' };
const OTHER = { key: 'team', value: 'a', effect: 'NoSchedule' };

/** A node as drains and soft taints leave it. */
const node = (name: string, taints: readonly object[], drained: boolean) => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    labels: {},
    annotations: drained ? { 'outrigger.dev/removal': `1/${name}`, 'outrigger.dev/cordoned': 'true' } : {},
  },
  spec: { taints, ...(drained ? { unschedulable: true } : {}) },
  status: { conditions: [], capacity: {}, allocatable: {} },
});

/** By the drains: one installation is as the other. */
const prepared = new Map<string, Promise<State>>();

/** An installed Outrigger with nodes of every kind, and these drains. */
export async function installed(drains: readonly Partial<Drain>[] = []): Promise<World> {
  const key = JSON.stringify(drains);
  prepared.set(key, prepared.get(key) ?? prepare(await startWorld(), drains));
  const world = await startWorld();
  Object.assign(world.state, structuredClone(await prepared.get(key)));
  return world;
}

async function prepare(world: World, drains: readonly Partial<Drain>[]): Promise<State> {
  await install(
    await world.open(),
    world.deploy,
    { rotateToken: false, testsWebhook: false, dryRun: false, token: null, drainLimitMs: 0 },
    silentJournal(),
  );
  world.state.tables.set(TABLE, { protected: true, items: new Map() });
  for (const one of [
    // Unneeded before it was drained: it has both.
    node('drained', [OTHER, SOFT, OURS], true),
    node('leaving', [OURS], true),
    node('unneeded', [SOFT, OTHER], false),
    // A younger node, by fillOldestNodesFirst.
    node('young', [OTHER, FILLED], false),
    node('needed', [OTHER], false),
    // A node of another autoscaler.
    node('theirs', [OURS], false),
  ]) {
    world.state.objects.set(`/api/v1/nodes/${one.metadata.name}`, one);
  }
  const { endpoint } = (await world.open()).access;
  const client = createDynamoDbClient({ region: 'us-east-1', ...(endpoint === undefined ? {} : { endpoint }) });
  const store = createDynamoDbDrains({ client, table: TABLE, onUnreadable: () => {} });
  for (const given of drains) {
    const drain = drainOf(given.node ?? '', given);
    await store.create(clusterName('prod'), { drain, attempt: 1, drivenUntil: epochMs(0) });
    world.state.driven.add(given.node ?? '');
  }
  client.destroy();
  return world.state;
}

export const taintsOf = (world: World): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(
    [...world.state.objects].flatMap(([path, object]) => {
      const { taints = [], unschedulable } = (object['spec'] ?? {}) as {
        taints?: readonly { key: string }[];
        unschedulable?: boolean;
      };
      const marks = [...taints.map(({ key }) => key), ...(unschedulable === true ? ['cordon'] : [])];
      return path.includes('/nodes/') ? [[path.split('/').at(-1)!, marks]] : [];
    }),
  );

export const GOING_ON: readonly Partial<Drain>[] = [
  { node: 'drained' as Drain['node'], phase: 'Evicting' },
  { node: 'leaving' as Drain['node'], phase: 'AwaitingTermination', terminateAskedAt: epochMs(1) },
];
