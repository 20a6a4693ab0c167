import { expect, test } from 'vitest';
import { type GroupName, groupName, instanceId, type InstanceId } from '../../core/model/values/names.ts';
import type { Node } from '../../core/model/cluster/node.ts';
import type { GroupSummary } from '../../core/model/cluster-summary.ts';
import type { InstanceView, NodeGroup } from '../../core/model/node-group.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';

/** A group of a test, with all of its instances running and registered at the start. */
export interface GroupWish {
  readonly name: string;
  readonly min?: number;
  readonly max?: number;
  readonly size?: number;
  /** Makes the group's description unreadable. */
  readonly malformed?: boolean;
}

/** Node groups of a provider, with a cloud behind them. */
export interface Ground {
  readonly groups: NodeGroups;
  /** The name that the provider has for a group. */
  readonly nameOf: (name: string) => GroupName;
  readonly nodes: () => readonly Node[];
  /** Makes a call while time passes, as far as the cloud's time is not the test's. */
  readonly call: <T>(make: () => Promise<T>) => Promise<T>;
  /** Lets time pass until everything that was asked for has happened. */
  readonly settle: () => Promise<void>;
}

export interface ContractOptions {
  /** Groups of this provider can be described in a way that it cannot read. */
  readonly canBeMalformed: boolean;
  /**
   * Whether the cloud refuses a size below the number of instances. The simulated groups do not: fault simulation would
   * not find out that such a size was decided.
   */
  readonly keepsInstances: boolean;
  /** Its cloud refuses to end an instance where that would leave less than the minimum; moto does not. By default it does. */
  readonly keepsMinimum?: boolean;
  /** An instance may be gone as soon as it is terminated: real machines take some time, stand-ins for them need not. */
  readonly endsAtOnce?: boolean;
}

const A = { name: 'a', min: 1, max: 6, size: 3 };
const B = { name: 'b', min: 0, max: 4, size: 2 };

/** Tests of one provider of node groups, which keeps to `core/ports/node-groups.ts` as every provider does. */
export function nodeGroupsContract(
  { canBeMalformed, keepsInstances, keepsMinimum = true, endsAtOnce = false }: ContractOptions,
  start: (wishes: readonly GroupWish[]) => Promise<Ground>,
): void {
  reading(start);
  sizes(start, keepsInstances);
  terminations(start, endsAtOnce ? ['ending', 'gone'] : ['ending']);
  if (keepsMinimum) {
    minimum(start);
  }
  troubles(start);
  if (canBeMalformed) {
    malformedGroups(start);
  }
}

type Start = (wishes: readonly GroupWish[]) => Promise<Ground>;

const listed = ({ groups, nodes, call }: Ground): Promise<readonly NodeGroup[]> => call(() => groups.list(nodes()));

const one = async (ground: Ground, name: string): Promise<NodeGroup> =>
  (await listed(ground)).find((group) => group.name === ground.nameOf(name))!;

/** The instances that the target counts. */
const heldOf = ({ instances }: NodeGroup): readonly InstanceId[] =>
  instances.flatMap(({ id, state }) => (state === 'Deleting' ? [] : id)).toSorted();

const sizeOf = (ground: Ground, name: string) => ground.call(() => ground.groups.readSize(ground.nameOf(name)));

