import { describe, expect, test } from 'vitest';
import { epochMs } from '../../../../../core/model/values/time.ts';
import { CLAIM_KEY } from '../../../../../providers/clusterapi/changes/marks.ts';
import { crashAt, requestsOf } from '../crashes.ts';
import {
  type Call,
  Crash,
  apiError,
  managementStandIn,
  STAND_INS,
  type StandIn,
  type StandInOptions,
} from '../group-stand-in.ts';

const MARK = 'cluster.x-k8s.io/delete-machine';
const REVISION = 'machinedeployment.clusters.x-k8s.io/revision';
const CLAIM = 'at=2025-12-31T23:59:00.000Z by=other from=3';

describe('one Machine of a group', () => {
  test.each<readonly [string, StandInOptions]>([
    ['a MachineDeployment', {}],
    ['a MachineSet', { kind: 'MachineSet' }],
    ['a MachinePool with Machines', { kind: 'MachinePool' }],
    ['a MachineSet of machine.openshift.io', { kind: 'MachineSet', apiGroup: 'machine.openshift.io' }],
    ['an API group of its own', { apiGroup: 'infra.example.com' }],
    ['a controller that sees marks late', { kind: 'MachineSet', lag: 800 }],
    ['a slow API server', { latency: 1_500 }],
  ])('goes, and no other one, and the size is lowered: %s', async (_, options) => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const group = managementStandIn({ ...options, seed });
      expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
      await group.wait(20_000);
      expect(group.state.deleted).toEqual(['m1']);
      expect(group.live()).toEqual(['m0', 'm2']);
      expect(group.state.resource.replicas).toBe(2);
      expect(group.noted()).toEqual([]);
      expect(group.warnings).toEqual([]);
    }
  });

  test('is replaced where the size is not to be lowered', async () => {
    const group = managementStandIn();
    expect(await group.terminate('m1', false)).toEqual({ kind: 'terminated' });
    await group.wait(20_000);
    expect(group.live()).toEqual(['m0', 'm2', 'new1']);
    expect(group.state.resource.replicas).toBe(3);
  });

  test.each([true, false])('that does not exist is gone (decrement: %s)', async (decrement) => {
    const group = managementStandIn();
    expect(await group.terminate('m9', decrement)).toEqual({ kind: 'gone' });
    expect(group.requests()).toBe(1);
  });

  test.each([true, false])('that is being deleted is gone (decrement: %s)', async (decrement) => {
    const group = managementStandIn();
    group.remove('m1');
    expect(await group.terminate('m1', decrement)).toEqual({ kind: 'gone' });
    expect(group.state.resource.replicas).toBe(3);
  });

  test('is terminated once, though it is asked twice, one after the other', async () => {
    const group = managementStandIn();
    await group.terminate('m1');
    expect(await group.terminate('m1')).toEqual({ kind: 'gone' });
    expect(group.state.resource.replicas).toBe(2);
  });

  test('is marked with a time, in each form that controllers of machine.openshift.io know', async () => {
    const marks: unknown[] = [];
    const group = managementStandIn({ apiGroup: 'machine.openshift.io', kind: 'MachineSet' });
    group.onRequest(({ verb, when, change }) => verb === 'annotate' && when === 'before' && marks.push(change));
    await group.terminate('m1');
    expect(marks[1]).toEqual({
      [CLAIM_KEY]: expect.stringMatching(/^at=2026-\S* by=[\w-]{36} from=3$/),
      'machine.openshift.io/delete-machine': expect.stringMatching(/^outrigger 2026-01-01T00:00:0\d\.\d{3}Z$/),
      'machine.openshift.io/cluster-api-delete-machine': expect.stringMatching(/^outrigger 2026/),
    });
  });

  test('is deleted itself where Machines are missing anyway, which its controller would take for the decrease', async () => {
    const group = managementStandIn({ replicas: 4, machines: ['m0', 'm1', 'm2'] });
    group.createMachines(false);
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    group.createMachines(true);
    await group.wait(20_000);
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.state.resource.replicas).toBe(3);
    expect(group.live()).toEqual(['m0', 'm2', 'new1']);
  });
});

type Refusal = readonly [string, string, (group: StandIn) => void, StandInOptions];

