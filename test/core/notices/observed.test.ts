import { describe, expect, it } from 'vitest';
import type { Drain } from '../../../core/model/drain.ts';
import type { InstanceState, NodeGroup } from '../../../core/model/node-group.ts';
import type { Notice, TerminationHook } from '../../../core/model/notice.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import type { NodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { announcedIn } from '../../../core/notices/departures.ts';
import { observedNotices } from '../../../core/notices/observed.ts';
import { arePressing } from '../../../core/notices/pressing.ts';
import { clusterObjects, node } from '../../builders.ts';
import { group, noticeOf, NOW, scenario } from '../../scenario-builders.ts';
import { aDrain, GROUP, INSTANCE, NODE } from '../drain/one-node-world.ts';

const ago = (many: number) => addTime(NOW, minutes(-many));

const hook = (token: string, since: number): TerminationHook => ({
  name: 'outrigger',
  token,
  heartbeatUntil: null,
  waitsSince: ago(since),
});
const notice = (extra: Partial<Notice>): Notice =>
  noticeOf(INSTANCE, GROUP, { kind: 'LifecycleHook', endsAt: null, ...extra });
const waiting = (token: string, since: number, extra: Partial<Notice> = {}): Notice =>
  notice({ receivedAt: ago(since), hook: hook(token, since), ...extra });

const FIRST = waiting('z', 8);
const SECOND = waiting('a', 0);
const SPOT = notice({ kind: 'SpotInterruption', receivedAt: NOW, endsAt: addTime(NOW, minutes(2)) });

/** The drain that completed the first hook. */
const ENDED: Partial<Drain> = {
  phase: 'Removed',
  phaseSince: ago(6),
  outcome: { kind: 'removed', at: ago(6) },
  notice: { kind: 'LifecycleHook', deadline: ago(0), hook: FIRST.hook },
};

interface Case {
  readonly notices: readonly Notice[];
  readonly drain: Partial<Drain> | null;
  readonly state: InstanceState;
  readonly reuse: boolean;
  /** In minutes ago. */
  readonly nodeSince: number;
}

/** The instance was ended six minutes ago, and is a node again since two. */
const BACK: Case = { notices: [FIRST], drain: ENDED, state: 'Running', reuse: true, nodeSince: 2 };

const known = ({ notices, drain }: Case) => ({
  notices,
  intents: [],
  drains: drain === null ? [] : [{ drain: aDrain('drain', drain), revision: 1, attempt: 1, drivenUntil: NOW }],
});

const observed = (given: Partial<Case>): readonly Notice[] => {
  const { state, reuse, nodeSince, ...all } = { ...BACK, ...given };
  const web = {
    ...group('web', { nodes: ['n1'] }),
    name: GROUP,
    instances: [{ id: INSTANCE, node: NODE, zone: 'eu-1a', state, error: null }],
    warmPool: { size: 1, state: 'Stopped' as const, reuse },
  };
  const n1 = { ...node('n1', { cpu: 4, memory: '16Gi' }), createdAt: ago(nodeSince), conditions: [] };
  const objects = clusterObjects({ nodes: [n1] });
  return observedNotices(known({ ...all, state, reuse, nodeSince }), { nodeGroups: [web], objects, now: NOW });
};