function reading(start: Start): void {
  test('lists each group with its bounds, its target, its instances and their nodes', async () => {
    const ground = await start([A, B, { name: 'c', max: 2, size: 0 }]);
    const groups = await listed(ground);
    expect(
      groups.map(({ name, minSize, maxSize, targetSize, instances, nodes, invalid }) => [
        name,
        [minSize, maxSize, targetSize],
        [instances.length, nodes.length],
        invalid,
      ]),
    ).toEqual([
      [ground.nameOf('a'), [1, 6, 3], [3, 3], null],
      [ground.nameOf('b'), [0, 4, 2], [2, 2], null],
      [ground.nameOf('c'), [0, 2, 0], [0, 0], null],
    ]);
    expect(groups.every(({ template }) => template !== null)).toBe(true);
    const names = ground.nodes().map(({ name }) => name);
    expect(groups.flatMap(({ nodes }) => nodes).toSorted()).toEqual(names.toSorted());
    const all = groups.flatMap(({ instances }) => instances);
    expect(all.every(({ state, node, error }) => state === 'Running' && node !== null && error === null)).toBe(true);
    expect(new Set(all.map(({ id }) => id)).size).toBe(5);
  });

  test('an instance whose node is not given is one without a node', async () => {
    const ground = await start([A]);
    const [left, ...others] = ground.nodes();
    const [group] = await ground.call(() => ground.groups.list(others));
    expect(group!.nodes).not.toContain(left!.name);
    expect(group!.instances.filter(({ node }) => node === null)).toHaveLength(1);
    expect(group!.instances).toHaveLength(3);
  });

  test('the order of the nodes changes nothing', async () => {
    const ground = await start([A, B]);
    const inOrder = await listed(ground);
    expect(await ground.call(() => ground.groups.list(ground.nodes().toReversed()))).toEqual(inOrder);
  });

  test('a change check tells of the groups what the list does', async () => {
    const ground = await start([A, B]);
    const groups = await listed(ground);
    const summarized = await ground.call(() => ground.groups.summarize());
    const short = ({ name, minSize, maxSize, targetSize, options, instances }: GroupSummary): GroupSummary => ({
      name,
      minSize,
      maxSize,
      targetSize,
      options,
      instances: instances.map(({ id, state }) => ({ id, state })),
    });
    expect(summarized.map(short)).toEqual(groups.map(short));
    expect(summarized.map(({ instances }) => instances.length)).toEqual([3, 2]);
  });

  test('sizes and instances are read one by one', async () => {
    const ground = await start([A, B]);
    const size = { min: 1, max: 6, target: 3, held: 3 };
    expect(await sizeOf(ground, 'a')).toEqual(size);
    const [first] = heldOf(await one(ground, 'a'));
    const { groups, nameOf, call } = ground;
    expect(await call(() => groups.readInstance(nameOf('a'), first!))).toEqual({ state: 'in group', size });
  });

  test('without a group to ask about, nothing is added to the groups', async () => {
    const ground = await start([A, B]);
    const groups = await listed(ground);
    expect(await ground.call(() => ground.groups.withCloudActions(groups, new Set()))).toEqual(groups);
    expect(await ground.call(() => ground.groups.withLaunchFailures(groups, new Map()))).toEqual(groups);
  });
}

function sizes(start: Start, keepsInstances: boolean): void {
  test('a larger size is the target at once, and instances and nodes come', async () => {
    const ground = await start([A, B]);
    const before = heldOf(await one(ground, 'a'));
    const { groups, nameOf, call } = ground;
    expect(await call(() => groups.setSize(nameOf('a'), 5))).toEqual({ kind: 'set' });
    expect(await sizeOf(ground, 'a')).toMatchObject({ target: 5 });
    await ground.settle();
    const group = await one(ground, 'a');
    expect(group).toMatchObject({ targetSize: 5, nodes: { length: 5 } });
    expect(heldOf(group)).toEqual(expect.arrayContaining([...before]));
    expect(await one(ground, 'b')).toMatchObject({ targetSize: 2, nodes: { length: 2 } });
  });

  test('the size that a group has may be set again', async () => {
    const ground = await start([A]);
    expect(await ground.call(() => ground.groups.setSize(ground.nameOf('a'), 3))).toEqual({ kind: 'set' });
    await ground.settle();
    expect(await one(ground, 'a')).toMatchObject({ targetSize: 3, nodes: { length: 3 } });
  });

  test.each([
    ['above the maximum', 7],
    ['below the minimum', 0],
    ...(keepsInstances ? [['below the instances that there are', 2] as const] : []),
  ] as const)('a size %s is refused, and nothing changes', async (_name, size) => {
    const ground = await start([A]);
    const before = heldOf(await one(ground, 'a'));
    const outcome = await ground.call(() => ground.groups.setSize(ground.nameOf('a'), size));
    expect(outcome).toMatchObject({ kind: 'failed', class: 'Configuration' });
    await ground.settle();
    const group = await one(ground, 'a');
    expect([group.targetSize, heldOf(group)]).toEqual([3, before]);
  });
}