describe('a group in which another Machine might go', () => {
  const refusals: readonly Refusal[] = [
    ['its size is its minimum', 'BelowMinSize', () => undefined, { min: 3 }],
    ['its size is 0', 'BelowMinSize', ({ scaleTo, state }) => (scaleTo(0), (state.bounds.min = -5)), { every: null }],
    ['it is paused', 'Paused', ({ state }) => (state.paused = 'Cluster default/c1 is paused'), {}],
    [
      'it is being deleted',
      'GroupGone',
      ({ state }) => (state.resource = { ...state.resource, deletedAt: epochMs(1) }),
      {},
    ],
    [
      'it is replacing its Machines',
      'RollingOut',
      ({ state }) => (state.sets = [...state.sets, { ...state.sets[0]!, uid: 'old', name: 'web-0', replicas: 1 }]),
      { every: null },
    ],
    [
      'the strategy is OnDelete, and it is of the current template',
      'RollingOut',
      ({ state }) => {
        const [current] = state.sets;
        state.resource = { ...state.resource, onDelete: true };
        state.sets = [
          { ...current!, annotations: { [REVISION]: '2' } },
          { ...current!, uid: 'old', name: 'web-0', replicas: 1, annotations: { [REVISION]: '1' } },
        ];
      },
      { every: null },
    ],
    [
      'an old MachineSet still has a Machine',
      'RollingOut',
      ({ state, add }) => {
        const old = { ...state.sets[0]!, uid: 'old', name: 'web-0', replicas: 0 };
        state.sets = [...state.sets, old];
        add('m9', old);
      },
      { every: null },
    ],
    [
      'another client has marked another Machine',
      'OtherMachineMarked',
      ({ annotate }) => annotate('m2', { [MARK]: '' }),
      {},
    ],
    [
      'another Machine of machine.openshift.io has failed with its node',
      'OtherMachineFailed',
      ({ change }) => change('m2', { failure: { reason: 'InvalidConfiguration', message: '' } }),
      { apiGroup: 'machine.openshift.io', kind: 'MachineSet' },
    ],
  ];

  test.each(refusals)('is left alone: %s', async (_, code, prepare, options) => {
    const group = managementStandIn(options);
    prepare(group);
    const before = structuredClone(group.state);
    expect(await group.terminate('m1')).toMatchObject({ kind: 'failed', class: 'Configuration', code });
    expect(group.state.deleted).toEqual([]);
    expect(group.state.resource.replicas).toBe(before.resource.replicas);
    expect(group.state.machines).toEqual(before.machines);
  });

  test.each(refusals)(
    'is left as it was found when that begins after the claim: %s',
    async (_, code, prepare, options) => {
      const group = managementStandIn({ ...options, every: null, min: 0 });
      let claimed = false;
      group.onRequest(({ verb, when }) => {
        if (verb === 'annotate' && when === 'after' && !claimed) {
          claimed = true;
          prepare(group);
          group.state.bounds.min = options.min ?? group.state.bounds.min;
        }
      });
      const answer = await group.terminate('m1');
      expect(answer).toMatchObject({ kind: 'failed', code });
      expect(group.noted()).toEqual(code === 'OtherMachineMarked' ? ['m2'] : []);
      expect(group.state.deleted).toEqual([]);
    },
  );

  test('is waited for while another client lowers its size, and then has one less', async () => {
    const group = managementStandIn({ replicas: 5 });
    group.scaleTo(4);
    expect(await group.terminate('m1')).toMatchObject({ kind: expect.stringMatching(/terminated|gone/) });
    await group.wait(20_000);
    expect(group.live()).not.toContain('m1');
    expect(group.live().length).toBe(group.state.resource.replicas);
    expect(group.state.deleted.length).toBeLessThanOrEqual(2);
  });

  test('with more Machines than its size, which no controller deletes, is refused after a while', async () => {
    const group = managementStandIn({ replicas: 2, machines: ['m0', 'm1', 'm2'], every: null });
    expect(await group.terminate('m1')).toMatchObject({ kind: 'failed', class: 'Throttled', code: 'NotSettled' });
    expect(group.noted()).toEqual([]);
    expect(group.state.resource.replicas).toBe(2);
  });

  test('a MachinePool without Machines is refused an instance of its own', async () => {
    const group = managementStandIn({ kind: 'MachinePool', machines: [] });
    group.state.resource = { ...group.state.resource, providerIds: ['default/m1'] };
    for (const decrement of [true, false]) {
      expect(await group.terminate('m1', decrement)).toMatchObject({ class: 'Configuration', code: 'NoMachines' });
    }
  });
});

