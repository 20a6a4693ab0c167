import { describe, expect, test } from 'vitest';
import type { Drain } from '../../core/model/drain.ts';
import type { Notice } from '../../core/model/notice.ts';
import { instanceId } from '../../core/model/values/names.ts';
import { addTime, seconds } from '../../core/model/values/time.ts';
import type { NoticeInbox } from '../../core/ports/notice-inbox.ts';
import type { Terminations } from '../../core/ports/terminations.ts';
import { ApiError } from '../../providers/simulated/api-call.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { type Broken, findingOf, withLoad } from './broken.ts';
import { budgetsKept } from './invariants/budgets-kept.ts';
import { endedWithCare } from './invariants/ended-with-care.ts';
import { hooksCompleted } from './invariants/hooks-completed.ts';
import { noticesAnswered } from './invariants/notices-answered.ts';
import { onlyAnnouncedLeave } from './invariants/only-announced-leave.ts';
import { shortageRemembered } from './invariants/shortage-remembered.ts';
import { mayBeRecommended } from './notices.ts';
import type { Tamper } from './run.ts';
import { REUSING_WARM_POOLS } from './warm-pools.ts';

const withTerminations = (
  change: (terminations: Terminations, world: SimulatedWorld) => Partial<Terminations>,
): Tamper => ({
  world: (world) => ({ ...world, terminations: { ...world.terminations!, ...change(world.terminations!, world) } }),
});

/** What is listed is forgotten, and then the function fails that was to see to it: it is called again in vain. */
const forgetful = (inbox: NoticeInbox): NoticeInbox => ({
  ...inbox,
  list: async (cluster) => {
    const arrived = await inbox.list(cluster);
    await inbox.remove(
      cluster,
      arrived.map(({ id }) => id),
    );
    if (arrived.length > 0) {
      throw new ApiError('Timeout', 'TimeoutError', 'the table has not answered');
    }
    return arrived;
  },
});

const BROKEN: readonly Broken[] = [
  {
    name: 'notices are not kept',
    tamper: { store: (store) => ({ ...store, addNotice: async () => {} }) },
    found: noticesAnswered,
  },
  {
    name: 'what has arrived is forgotten when the function fails that was to see to it',
    tamper: { inbox: forgetful },
    found: noticesAnswered,
  },
  {
    name: 'drains take their pods to have been asked to go',
    from: 2,
    tamper: {
      world: (world) => ({ ...world, writer: { ...world.writer, evict: async () => ({ kind: 'done' }) } }),
    },
    found: noticesAnswered,
  },
  {
    name: 'drains for notices end their instances within seconds',
    from: 2,
    tamper: withLoad(({ notices = [] }, { clock }) => ({
      notices: notices.map((notice) =>
        notice.endsAt === null ? notice : { ...notice, endsAt: addTime(clock.now(), seconds(5)) },
      ),
    })),
    found: endedWithCare,
  },
  {
    name: 'drains for notices end their instances within seconds, whatever their budgets say',
    from: 2,
    tamper: withLoad(({ notices = [] }, { clock }) => ({
      notices: notices.map((notice) =>
        notice.endsAt === null ? notice : { ...notice, endsAt: addTime(clock.now(), seconds(5)) },
      ),
    })),
    found: budgetsKept,
  },
  {
    name: 'instances of other clusters are taken for the cluster’s',
    tamper: withTerminations((_, { scaling }) => ({
      groupsOf: async (instances) => new Map(instances.map((id) => [id, scaling.groups()[0]!.group.name])),
    })),
    found: onlyAnnouncedLeave,
  },
  {
    name: 'what is announced while a group is not discovered is dropped',
    from: 142,
    tamper: withTerminations((terminations, { scaling }) => ({
      groupsOf: async (...call) => {
        const found = await terminations.groupsOf(...call);
        const untagged = new Set(scaling.groups().flatMap((view) => (view.untagged === true ? view.group.name : [])));
        return new Map([...found].filter(([, group]) => !untagged.has(group)));
      },
    })),
    found: noticesAnswered,
  },
  {
    name: 'notices are taken for those of other instances',
    tamper: withLoad(({ notices = [] }, { scaling }) => ({
      notices: notices.map((notice) => {
        const view = scaling.groups().find(({ group }) => group.name === notice.group);
        const other = view?.instances.find(({ id, node }) => id !== notice.instance && node !== null);
        return { ...notice, instance: other?.id ?? instanceId('i-none') };
      }),
    })),
    found: onlyAnnouncedLeave,
  },
  {
    name: 'drains that have begun for a notice are forgotten',
    tamper: {
      drains: (store) => ({
        ...store,
        list: async (...call) => (await store.list(...call)).filter(({ drain }) => !isForNotice(drain)),
      }),
    },
    found: onlyAnnouncedLeave,
  },
  {
    name: 'hooks are completed as soon as they wait',
    from: 3,
    tamper: {
      world: (world) => {
        world.onEvent((event) => {
          if (event.kind === 'HookWaits') {
            const { group, instance, hook: name, token } = event;
            world.clock.start(async () => {
              const hook = { name, token, heartbeatUntil: null };
              await world.terminations!.completeHook(group, instance, hook).catch(() => {});
            });
          }
        });
        return world;
      },
    },
    found: hooksCompleted,
  },
  {
    name: 'hooks are taken to be completed',
    tamper: withTerminations(() => ({ completeHook: async () => ({ kind: 'done' }) })),
    found: hooksCompleted,
  },
  {
    name: 'hooks get no heartbeat',
    from: 6,
    tamper: withTerminations(() => ({ heartbeat: async () => ({ kind: 'done' }) })),
    found: hooksCompleted,
  },
  {
    name: 'the hook of an instance’s first end is kept when it ends again',
    from: 10,
    draw: [REUSING_WARM_POOLS],
    tamper: withLoad(({ notices = [] }) => ({ notices: notices.filter((one) => !isLaterHook(one, notices)) })),
    found: hooksCompleted,
  },
  {
    name: 'where Spot instances are short is forgotten',
    from: 3,
    tamper: withLoad(({ state }) => ({ state: { ...state, shortages: [] } })),
    found: shortageRemembered,
  },
];

const isLaterHook = ({ instance, hook }: Notice, all: readonly Notice[]): boolean =>
  all.some(
    (one) =>
      hook !== null &&
      one.instance === instance &&
      one.hook !== null &&
      (one.hook.waitsSince ?? 0) < (hook.waitsSince ?? 0),
  );

const isForNotice = ({ notice }: Drain): boolean => notice !== undefined;

test.each([
  { what: 'a group of Spot instances', labels: { 'eks.amazonaws.com/capacityType': 'SPOT' }, is: true },
  {
    what: 'a group with a warm pool',
    labels: { 'eks.amazonaws.com/capacityType': 'SPOT' },
    warmPool: { size: 1, state: 'Stopped', reuse: false } as const,
    is: false,
  },
  { what: 'a group of On-Demand instances', labels: { 'eks.amazonaws.com/capacityType': 'ON_DEMAND' }, is: false },
])('AWS recommends to replace instances of $what: $is', ({ labels, warmPool, is }) => {
  expect(mayBeRecommended({ labels, ...(warmPool !== undefined && { warmPool }) })).toBe(is);
});

describe('notices that are broken on purpose are found', () => {
  test.each(BROKEN)('$name', async (broken) => {
    expect(await findingOf(broken)).not.toBeNull();
  });
});