const terminate = (ground: Ground, name: string, id: InstanceId, decrement: boolean) =>
  ground.call(() => ground.groups.terminate(ground.nameOf(name), id, decrement));

/** @param ending the states that an instance may have right after it was terminated. */
function terminations(start: Start, ending: readonly InstanceView['state'][]): void {
  test('an instance is terminated and the target lowered with it: this one goes, and no other', async () => {
    const ground = await start([A, B]);
    const [first, second, third] = heldOf(await one(ground, 'a'));
    expect(await terminate(ground, 'a', second!, true)).toEqual({ kind: 'terminated' });
    expect(await sizeOf(ground, 'a')).toMatchObject({ target: 2, held: 2 });
    const { groups, nameOf, call } = ground;
    expect(ending).toContain((await call(() => groups.readInstance(nameOf('a'), second!))).state);
    await ground.settle();
    expect((await call(() => groups.readInstance(nameOf('a'), second!))).state).toBe('gone');
    const group = await one(ground, 'a');
    expect([group.targetSize, heldOf(group)]).toEqual([2, [first, third]]);
    expect(await one(ground, 'b')).toMatchObject({ targetSize: 2, nodes: { length: 2 } });
  });

  test('without a lower target it is replaced', async () => {
    const ground = await start([A]);
    const [first, second, third] = heldOf(await one(ground, 'a'));
    expect(await terminate(ground, 'a', second!, false)).toEqual({ kind: 'terminated' });
    await ground.settle();
    const group = await one(ground, 'a');
    expect([group.targetSize, heldOf(group).length]).toEqual([3, 3]);
    expect(heldOf(group)).toEqual(expect.arrayContaining([first, third]));
    expect(heldOf(group)).not.toContain(second);
  });

  test('one that is on its way out, or has gone, is gone: a repetition does no harm', async () => {
    const ground = await start([A]);
    const [first] = heldOf(await one(ground, 'a'));
    await terminate(ground, 'a', first!, true);
    expect(await terminate(ground, 'a', first!, true)).toEqual({ kind: 'gone' });
    await ground.settle();
    expect(await terminate(ground, 'a', first!, true)).toEqual({ kind: 'gone' });
    expect(await terminate(ground, 'a', first!, false)).toEqual({ kind: 'gone' });
    await ground.settle();
    expect(await one(ground, 'a')).toMatchObject({ targetSize: 2, nodes: { length: 2 } });
  });

  test('several at a time: each of them goes, and no other', async () => {
    const ground = await start([{ ...A, size: 5 }]);
    const [first, second, third, fourth, fifth] = heldOf(await one(ground, 'a'));
    let left: readonly InstanceId[] = [second!, fourth!, fifth!];
    for (let attempts = 0; left.length > 0 && attempts < 4; attempts += 1) {
      const outcomes = await ground.call(() =>
        Promise.all(left.map((id) => ground.groups.terminate(ground.nameOf('a'), id, true))),
      );
      // A call that has to wait for another says so, and is to be repeated.
      expect(outcomes.filter((outcome) => outcome.kind === 'failed' && outcome.class === 'Configuration')).toEqual([]);
      left = left.filter((_, n) => outcomes[n]!.kind === 'failed');
      await ground.settle();
    }
    const group = await one(ground, 'a');
    expect([left, group.targetSize, heldOf(group)]).toEqual([[], 2, [first, third]]);
  });

  test('one of another group, or of none, is gone, and no other goes instead of it', async () => {
    const ground = await start([A, B]);
    const before = await listed(ground);
    const [other] = heldOf(await one(ground, 'b'));
    for (const id of [other!, instanceId('i-none'), instanceId('default/none')]) {
      expect(await terminate(ground, 'a', id, true)).toEqual({ kind: 'gone' });
      expect(await ground.call(() => ground.groups.readInstance(ground.nameOf('a'), id))).toMatchObject({
        state: 'gone',
        size: { target: 3 },
      });
    }
    await ground.settle();
    expect(await listed(ground)).toEqual(before);
  });
}