describe('controllers that do not act', () => {
  test('size and mark are taken back', async () => {
    const group = managementStandIn({ every: null });
    expect(await group.terminate('m1')).toMatchObject({ kind: 'failed', class: 'Timeout', code: 'NotConfirmed' });
    expect(group.state.resource.replicas).toBe(3);
    expect(group.noted()).toEqual([]);
    group.runControllers(100);
    await group.wait(20_000);
    expect(group.state.deleted).toEqual([]);
  });

  test('the mark stays while the MachineSet has the lower size, and the next attempt finishes', async () => {
    const group = managementStandIn({ every: null });
    // The MachineDeployment controller stops after it has passed the lower size on.
    group.onRequest(({ verb, when }) => {
      if (verb === 'scale' && when === 'after' && group.state.resource.replicas === 2) {
        group.state.sets = group.state.sets.map((set) => ({ ...set, replicas: 2 }));
      }
    });
    expect(await group.terminate('m1')).toMatchObject({ kind: 'failed', class: 'Timeout', code: 'NotConfirmed' });
    expect(group.noted()).toEqual(['m1']);
    group.runControllers(100);
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    await group.wait(20_000);
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.live()).toHaveLength(group.state.resource.replicas);
  });

  test('a controller that does not know the mark deletes another Machine: that is reported, and the marked one stays', async () => {
    const group = managementStandIn({ kind: 'MachineSet', lag: 60_000 });
    let seen = false;
    group.onRequest(({ verb, when }) => {
      if (verb === 'scale' && when === 'after' && !seen) {
        seen = true;
        group.remove('m2');
      }
    });
    expect(await group.terminate('m1')).toMatchObject({
      kind: 'failed',
      class: 'Configuration',
      code: 'OtherMachineDeleted',
    });
    expect(group.state.deleted).toEqual(['m2']);
    expect(group.noted()).toEqual([]);
    expect(group.state.resource.replicas).toBe(2);
  });

  test('a Machine that goes at the same time for another reason is mentioned', async () => {
    const group = managementStandIn({ kind: 'MachineSet' });
    group.onRequest(({ verb, when }) => {
      if (verb === 'scale' && when === 'after') {
        group.remove('m1');
        group.remove('m2');
      }
    });
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    expect(group.warnings).toEqual([expect.stringContaining('1 more Machine(s) were deleted')]);
  });
});