describe('of an instance that has come back from its warm pool', () => {
  it.each<[string, Partial<Case>, readonly Partial<Notice>[]]>([
    ['nothing is left of its first end', {}, []],
    ['nor when that is announced once more', { notices: [{ ...FIRST, receivedAt: NOW }], drain: null }, []],
    [
      'nor of the end of one that was stopped, of which the event came late',
      { notices: [notice({ kind: 'InstanceStopping', receivedAt: ago(1), endsAt: ago(7) })], drain: null },
      [],
    ],
    ['the hook of its second end is to be answered', { notices: [FIRST, SECOND], state: 'Deleting' }, [SECOND]],
    [
      'that hook also where the first one is announced once more after it',
      { notices: [{ ...FIRST, receivedAt: NOW }, SECOND], state: 'Deleting' },
      [SECOND],
    ],
    [
      'that hook also where the first end was a day ago, and its drain is forgotten',
      { notices: [waiting('z', 25 * 60), SECOND], state: 'Deleting', drain: null },
      [SECOND],
    ],
    [
      'that hook also when it was stopped after the first one',
      {
        notices: [FIRST, notice({ kind: 'InstanceStopping', receivedAt: ago(7), endsAt: ago(7) }), SECOND],
        state: 'Deleting',
      },
      [SECOND],
    ],
    [
      'not the hook of its first end while that of its second one is on its way',
      { state: 'Deleting', drain: null },
      [],
    ],
    [
      'the hook of its first end while its node is as it was',
      { state: 'Deleting', drain: null, nodeSince: 60 },
      [FIRST],
    ],
    ['its interruption is to be answered, whatever drain ended it before', { notices: [SPOT] }, [SPOT]],
    ['its interruption, without the hook of its first end', { notices: [FIRST, SPOT] }, [SPOT]],
    ['and not where its group ends instances for good: the drain has done it', { notices: [SPOT], reuse: false }, []],
    [
      'and not where that drain has just done it: the description may be late',
      { notices: [SPOT], drain: { ...ENDED, phaseSince: ago(1) } },
      [],
    ],
  ])('%s', (_, given, expected) => {
    expect(observed(given)).toEqual(expected);
  });
});

it('what is announced of an instance whose group is no node group waits for that', () => {
  const notices = [notice({ kind: 'ScheduledChange', receivedAt: ago(20), endsAt: ago(-20) })];
  const web = {
    ...group('web', { nodes: ['n1'] }),
    instances: [{ id: INSTANCE, node: NODE, zone: 'eu-1a', state: 'Running' as const, error: null }],
  };
  const departing = (groups: readonly NodeGroup[]): readonly NodeName[] => {
    const given = scenario({ groups, nodes: [node('n1', { cpu: 4, memory: '16Gi' })] });
    return announcedIn({
      ...given,
      notices: observedNotices({ notices, drains: [], intents: [] }, given),
    }).departures.map((departure) => departure.node);
  };
  expect(departing([])).toEqual([]);
  expect(departing([web])).toEqual([NODE]);
});

describe('the cluster is evaluated at once', () => {
  const isPressing = (given: Partial<Case>, states: readonly InstanceState[] | null): boolean =>
    arePressing(
      known({ ...BACK, ...given }),
      defaultOptions(),
      states && [{ name: GROUP, options: {}, instances: states.map((state) => ({ id: INSTANCE, state })) }],
      NOW,
    );

  it('for what is announced of an instance that has come back, and not of one that has just been ended', () => {
    expect(isPressing({ notices: [FIRST, SPOT] }, ['Running'])).toBe(true);
    expect(isPressing({ notices: [SPOT] }, ['Running'])).toBe(true);
    expect(isPressing({ notices: [SPOT] }, ['Deleting'])).toBe(false);
    expect(isPressing({ notices: [SPOT] }, null)).toBe(true);
    expect(isPressing({ notices: [FIRST, SPOT] }, null)).toBe(true);
    expect(isPressing({ notices: [{ ...SPOT, receivedAt: ago(5) }] }, null)).toBe(false);
    expect(isPressing({ notices: [SPOT], drain: { ...ENDED, phaseSince: ago(1) } }, null)).toBe(false);
  });

  it('for what was announced while its group was no node group, once it is one', () => {
    const announced = {
      notices: [notice({ kind: 'ScheduledChange', receivedAt: ago(20), endsAt: ago(-20) })],
      drain: null,
    };
    expect(isPressing(announced, [])).toBe(false);
    expect(isPressing(announced, ['Running'])).toBe(true);
  });

  it('for the hook of its second end', () => {
    expect(isPressing({ notices: [FIRST, SECOND] }, ['Deleting'])).toBe(true);
    expect(isPressing({ notices: [FIRST, SECOND] }, null)).toBe(true);
    expect(isPressing({ notices: [FIRST] }, ['Deleting'])).toBe(false);
  });
});
