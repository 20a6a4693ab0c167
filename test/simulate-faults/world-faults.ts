import type { InstanceError } from '../../core/model/node-group.ts';
import { addTime, durationMs, type EpochMs, minutes } from '../../core/model/values/time.ts';
import { CPU } from '../../core/model/values/resources.ts';
import { type ApiCall, ServiceError } from '../../simulation/api-call.ts';
import { type Cloud, noCapacity } from '../../simulation/cloud/group-view.ts';
import type { Span } from '../../core/model/values/random.ts';
import type { Clock } from '../../simulation/clock.ts';
import type { AttemptedLaunch, InstanceFate, WorldFaults } from '../../simulation/world-faults.ts';
import type { FaultKind, FaultSource } from './fault-source.ts';
import type { Meetings } from './meetings.ts';
import type { Outages } from './outages.ts';
import { isWholeGroup } from './whole-groups.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** The longest that a description lags behind. */
export const MAX_LAG_MS = 3_000;
/** In runs beyond that. */
const LONG_LAG_MS = 20_000;
/** The time that a long list takes, of many pages. */
export const MAX_LIST_AGE_MS = 10_000;
/** Calls that are slow do not outlast the functions that make them. */
export const MAX_DELAY_MS = 15_000;

/** From a launch to the time at which an instance is given up, without its boot. */
const GIVEN_UP = { min: Number(minutes(13)), max: Number(minutes(15)) };
/** Delay of what is stuck, and gets on in the end. */
const LONG = { min: 10_000, max: Number(minutes(8)) };
/** Chance that a launch fails of a group that is all or nothing: often enough for a part of it to fail. */
const PART_FAILS = 0.25;

/** Until when something is not to be had. */
type Blocked = Map<string, EpochMs>;

/**
 * The faults of a world: instances that never register, never get ready, come late or vanish; types that are sold
 * out in a zone for a while; a quota; calls that are slow, throttled, fail, or fail after they have taken effect;
 * descriptions that lag behind.
 */
export function worldFaults(
  faults: FaultSource,
  scenario: FaultScenario,
  reach: () => { readonly clock: Clock; readonly scaling: Cloud },
  outages: () => Pick<Outages, 'failure'>,
  meetings: Pick<Meetings, 'lost' | 'nodeName' | 'errorAt'>,
): WorldFaults {
  const soldOut: Blocked = new Map();
  let quotaUntil: EpochMs = scenario.start;
  const left = (): number => scenario.faultsUntil - reach().clock.now();
  const isBlocked = (key: string): boolean =>
    !faults.stopped() && (soldOut.get(key) ?? scenario.start) > reach().clock.now();

  const launch = ({ group, zone }: AttemptedLaunch): InstanceError | null => {
    const { clock, scaling } = reach();
    const place = `${group.instanceType} in ${zone}`;
    const shortage = faults.strike(
      'no capacity',
      isWholeGroup(group) ? PART_FAILS : 0.06,
      (chance) => chance.within({ min: 10_000, max: 900_000 }),
      (ms) => `no ${place} for ${ms / 1_000} s`,
    );
    if (shortage !== null) {
      soldOut.set(place, addTime(clock.now(), durationMs(shortage)));
    }
    if (isBlocked(place)) {
      return noCapacity(group.instanceType, zone);
    }
    const exceeded = faults.strike(
      'quota',
      0.02,
      (chance) => chance.within({ min: 10_000, max: 600_000 }),
      (ms) => `the vCPU quota is used up for ${ms / 1_000} s`,
    );
    if (exceeded !== null) {
      quotaUntil = addTime(clock.now(), durationMs(exceeded));
    }
    if (faults.stopped() || quotaUntil <= clock.now()) {
      return null;
    }
    const used = scaling
      .groups()
      .reduce((sum, { group: other, instances }) => sum + (instances.length * other.capacity[CPU]!) / 1_000, 0);
    return {
      class: 'Quota',
      code: 'VcpuLimitExceeded',
      message: `You have requested more vCPU capacity than your current vCPU limit of ${used} allows.`,
    };
  };

  const fate = ({ group, zone }: AttemptedLaunch): InstanceFate =>
    faults.strike<InstanceFate>(
      'machine',
      0.12,
      (chance) => {
        switch (chance.within({ min: 0, max: 4 })) {
          case 0:
            return { kind: 'silent' };
          case 1:
            return { kind: 'unready' };
          case 2:
            // A third come when they are about to be given up.
            return {
              kind: 'late',
              by: chance.within(chance.next() < 0.33 ? GIVEN_UP : { min: 10_000, max: Number(minutes(14)) }),
            };
          default: {
            const after = chance.within({ min: 1_000, max: Number(minutes(12)) });
            return after < left() ? { kind: 'vanishing', after } : null;
          }
        }
      },
      (instance) => `the next machine of ${group.name} in ${zone}: ${JSON.stringify(instance)}`,
    ) ?? { kind: 'sound' };

  return {
    ...clusterApiFaults(faults, scenario, reach),
    launch,
    fate,
    podStop: () =>
      lasting(faults, 'stuck pod', 0.08, LONG, (ms) => `a pod is stuck on its way out for ${ms} ms`, left()),
    volumeDetach: () =>
      lasting(faults, 'slow detach', 0.1, LONG, (ms) => `a volume stays attached for ${ms} ms`, left()),
    budgetLag: () =>
      lasting(
        faults,
        'budget lag',
        0.015,
        { min: 20, max: 45_000 },
        (ms) => `a budget is not counted anew for ${ms} ms`,
      ),
    controllerDelay: () =>
      lasting(faults, 'slow controllers', 0.01, { min: 100, max: 60_000 }, (ms) => `a controller comes ${ms} ms later`),
    call: (call) =>
      outages().failure(call.service) ??
      faults.strike(
        'api error',
        meetings.errorAt(call) ?? oftenAt(call, 0.01),
        ({ next }) => errorOf(call, next()),
        words(call),
      ),
    answer: (call) => {
      const error = faults.strike(
        'lost answer',
        oftenAt(call, 0.008),
        () => new ServiceError('Timeout', 'TimeoutError', 'the answer was lost on its way'),
        words(call),
      );
      if (error !== null) {
        meetings.lost(call);
      }
      return error;
    },
    delay: (call) =>
      lasting(
        faults,
        'slow call',
        oftenAt(call, 0.01),
        { min: 500, max: MAX_DELAY_MS },
        (ms) => `${call.operation} takes ${ms} ms more`,
      ),
    listAge: (list) =>
      lasting(
        faults,
        'slow list',
        scenario.oldLists ? 0.5 : 0.01,
        { min: 100, max: MAX_LIST_AGE_MS },
        (ms) => `the list of ${list} is ${ms} ms old when it is there`,
      ),
    nodeName: (gone) =>
      meetings.nodeName(gone) ??
      faults.strike(
        'node name',
        0.3,
        (chance) => gone[chance.within({ min: 0, max: Math.max(0, gone.length - 1) })] ?? null,
        (name) => `the next node is named ${name}, as one was that is gone`,
      ),
    describeLag: () =>
      lasting(
        faults,
        'stale description',
        0.15,
        { min: 1, max: scenario.beyond === 'lag' ? LONG_LAG_MS : MAX_LAG_MS },
        (ms) => `groups are shown as they were ${ms} ms ago`,
      ),
  };
}