describe('an attempt that breaks off', () => {
  test.each(STAND_INS)('before or after any request is finished by the next one: %s', async (_, options) => {
    const calls = await requestsOf(options);
    expect(calls.filter(({ verb, when }) => verb !== 'read' && when === 'after')).toHaveLength(3);
    for (const at of calls) {
      for (const pause of [0, 1_000, 10 * 60_000]) {
        const group = managementStandIn(options);
        group.onRequest(crashAt(at));
        await expect(group.terminate('m1')).rejects.toThrow(Crash);
        group.onRequest(() => undefined);
        await group.wait(pause);
        expect(await group.terminate('m1')).toMatchObject({ kind: expect.stringMatching(/^(?:terminated|gone)$/) });
        await group.wait(20_000);
        const found = {
          at,
          pause,
          deleted: group.state.deleted,
          live: group.live(),
          size: group.state.resource.replicas,
        };
        expect(found).toEqual({ at, pause, deleted: ['m1'], live: ['m0', 'm2'], size: 2 });
        expect(group.noted()).toEqual([]);
      }
    }
  });

  test('does not make another Machine go in its place when that one is terminated later', async () => {
    const options: StandInOptions = { every: 700 };
    for (const at of await requestsOf(options)) {
      const group = managementStandIn(options);
      group.onRequest(crashAt(at));
      await expect(group.terminate('m1')).rejects.toThrow(Crash);
      group.onRequest(() => undefined);
      await group.wait(10 * 60_000);
      const had = group.state.deleted.length;
      expect(await group.terminate('m2')).toEqual({ kind: 'terminated' });
      await group.wait(20_000);
      expect({ at, deleted: group.state.deleted }).toEqual({ at, deleted: [...['m1'].slice(0, had), 'm2'] });
      expect(group.live()).toHaveLength(group.state.resource.replicas);
      expect(group.noted()).toEqual([]);
    }
  });

  test('keeps others waiting while it may still be at work', async () => {
    const group = managementStandIn();
    group.annotate('m2', { [CLAIM_KEY]: CLAIM, [MARK]: 'outrigger 2025-12-31T23:59:00.000Z' });
    expect(await group.terminate('m1')).toMatchObject({ class: 'Throttled', code: 'AnotherTermination' });
    expect(group.state.deleted).toEqual([]);
    expect(group.noted()).toEqual(['m2']);
  });

  test.each([
    ['a claim of long ago', { [CLAIM_KEY]: CLAIM.replace('2025-12-31T23:59', '2025-12-31T23:50') }],
    ['a claim of the far future', { [CLAIM_KEY]: CLAIM.replace('2025-12-31T23:59', '2026-01-02T00:00') }],
    ['a mark whose claim is gone', { [MARK]: 'outrigger 2025-12-31T23:59:00.000Z' }],
    ['both', { [CLAIM_KEY]: CLAIM.replace('2025', '2024'), [MARK]: 'outrigger 2024-12-31T23:59:00.000Z' }],
  ])('leaves behind what the next attempt in the group takes back: %s', async (_, left) => {
    const group = managementStandIn({ lag: 800 });
    group.annotate('m2', left);
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    await group.wait(20_000);
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.noted()).toEqual([]);
  });

  test('a mark of a user on the Machine itself is honored, and stays where it does not go', async () => {
    const group = managementStandIn({ every: null });
    group.annotate('m1', { [MARK]: 'yes' });
    expect(await group.terminate('m1')).toMatchObject({ code: 'NotConfirmed' });
    expect(group.state.machines[1]!.machine.annotations).toEqual({ [MARK]: 'yes' });
  });
});

describe('a mark that another client removes', () => {
  /** After each change of the annotations of `m1`, as often as it is said. */
  const unmarking = (group: StandIn, most: number): void => {
    let removed = 0;
    group.onRequest(({ verb, when, change }) => {
      if (verb === 'annotate' && when === 'after' && MARK in (change as object) && removed < most) {
        removed += 1;
        group.annotate('m1', { [MARK]: null });
      }
    });
  };

  test.each([1, 3])('%i times is set again before the size is lowered', async (times) => {
    const group = managementStandIn({ kind: 'MachineSet', lag: 500 });
    unmarking(group, times);
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    await group.wait(20_000);
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.state.resource.replicas).toBe(2);
  });

  test('every time leaves the group as it was', async () => {
    const group = managementStandIn({ kind: 'MachineSet' });
    unmarking(group, Number.POSITIVE_INFINITY);
    expect(await group.terminate('m1')).toMatchObject({ kind: 'failed', class: 'Throttled', code: 'MarkLost' });
    expect(group.state.deleted).toEqual([]);
    expect(group.state.resource.replicas).toBe(3);
    expect(group.noted()).toEqual([]);
  });

  test('cannot be ruled out where each read is slow, which leaves the group as it was', async () => {
    const group = managementStandIn({ kind: 'MachineSet' });
    group.slowReads(4_000);
    expect(await group.terminate('m1')).toMatchObject({ kind: 'failed', class: 'Throttled', code: 'SlowRead' });
    expect(group.state.deleted).toEqual([]);
    expect(group.state.resource.replicas).toBe(3);
    expect(group.noted()).toEqual([]);
  });

  test('before the next attempt is set again by it', async () => {
    const group = managementStandIn({ kind: 'MachineSet' });
    group.annotate('m1', { [CLAIM_KEY]: CLAIM });
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    await group.wait(20_000);
    expect(group.state.deleted).toEqual(['m1']);
  });

  test('after the size is lowered is set again at once', async () => {
    const group = managementStandIn({ every: 5_000 });
    let removed = false;
    group.onRequest(({ verb, when }) => {
      if (verb === 'scale' && when === 'after' && !removed) {
        removed = true;
        group.annotate('m1', { [MARK]: null });
      }
    });
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    await group.wait(20_000);
    expect(group.state.deleted).toEqual(['m1']);
  });
});

