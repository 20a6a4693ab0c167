import { isDeepStrictEqual } from 'node:util';
import { describe, expect, it } from 'vitest';
import { evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import { isUpdating } from '../../../core/model/cloud-action.ts';
import { INSTANCE_TYPE_LABEL } from '../../../core/model/cluster/node.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { dryRunOf } from '../../../core/actuation/commit/dry-run-state.ts';
import { recorded } from '../../../core/actuation/commit/recorded.ts';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import { scaleDownHandler } from '../../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';
import { digestOf } from '../../../providers/history/history.ts';
import { node, pod } from '../../builders.ts';
import { group, running } from '../../scenario-builders.ts';
import { invocation, sqsEvent, type TestWorld, testWorld, scan, WEB } from '../test-world.ts';

/** `n1` is empty; a pod waits that only a node of `b` can hold. */
const both = (): TestWorld =>
  testWorld({
    groups: [
      group('a', { nodes: ['n1', 'n2'] }),
      group('b', { zone: 'us-east-1a', labels: { pool: 'b', [INSTANCE_TYPE_LABEL]: 'm5.large' }, max: 10 }),
      group('c', { labels: { pool: 'c' }, max: 10 }),
    ],
    objects: {
      nodes: ['n1', 'n2'].map((name) => node(name, { cpu: 4, memory: '16Gi' })),
      pods: [
        pod('large', { node: 'n2', requests: { cpu: 3 }, owner: 'ReplicaSet/web' }),
        pod('waits', { requests: { cpu: 1 }, spec: { nodeSelector: { pool: 'b' } }, owner: 'ReplicaSet/b' }),
      ],
    },
  });
const up = async (world: TestWorld) => await scaleUpHandler(world)(sqsEvent(scan), invocation());
const down = async (world: TestWorld) => await scaleDownHandler(world)({ cluster: WEB }, invocation());
/** Makes the changes that were decided. */
async function actuated(world: TestWorld): Promise<void> {
  for (const intent of remembered(world).intents) {
    if (intent.kind === 'SetSize') {
      await world.groups.setSize(intent.group, intent.to);
      await world.store.endIntent(WEB, intent.id, { status: 'done', outcome: null });
    }
  }
}
const remembered = (world: TestWorld) => world.store.snapshot().get(WEB)!;

describe('scale-up and scale-down at once', () => {
  it('each commit their own: the later one conflicts, evaluates again, and nothing is lost', async () => {
    const world = both();
    await Promise.all([up(world), down(world)]);
    expect(world.counts.get('VersionConflicts')).toBe(1);
    const { version, intents, state } = remembered(world);
    expect(version).toBe(2);
    expect(intents).toMatchObject([{ kind: 'SetSize', group: 'b', from: 0, to: 1 }]);
    expect(state.scaleUpRequests).toMatchObject([{ group: 'b', increase: 1 }]);
    expect(state.unneededSince).toEqual({ n1: world.time });
    expect(state.lastScaleUpEvaluation).toBe(world.time);
    expect(state.lastEvaluation).toBe(world.time);
    expect((await world.store.lastDecision(WEB, undefined, 'ScaleUp'))!.scaleUp.result).toBe('ScaledUp');
    expect((await world.store.lastDecision(WEB, undefined, 'ScaleDown'))!.scaleDown.unneeded).toEqual(['n1']);
  });

  it('tell each decision that stands once, and none that is made anew', async () => {
    const world = both();
    const told: string[] = [];
    const telling: TestWorld = {
      ...world,
      onStanding: (_scenario, { evaluation }) => void told.push(String(evaluation)),
    };
    await Promise.all([up(telling), down(telling)]);
    expect(world.counts.get('VersionConflicts')).toBe(1);
    expect(told.toSorted()).toEqual(['ScaleDown', 'ScaleUp']);
  });

  it('evaluate an idle cluster once each, though both write their times', async () => {
    const world = testWorld({
      groups: [group('a', { nodes: ['n1'], min: 1 })],
      objects: { nodes: [node('n1', { cpu: 4, memory: '16Gi' })] },
    });
    await up(world);
    await down(world);
    const { version } = remembered(world);
    world.time += minutes(2);
    await Promise.all([up(world), down(world)]);
    expect(world.counts.get('VersionConflicts') ?? 0).toBe(0);
    expect(remembered(world).version).toBe(version + 1);
  });

  it('end when another evaluation is always first: scale-down yields to its next scan, without an error', async () => {
    const world = both();
    const contested = { ...world, store: { ...world.store, commit: async () => ({ kind: 'conflict' }) as const } };
    await scaleDownHandler(contested)({ cluster: WEB }, invocation());
    expect(world.counts.get('VersionConflicts')).toBe(2);
    expect(world.counts.get('DeferredScaleDowns')).toBe(1);
    await down(world);
    expect(remembered(world).state.unneededSince).toEqual({ n1: world.time });
  });
});

describe('scale-down alone', () => {
  it('adds nothing for pods that wait, and wakes scale-up, which does', async () => {
    const world = both();
    await down(world);
    expect(remembered(world).intents).toEqual([]);
    expect(world.wakes).toEqual([{ cluster: 'web', attempt: 0 }]);
    await up(world);
    expect(remembered(world).intents).toMatchObject([{ kind: 'SetSize', group: 'b', to: 1 }]);
  });

  it('leaves failures and repairs to scale-up, though it sees them', async () => {
    const world = both();
    await up(world);
    await world.store.endIntent(WEB, '1-b', {
      status: 'failed',
      outcome: { message: 'no capacity', class: 'OutOfResources' },
    });
    await down(world);
    expect(remembered(world).state.backoff).toEqual({});
    await up(world);
    expect(Object.keys(remembered(world).state.backoff)).toEqual(['b']);
  });
});

/** Fields of the state that scale-up owns, and that the world of the test below has news for. */
const OF_SCALE_UP = [
  'unregisteredSince',
  'backoff',
  'scaleUpRequests',
  'reservations',
  'incorrectSize',
  'seenErrors',
  'shortages',
  'lastScaleUp',
  'lastScaleUpEvaluation',
  'groups',
] as const satisfies readonly (keyof State)[];

describe('the fields of scale-up', () => {
  it('stay as scale-up has committed them when scale-down commits', async () => {
    const world = both();
    await up(world);
    await actuated(world);
    const before = remembered(world).state;
    world.time += 60_000;
    // A failed launch, an instance without a node, and a pod that only a node of `c` can hold.
    world.groups.groups = world.groups.groups.map((one) => ({
      ...one,
      ...(one.name === groupName('a') && { targetSize: 3, instances: [...one.instances, running('i-late', null)] }),
      ...(one.name === groupName('b') && {
        capacityType: 'spot',
        launchFailures: [{ id: instanceId('f'), zone: 'us-east-1a', class: 'OutOfResources', code: 'C', message: 'm' }],
      }),
    }));
    const more = pod('more', { requests: { cpu: 1 }, spec: { nodeSelector: { pool: 'c' } }, owner: 'ReplicaSet/c' });
    world.objects = { ...world.objects, pods: [...world.objects.pods!, more] };
    const seen: Scenario[] = [];
    await scaleDownHandler(world, (scenario) => {
      seen.push(scenario);
      return evaluateScaleDown(scenario);
    })({ cluster: WEB }, invocation());

    const whole = evaluateScaleUp(seen[0]!).state;
    expect(OF_SCALE_UP.filter((field) => isDeepStrictEqual(whole[field], before[field]))).toEqual([]);
    const { version, state } = remembered(world);
    expect(version).toBe(2);
    expect(state.lastEvaluation).toBe(world.time);
    expect(OF_SCALE_UP.filter((field) => !isDeepStrictEqual(state[field], before[field]))).toEqual([]);
  });
});

describe('a fault of one', () => {
  it('of scale-down: pods that wait get their node', async () => {
    const world = both();
    const failing = scaleDownHandler(world, () => {
      throw new RangeError('out of memory');
    });
    await Promise.all([up(world), expect(failing({ cluster: WEB }, invocation())).rejects.toThrow('memory')]);
    expect(remembered(world).intents).toMatchObject([{ kind: 'SetSize', group: 'b', to: 1 }]);
  });

  it('of scale-up: nodes that are not needed go', async () => {
    const world = both();
    const failing = scaleUpHandler(world, () => {
      throw new RangeError('out of memory');
    });
    for (let minute = 0; minute < 12; minute += 1) {
      await failing(sqsEvent(scan), invocation());
      await down(world);
      world.time += 60_000;
    }
    expect(remembered(world).intents).toMatchObject([{ kind: 'RemoveNodes', nodes: [{ node: 'n1' }] }]);
  });
});

describe('the history of decisions', () => {
  it('has each committed decision with what it was made from: a replay gives the same bytes', async () => {
    const world = both();
    await up(world);
    await down(world);
    const entries = await world.history.list(WEB, {});
    expect(entries.map(({ id, kind }) => [id, kind])).toEqual([
      ['2', 'scale-down'],
      ['1', 'scale-up'],
    ]);
    for (const { id, kind } of entries) {
      const { scenario, digest } = (await world.history.get(WEB, id))!;
      const again = (kind === 'scale-up' ? evaluateScaleUp : evaluateScaleDown)(scenario!);
      expect(digestOf(recorded(again, scenario!))).toBe(digest);
    }
  });

  it('has that of a dry run beside the cluster', async () => {
    const world = testWorld({ groups: [group('a')], objects: { pods: [pod('waits')] }, dryRun: true });
    await up(world);
    expect(await world.history.list(WEB, {})).toEqual([]);
    expect(await world.history.list(dryRunOf(WEB), {})).toMatchObject([{ id: '1', kind: 'scale-up' }]);
  });

  it('fails no evaluation where it cannot be written: that is logged and counted', async () => {
    const world = both();
    const error = new Error('the table is throttled');
    Object.assign(world, { history: { ...world.history, add: async () => ({ kind: 'failed', error }) } });
    await up(world);
    expect(remembered(world).intents).toHaveLength(1);
    expect(world.counts.get('HistoryFailures')).toBe(1);
    expect(world.lines).toContainEqual({
      level: 'warn',
      message: 'web: the decision is stored, and could not be kept in its history',
      fields: { error },
    });
  });

  it('has the scenario of the last decision of an evaluation that decides again: what the cloud is updating is known by then', async () => {
    const world = testWorld({
      groups: [group('a', { nodes: ['n1'] }), group('b', { nodes: ['n2'] })],
      objects: { nodes: ['n1', 'n2'].map((name) => node(name, { cpu: 4, memory: '16Gi' })) },
    });
    world.groups.updating.add(groupName('a'));
    for (let minute = 0; minute < 12; minute += 1) {
      world.time = epochMs(world.time + minutes(1));
      await down(world);
    }
    const entries = await world.history.list(WEB, {});
    const removing = entries.find(({ changes }) => changes)!;
    expect(removing.did).toContain('remove n2');
    const { scenario, digest } = (await world.history.get(WEB, removing.id))!;
    expect(scenario!.nodeGroups.map(isUpdating)).toEqual([true, false]);
    expect(digestOf(recorded(evaluateScaleDown(scenario!), scenario!))).toBe(digest);
  });
});