/** How long something takes that goes wrong, in milliseconds, and no longer than is left; 0: it goes well. */
const lasting = (
  faults: FaultSource,
  kind: FaultKind,
  probability: number,
  span: Span,
  words: (ms: number) => string,
  left: number = Number.POSITIVE_INFINITY,
): number =>
  faults.strike(kind, probability, (chance) => (left <= 0 ? null : Math.min(left, chance.within(span))), words) ?? 0;

/** Marks that are lost, machines that are long on their way out, other clients that come between a read and a write. */
const clusterApiFaults = (
  faults: FaultSource,
  { faultsUntil }: FaultScenario,
  reach: () => { readonly clock: Clock },
): Pick<WorldFaults, 'isTerminal' | 'deletion' | 'lostMark' | 'conflict'> => ({
  isTerminal: ({ group }) =>
    faults.strike(
      'failed machine',
      0.5,
      () => true,
      () => `the next machine of ${group.name} fails for good`,
    ) !== null,
  deletion: ({ group }) =>
    lasting(
      faults,
      'stuck machine',
      0.1,
      { min: 10_000, max: Number(minutes(10)) },
      (ms) => `a machine of ${group.name} is stuck on its way out for ${ms} ms`,
      faultsUntil - reach().clock.now(),
    ),
  lostMark: () =>
    faults.strike(
      'lost mark',
      0.1,
      (chance) => chance.within({ min: 1, max: 10_000 }),
      (ms) => `the mark of a machine is lost after ${ms} ms`,
    ),
  conflict: () =>
    faults.strike(
      'conflict',
      0.15,
      () => true,
      () => 'another client comes before a scale',
    ) !== null,
});

const words =
  ({ operation }: ApiCall) =>
  (error: Error): string =>
    `${operation}: ${error.message}`;

/** Calls that change something are few, and what befalls them matters more. */
const oftenAt = ({ operation }: ApiCall, probability: number): number =>
  /^(?:Describe|List|Get)/.test(operation) ? probability : 5 * probability;

function errorOf({ service, operation }: ApiCall, chance: number): ServiceError {
  if (/^(?:SetDesiredCapacity|PatchMachine(?:deployments|sets)Scale)$/.test(operation) && chance < 0.15) {
    return new ServiceError('Authorization', 'AccessDenied', 'User is not authorized to perform this operation');
  }
  if (chance < 0.4) {
    return service !== 'autoscaling'
      ? new ServiceError('Throttled', 'TooManyRequests', 'the server is currently unable to handle the request')
      : new ServiceError('Throttled', 'Throttling', 'Rate exceeded');
  }
  return chance < 0.8
    ? new ServiceError('Other', 'InternalFailure', 'We encountered an internal error. Please try again.')
    : new ServiceError('Timeout', 'TimeoutError', 'the call was not answered in time');
}