describe('requests that fail', () => {
  test('a conflict is answered by reading again, and deciding again', async () => {
    const group = managementStandIn();
    let conflicts = 0;
    group.onRequest(({ verb, when }) => {
      if (verb === 'scale' && when === 'before' && conflicts < 3) {
        conflicts += 1;
        group.touch();
      }
    });
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    expect(conflicts).toBe(3);
    expect(group.state.resource.replicas).toBe(2);
  });

  test.each([
    [20, 'terminated'],
    [21, 'failed'],
  ])('after %i conflicts in a row a Machine is %s', async (most, kind) => {
    const group = managementStandIn();
    let conflicts = 0;
    group.onRequest(({ verb, when }) => {
      if (verb === 'scale' && when === 'before' && conflicts < most) {
        conflicts += 1;
        group.touch();
      }
    });
    expect(await group.terminate('m1')).toMatchObject({ kind });
  });

  test.each([2, 0])('another client that lowers the size at the last moment wins (minimum %i)', async (min) => {
    const group = managementStandIn({ min, kind: 'MachineSet' });
    let first = true;
    group.onRequest(({ verb, when }) => {
      if (verb === 'scale' && when === 'before' && first) {
        first = false;
        group.scaleTo(2);
      }
    });
    // The Machine is marked by then, so it is the one that goes.
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    await group.wait(20_000);
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.state.resource.replicas).toBe(2);
  });

  /** Four, of which three are there, and no controller makes the fourth. */
  const MISSING: StandInOptions = { replicas: 4, machines: ['m0', 'm1', 'm2'] };

  /** Acts once, at the first request for another size. */
  const atScale = (group: StandIn, moment: Call['when'], act: () => void): void => {
    let acted = false;
    group.onRequest(({ verb, when }) => {
      if (verb === 'scale' && when === moment && !acted) {
        acted = true;
        act();
      }
    });
  };

  test('a size that another client lowers to the Machines that there are is lowered by one more', async () => {
    const group = managementStandIn(MISSING);
    group.createMachines(false);
    atScale(group, 'before', () => group.scaleTo(3));
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.state.resource.replicas).toBe(2);
  });

  test('a size that was read before the controllers saw it is no sign that they do not act', async () => {
    const group = managementStandIn(MISSING);
    group.createMachines(false);
    let slow = false;
    group.onRequest(({ verb, when }) => {
      slow ||= verb === 'scale' && when === 'after';
      group.slowReads(slow ? 14_000 : 0);
      slow &&= !(verb === 'read' && when === 'after');
    });
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.state.resource.replicas).toBe(3);
  });

  test('a size for which no controller deletes a Machine is taken back where the Machine cannot be deleted either', async () => {
    const group = managementStandIn(MISSING);
    group.createMachines(false);
    group.onRequest(({ verb, when }) => {
      if (verb === 'delete' && when === 'before') {
        throw apiError(403, 'Forbidden');
      }
    });
    expect(await group.terminate('m1')).toMatchObject({ kind: 'failed', code: 'Forbidden' });
    expect(group.state.resource.replicas).toBe(4);
    expect(group.noted()).toEqual([]);
    group.onRequest(() => undefined);
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.state.resource.replicas).toBe(3);
  });

  test('a size that was raised again is not raised once more where another client lowers it after that', async () => {
    const group = managementStandIn(MISSING);
    group.createMachines(false);
    const sizes: unknown[] = [];
    group.onRequest(({ verb, when, change }) => {
      if (verb === 'delete' && when === 'before') {
        throw apiError(403, 'Forbidden');
      }
      if (verb === 'scale' && when === 'after') {
        sizes.push(change);
        if (sizes.length > 9) {
          throw new Crash();
        }
        if (change === 4) {
          group.scaleTo(3);
        }
      }
    });
    expect(await group.terminate('m1')).toMatchObject({ kind: 'failed', code: 'Forbidden' });
    expect(sizes).toEqual([3, 4]);
    expect(group.state.resource.replicas).toBe(3);
  });

  test('a size whose response is lost is not lowered twice', async () => {
    const group = managementStandIn(MISSING);
    group.createMachines(false);
    atScale(group, 'after', () => {
      throw apiError(504);
    });
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.state.resource.replicas).toBe(3);
  });

  test.each([
    ['lower', 0, 'NotConfirmed', ['m1']],
    ['higher', 4, 'SizeChanged', []],
  ])('a %s size that another client sets after that is left alone', async (_, size, code, noted) => {
    const group = managementStandIn({ kind: 'MachineSet', every: null });
    atScale(group, 'after', () => group.scaleTo(size));
    expect(await group.terminate('m1')).toMatchObject({ code });
    expect(group.state.resource.replicas).toBe(size);
    expect(group.noted()).toEqual(noted);
  });

  test.each([
    [4, 3],
    [7, 6],
  ])('a size of %i that another client sets before that is lowered by one, once', async (size, lowered) => {
    const group = managementStandIn({ kind: 'MachineSet' });
    group.createMachines(false);
    let raised = false;
    atScale(group, 'before', () => {
      if (!raised) {
        raised = true;
        group.scaleTo(size);
      }
    });
    expect(await group.terminate('m1')).toEqual({ kind: 'terminated' });
    group.createMachines(true);
    await group.wait(20_000);
    expect(group.state.deleted).toEqual(['m1']);
    expect(group.state.resource.replicas).toBe(lowered);
    expect(group.live()).toHaveLength(lowered);
  });

  test('a size that another client changes all the time is left alone', async () => {
    const group = managementStandIn({ kind: 'MachineSet', replicas: 3 });
    group.createMachines(false);
    let size = 3;
    group.onRequest(({ verb, when }) => {
      if (verb === 'read' && when === 'before') {
        group.scaleTo((size += 1));
      }
    });
    expect(await group.terminate('m1')).toMatchObject({ kind: 'failed', class: 'Throttled', code: 'SizeChanged' });
    expect(group.state.resource.replicas).toBe(size);
    expect(group.state.deleted).toEqual([]);
    expect(group.noted()).toEqual([]);
  });

  test.each<readonly [Call['verb'], number, string]>([
    ['read', 403, 'Authorization'],
    ['annotate', 403, 'Authorization'],
    ['annotate', 422, 'Configuration'],
    ['scale', 403, 'Authorization'],
    ['scale', 422, 'Configuration'],
  ])('%s refused with %i leaves the group as it was', async (verb, status, expected) => {
    const group = managementStandIn();
    group.onRequest((call) => {
      if (call.verb === verb && call.when === 'before') {
        throw apiError(status, 'Refused');
      }
    });
    expect(await group.terminate('m1')).toMatchObject({ class: expected, code: 'Refused' });
    expect(group.noted()).toEqual([]);
    expect(group.state.resource.replicas).toBe(3);
    expect(group.state.deleted).toEqual([]);
  });

  test.each<readonly [Call['when'], number]>([
    ['before', 500],
    ['after', 500],
    ['before', 429],
    ['after', 504],
  ])('any request that fails %s its effect with %i is found out about', async (when, status) => {
    for (let index = 0; index < 14; index += 1) {
      const group = managementStandIn({ every: 700 });
      group.onRequest((call) => {
        if (call.index === index && call.when === when) {
          throw apiError(status);
        }
      });
      const first = await group.terminate('m1');
      // Never a certain refusal: a drain would take back what may happen yet.
      expect(['terminated', 'Other', 'Throttled', 'Timeout']).toContain(
        first.kind === 'failed' ? first.class : first.kind,
      );
      group.onRequest(() => undefined);
      expect(await group.terminate('m1')).toMatchObject({ kind: expect.stringMatching(/^(?:terminated|gone)$/) });
      await group.wait(20_000);
      expect({ index, deleted: group.state.deleted }).toEqual({ index, deleted: ['m1'] });
      expect(group.state.resource.replicas).toBe(2);
    }
  });

  test('what is no failed request is thrown', async () => {
    const group = managementStandIn();
    group.onRequest(() => {
      throw new TypeError('a bug');
    });
    await expect(group.terminate('m1')).rejects.toThrow('a bug');
  });

  test('a Machine of the same name that replaced it in between is not deleted', async () => {
    const group = managementStandIn();
    group.onRequest(({ verb, when }) => {
      if (verb === 'delete' && when === 'before') {
        throw apiError(409, 'Conflict');
      }
    });
    expect(await group.terminate('m1', false)).toEqual({ kind: 'gone' });
  });
});