function minimum(start: Start): void {
  test('the minimum keeps an instance; what replaces it keeps the minimum', async () => {
    const ground = await start([{ ...A, min: 3 }]);
    const before = heldOf(await one(ground, 'a'));
    expect(await terminate(ground, 'a', before[0]!, true)).toMatchObject({ kind: 'failed', class: 'Configuration' });
    await ground.settle();
    const kept = await one(ground, 'a');
    expect([kept.targetSize, heldOf(kept)]).toEqual([3, before]);
    expect(await terminate(ground, 'a', before[0]!, false)).toEqual({ kind: 'terminated' });
    await ground.settle();
    expect(heldOf(await one(ground, 'a'))).not.toContain(before[0]);
  });
}

function troubles(start: Start): void {
  test('a group that is gone has no size and no instances, and takes no size', async () => {
    const ground = await start([A]);
    const { groups, call } = ground;
    const [first] = heldOf(await one(ground, 'a'));
    const gone = groupName(ground.nameOf('a').replace(/a$/, 'gone'));
    expect(await call(() => groups.readSize(gone))).toBeNull();
    expect(await call(() => groups.readInstance(gone, first!))).toEqual({ state: 'gone', size: null });
    expect(await call(() => groups.setSize(gone, 2))).toMatchObject({ kind: 'failed', class: 'Configuration' });
    expect(await call(() => groups.terminate(gone, first!, true))).toEqual({ kind: 'gone' });
    await ground.settle();
    expect(await one(ground, 'a')).toMatchObject({ targetSize: 3, nodes: { length: 3 } });
  });

  test('a call that is aborted rejects, and changes nothing', async () => {
    const ground = await start([A]);
    const { groups, nameOf, nodes } = ground;
    const [first] = heldOf(await one(ground, 'a'));
    const a = nameOf('a');
    const signal = AbortSignal.abort(new Error('over'));
    const calls: readonly (() => Promise<unknown>)[] = [
      () => groups.list(nodes(), signal),
      () => groups.summarize(signal),
      () => groups.readSize(a, signal),
      () => groups.readInstance(a, first!, signal),
      () => groups.setSize(a, 5, signal),
      () => groups.terminate(a, first!, true, signal),
      () => groups.terminate(a, first!, false, signal),
    ];
    for (const make of calls) {
      await expect(ground.call(make)).rejects.toThrow(/over|aborted/);
    }
    await ground.settle();
    const group = await one(ground, 'a');
    expect([group.targetSize, group.nodes.length, heldOf(group).includes(first!)]).toEqual([3, 3, true]);
  });
}

function malformedGroups(start: Start): void {
  test('a group that cannot be read is invalid, with the reason, and the others are as they were', async () => {
    const alone = await start([A, B]);
    const ground = await start([A, { name: 'broken', size: 1, malformed: true }, B]);
    const groups = await listed(ground);
    const [broken] = groups.filter(({ name }) => name === ground.nameOf('broken'));
    expect(broken!.invalid).toContain('broken');
    const plain = ({ minSize, maxSize, targetSize, nodes, invalid }: NodeGroup) => [
      [minSize, maxSize, targetSize, nodes.length],
      invalid,
    ];
    const others = groups.filter((group) => group !== broken);
    expect(others.map(({ name }) => name)).toEqual([ground.nameOf('a'), ground.nameOf('b')]);
    expect(others.map(plain)).toEqual((await listed(alone)).map(plain));
    const { call } = ground;
    expect(await call(() => ground.groups.setSize(ground.nameOf('b'), 3))).toEqual({ kind: 'set' });
  });
}
