import { describe, expect, it } from 'vitest';
import { changedNode } from '../../../core/model/cluster/node-change.ts';
import { isHeld } from '../../../core/model/cluster/node-condition.ts';
import type { Services } from '../../../functions/shared/services.ts';
import { AWAITING_PODS_TAINT, type Node } from '../../../core/model/cluster/node.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { EMPTY_STATE } from '../../../core/model/state.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { scaleDownHandler } from '../../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';
import { createMemoryStore } from '../../../providers/memory/store.ts';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { node, pod } from '../../builders.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';
import { invocation, sqsEvent, testWorld, type TestWorldGiven, type TestWorld, scan, WEB } from '../test-world.ts';

const AWAITING = { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' };
const READY_NODE = { cluster: WEB, at: '2026-01-01T11:59:00.000Z', readyNode: true };
const NEW = epochMs(NOW - 20_000);

const held = (name: string, readyFor = 0, status = 'True'): Node =>
  node(
    name,
    { cpu: 4, memory: '16Gi' },
    {
      createdAt: NEW,
      taints: [AWAITING],
      conditions: [{ type: 'Ready', status, reason: '', since: epochMs(NOW - readyFor * 1_000) }],
    },
  );

const waiting = (count: number) =>
  Array.from({ length: count }, (_, i) => pod(`p${i}`, { requests: { cpu: 2 }, owner: 'ReplicaSet/p' }));

type WriteFailure = Error | { readonly kind: 'failed'; readonly code: string; readonly message: string };

interface Given extends Omit<TestWorldGiven, 'groups' | 'objects'> {
  /** Absent: so many that have not been tried. */
  readonly pods?: readonly Pod[];
}

/** A cluster in which these nodes were asked for a minute ago. */
async function placing(nodes: readonly Node[], count: number, { pods = waiting(count), ...given }: Given = {}) {
  const store = createMemoryStore();
  const asked = { group: groupName('a'), increase: nodes.length, time: epochMs(NOW - 60_000) };
  const state = { ...EMPTY_STATE, scaleUpRequests: [{ ...asked, expectedAddTime: addTime(NOW, minutes(14)) }] };
  const decision = evaluateScaleUp(scenario({}));
  await store.commit(WEB, { expectedVersion: 0, now: NOW, state, intents: [], settled: [], decision });
  const world = testWorld({
    groups: [group('a', { nodes: nodes.map(({ name }) => name), taints: [AWAITING] })],
    objects: { nodes, pods },
    options: { plannedPlacement: true },
    store,
    ...given,
  });
  return Object.assign(world, { webhook: true });
}

const scaleUp = (world: TestWorld, body: unknown = READY_NODE) => scaleUpHandler(world)(sqsEvent(body), invocation());
const scaleDown = (world: TestWorld) => scaleDownHandler(world)({ cluster: WEB }, invocation());
const errorsOf = ({ lines }: TestWorld) => lines.filter(({ level }) => level === 'error' || level === 'warn');

describe('scale-up', () => {
  it('nominates the pods of a ready node, and releases the node immediately after', async () => {
    const world = await placing([held('n1'), held('n2', 0, 'False')], 4);
    expect(await scaleUp(world)).toEqual({ batchItemFailures: [] });
    expect(world.placed).toEqual(['default/p0 → n1', 'default/p1 → n1', 'n1']);
    expect(world.counts.get('ReleasedNodes')).toBe(1);
    // The other one is looked at again, though no notification may come.
    expect(world.laterWakes).toEqual([{ cluster: WEB, due: NOW + 30_000, attempt: 3 }]);
  });

  it('releases a node when its pods have been nominated, however long that takes', async () => {
    const world = await placing([held('n1')], 2);
    const { writer } = world.cluster(WEB)!;
    const fast = { ...writer };
    const slow: typeof fast.nominate = async (...args) => {
      await new Promise((resolve) => {
        setTimeout(resolve, 30);
      });
      return await fast.nominate(...args);
    };
    Object.assign(writer, { nominate: slow });
    await scaleUp(world);
    expect(world.placed).toEqual(['default/p0 → n1', 'default/p1 → n1', 'n1']);
  });

  it('leaves a quarter of many nodes to the next evaluation, which follows at once', async () => {
    const names = Array.from({ length: 8 }, (_, i) => `n${i}`);
    const world = await placing(
      names.map((name) => held(name)),
      16,
    );
    const { placed } = world;
    await scaleUp(world);
    expect(placed.filter((what) => names.includes(what))).toEqual(['n0', 'n1', 'n2', 'n3', 'n4', 'n5']);
    expect(placed).toHaveLength(18);
    expect(world.wakes).toContainEqual({ cluster: WEB, attempt: 0, readyNode: true });
    expect(world.laterWakes).toEqual([]);
  });

  it('looks out for nodes that are on their way where no webhook tells of them', async () => {
    const world = await placing([held('n1', 0, 'False')], 2);
    await scaleUp({ ...world, webhook: false }, scan);
    expect(world.laterWakes).toEqual([{ cluster: WEB, due: NOW + 5_000, attempt: 3 }]);
  });

  it('tries a second later where no node could be released', async () => {
    const world = await placing([held('n1')], 0);
    const cluster = world.cluster(WEB)!;
    const refused = { kind: 'failed', code: 'Forbidden', message: 'nodes is forbidden' } as const;
    const refusing = { ...cluster, writer: { ...cluster.writer, changeNode: async () => refused } };
    await scaleUp({ ...world, cluster: () => refusing });
    expect(world.wakes.filter(({ readyNode }) => readyNode === true)).toEqual([]);
    expect(world.laterWakes).toEqual([{ cluster: WEB, due: NOW + 1_000, attempt: 3 }]);
  });

  it('releases nodes of which no pod waits any more, woken or by the scan', async () => {
    const again = { cluster: WEB, at: '2026-01-01T11:59:00.000Z', attempt: 3, due: '2026-01-01T11:59:30.000Z' };
    for (const body of [READY_NODE, again, scan]) {
      const world = await placing([held('n1')], 0);
      await scaleUp(world, body);
      expect(world.placed).toEqual(['n1']);
      expect(world.laterWakes).toEqual([]);
    }
  });

  it.each<[string, WriteFailure]>([
    ['is refused', { kind: 'failed', code: 'Forbidden', message: 'pods/status is forbidden' }],
    ['fails', new Error('ECONNRESET')],
  ])('releases a node though a nomination %s, with one line in the log', async (_, failure) => {
    const world = await placing([held('n1')], 2);
    world.nominationFailures.push(failure);
    expect(await scaleUp(world)).toEqual({ batchItemFailures: [] });
    expect(world.placed).toEqual(['default/p1 → n1', 'n1']);
    expect(errorsOf(world)).toMatchObject([
      { message: 'web: 1 of 2 pods could not be nominated to node n1; kube-scheduler places them where it likes' },
    ]);
    expect(world.counts.get('FailedNominations')).toBe(1);
  });

  describe('where kube-scheduler has forgotten a pod', () => {
    const since = epochMs(NOW - 60_000);
    const forgotten = (count: number) =>
      waiting(count).map((one) => ({ ...one, unscheduled: { reason: 'Unschedulable', since } }));
    const open = { ...held('n1', 60), taints: [] };
    const REMINDED = ['default/p0 → n1', 'default/p0 → null'];

    it('reminds it by a nomination that is taken back, of one pod alone', async () => {
      const world = await placing([open], 0, { pods: forgotten(2) });
      await scaleUp(world, scan);
      expect(world.placed).toEqual(REMINDED);
      expect(errorsOf(world)).toEqual([]);
    });

    it('changes nothing in a dry run', async () => {
      const world = await placing([open], 0, { pods: forgotten(2), dryRun: true });
      await scaleUp(world, scan);
      expect(world.placed).toEqual([]);
    });

    it.each<[string, WriteFailure]>([
      ['is refused', { kind: 'failed', code: 'Forbidden', message: 'pods/status is forbidden' }],
      ['fails', new Error('ECONNRESET')],
    ])('goes on where that %s, with one line in the log', async (_, failure) => {
      const world = await placing([open], 0, { pods: forgotten(2) });
      world.nominationFailures.push(failure);
      expect(await scaleUp(world, scan)).toEqual({ batchItemFailures: [] });
      expect(world.placed).toEqual([]);
      expect(errorsOf(world)).toMatchObject([
        { message: 'web: kube-scheduler could not be made to retry pod default/p0' },
      ]);
    });

    it('says nothing of it where the function has run out of time', async () => {
      const world = await placing([open], 0, { pods: forgotten(2) });
      const stop = new AbortController();
      const cluster = world.cluster(WEB)!;
      const nominate = async (): Promise<never> => {
        stop.abort(new Error('its time is up'));
        throw new Error('ECONNRESET');
      };
      const stopped: TestWorld = { ...world, cluster: () => ({ ...cluster, writer: { ...cluster.writer, nominate } }) };
      await scaleUpHandler(stopped)(sqsEvent(scan), { signal: stop.signal });
      expect(stop.signal.aborted).toBe(true);
      expect(errorsOf(world).filter(({ message }) => message.includes('made to retry'))).toEqual([]);
    });
  });

  it('leaves a node to the next evaluation when the plan has become too old for its pods', async () => {
    const world = await placing([held('n1'), held('n2')], 4);
    const { store } = world;
    const slow = {
      ...world,
      store: {
        ...store,
        commit: async (...given: Parameters<typeof store.commit>) => {
          const outcome = await store.commit(...given);
          world.time += 11_000;
          return outcome;
        },
      },
    };
    await scaleUp(slow);
    expect(world.placed).toEqual([]);
    expect(world.laterWakes).toEqual([{ cluster: WEB, due: NOW + 12_000, attempt: 3 }]);
  });

  it('releases nodes that have been ready for long without its decision, when that fails', async () => {
    const world = await placing([held('new', 20), held('old', 31)], 2);
    world.readErrors.push(new Error('ECONNREFUSED'));
    expect((await scaleUp(world)).batchItemFailures).toHaveLength(1);
    expect(world.placed).toEqual(['old']);
  });

  it('that fails reads no nodes where the option is off: an API server in trouble is asked for no more than is needed', async () => {
    const world = await placing([held('old', 31)], 2, { options: {} });
    world.readErrors.push(new Error('ECONNREFUSED'));
    expect((await scaleUp(world)).batchItemFailures).toHaveLength(1);
    expect(world.placed).toEqual([]);
  });

  it('releases nothing in a dry run', async () => {
    const world = await placing([held('n1', 300)], 2, { dryRun: true });
    await scaleUp(world, scan);
    await scaleDown(world);
    expect(world.placed).toEqual([]);
  });

  it('is not spaced out for a ready node, however many evaluations were in vain', async () => {
    const world = await placing([held('n1', 0, 'False')], 0);
    world.objects = { ...world.objects, pods: [pod('hopeless', { requests: { cpu: 100 } })] };
    const handler = scaleUpHandler(world);
    const wake = async (more: object) => {
      world.time += 500;
      const at = new Date(world.time - 300).toISOString();
      await handler(sqsEvent({ cluster: WEB, at, ...more }), invocation());
    };
    for (let i = 0; i < 12; i += 1) {
      await wake({});
    }
    expect(world.counts.get('DelayedWakeUps')).toBeGreaterThan(0);
    world.objects = { ...world.objects, nodes: [held('n1')] };
    await wake({ readyNode: true });
    expect(world.placed).toEqual(['n1']);
  });
});

describe('scale-down', () => {
  it('releases nodes that have been ready for long, without nominations', async () => {
    const world = await placing([held('new', 20), held('old', 31), held('starting', 300, 'False')], 2);
    await scaleDown(world);
    expect(world.placed).toEqual(['old']);
  });

  it('does so where the option is off', async () => {
    const world = await placing([held('old', 31)], 2, { options: {} });
    await scaleDown(world);
    expect(world.placed).toEqual(['old']);
  });

  it('has scale-up look at nodes that are ready, but not at those that it releases itself', async () => {
    const world = await placing([held('new', 20), held('old', 31)], 2);
    await scaleDown(world);
    expect(world.laterWakes).toEqual([{ cluster: WEB, due: NOW + 5_000, attempt: 3 }]);
    const alone = await placing([held('old', 31), held('starting', 300, 'False')], 2);
    await scaleDown(alone);
    expect(alone.laterWakes).toEqual([]);
  });

  it('does not rest while a node is held', async () => {
    const world = await placing([held('n1', 20)], 0);
    const handler = scaleDownHandler(world);
    await handler({ cluster: WEB }, invocation());
    world.time += 60_000;
    await handler({ cluster: WEB }, invocation());
    expect(world.placed).toEqual(['n1']);
  });
});

describe('a function that ends at any of its steps', () => {
  /** A world that counts what functions ask of it, changes its nodes and pods as asked, and ends the function at one step. */
  async function mortal(endsAt: number) {
    const test = await placing([held('n1'), held('n2')], 4);
    let steps = 0;
    const step =
      <Given extends readonly unknown[], T>(act: (...given: Given) => Promise<T>) =>
      async (...given: Given): Promise<T> => {
        steps += 1;
        if (steps >= endsAt) {
          throw new Error('the function has ended');
        }
        return await act(...given);
      };
    const cluster = test.cluster(WEB)!;
    const world: Services = {
      ...test,
      store: {
        ...test.store,
        commit: step((...given: Parameters<Services['store']['commit']>) => test.store.commit(...given)),
      },
      wakeAt: step(test.wakeAt),
      cluster: () => ({
        ...cluster,
        reader: {
          ...cluster.reader,
          read: step(() => cluster.reader.read()),
          readNodes: step(() => cluster.reader.readNodes()),
        },
        writer: {
          ...cluster.writer,
          nominate: step(async (of, to) => {
            const pods = (test.objects.pods ?? []).map((one) =>
              one.name === of.name ? { ...one, nominatedNodeName: to } : one,
            );
            test.objects = { ...test.objects, pods };
            return { kind: 'done' };
          }),
          changeNode: step(async (name, _uid, change) => {
            const nodes = (test.objects.nodes ?? []).map((one) => (one.name === name ? changedNode(one, change) : one));
            test.objects = { ...test.objects, nodes };
            return { kind: 'done' };
          }),
        },
      }),
    };
    return { test, world, steps: () => steps, revive: () => (endsAt = Number.POSITIVE_INFINITY) };
  }

  const stillHeld = ({ objects }: TestWorld) => (objects.nodes ?? []).filter(isHeld).map(({ name }) => name);

  it('leaves no ready node held for 60 s after functions are back, whichever of the two is', async () => {
    const whole = await mortal(Number.POSITIVE_INFINITY);
    await scaleUpHandler(whole.world)(sqsEvent(READY_NODE), invocation());
    expect(stillHeld(whole.test)).toEqual([]);
    const nominated = (whole.test.objects.pods ?? []).map(({ nominatedNodeName }) => nominatedNodeName);
    expect(nominated).toEqual(['n1', 'n1', 'n2', 'n2']);
    const steps = whole.steps();
    expect(steps).toBeGreaterThan(6);
    for (const back of ['scale-up', 'scale-down'] as const) {
      let left = 0;
      for (let endsAt = 1; endsAt <= steps; endsAt += 1) {
        const { test, world, revive } = await mortal(endsAt);
        await scaleUpHandler(world)(sqsEvent(READY_NODE), invocation());
        left += stillHeld(test).length;
        revive();
        test.time += 59_000;
        await (back === 'scale-up'
          ? scaleUpHandler(world)(sqsEvent(scan), invocation())
          : scaleDownHandler(world)({ cluster: WEB }, invocation()));
        expect(stillHeld(test), `after an end at step ${endsAt}, with ${back} back`).toEqual([]);
      }
      expect(left).toBeGreaterThan(steps / 2);
    }
  });
});
