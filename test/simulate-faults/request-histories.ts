import { consumedBy } from '../../core/model/cluster/provisioning-request.ts';
import type { ProvisioningRequest } from '../../core/model/cluster/provisioning-request.ts';
import { isFinished, type Pod } from '../../core/model/cluster/pod.ts';
import { conditionOf, isConditionTrue } from '../../core/model/cluster/status-condition.ts';
import { type EpochMs, minutes, seconds } from '../../core/model/values/time.ts';
import type { SimulatedWorld } from '../../providers/simulated/world.ts';
import { sizesOf } from './drawn-buffers.ts';
import type { DrawnRequest } from './drawn-requests.ts';

/** For how long room is held. */
export const BOOKED = minutes(10);
/** What was there so lately may have been read. */
const READ_AGE_MS = seconds(60);

/** What has become of a request, by its object in the API server. */
export interface RequestHistory {
  readonly drawn: DrawnRequest;
  /** As it is; `null` before it was created and after it was deleted. */
  current: ProvisioningRequest | null;
  /** When it was first said to have its room; `null`: not yet. */
  provisionedAt: EpochMs | null;
  /** When it was failed, its booking expired or it was deleted; `null`: not yet. */
  endedAt: EpochMs | null;
}

/**
 * Follows the requests of a run.
 *
 * @param onChange is told of each object that replaces another one.
 */
export function watchRequests(
  { api, clock }: Pick<SimulatedWorld, 'api' | 'clock'>,
  { requests }: { readonly requests: readonly DrawnRequest[] },
  onChange: (
    history: RequestHistory,
    before: ProvisioningRequest,
    after: ProvisioningRequest | null,
  ) => void = () => {},
): readonly RequestHistory[] {
  const histories = requests.map((drawn): RequestHistory => ({
    drawn,
    current: null,
    provisionedAt: null,
    endedAt: null,
  }));
  if (histories.length > 0) {
    api.watch({
      roomAskers: () => {
        const now = clock.now();
        for (const history of histories) {
          const after = api.roomAskers().provisioningRequests.find(({ name }) => name === history.drawn.name) ?? null;
          const before = history.current;
          if (after === before) {
            continue;
          }
          history.current = after;
          history.provisionedAt ??= after !== null && isConditionTrue(after, 'Provisioned') ? now : null;
          history.endedAt ??= after === null || isOver(after) ? now : null;
          if (before !== null) {
            onChange(history, before, after);
          }
        }
      },
    });
  }
  return histories;
}

/** It is answered for good. */
export const isOver = (request: ProvisioningRequest): boolean =>
  isConditionTrue(request, 'Failed') || isConditionTrue(request, 'BookingExpired');

/** Had its room been held for long enough by then, as the request was read? Its status need not say so yet. */
export const isHeldNoLonger = (request: ProvisioningRequest, now: EpochMs): boolean => {
  const since = conditionOf(request, 'Provisioned')?.since ?? null;
  return since !== null && now - since > BOOKED;
};

/** May an evaluation hold its room, from what it has read? */
export const mayBeBooked = ({ provisionedAt, endedAt }: RequestHistory, now: EpochMs): boolean =>
  provisionedAt !== null && (endedAt === null || now - endedAt <= READ_AGE_MS);

/** May an evaluation look for room for it, from what it has read? */
export const mayBeTried = ({ drawn, provisionedAt, endedAt }: RequestHistory, now: EpochMs): boolean =>
  now >= drawn.from &&
  (endedAt === null || now - endedAt <= READ_AGE_MS) &&
  (provisionedAt === null || now - provisionedAt <= READ_AGE_MS);

/** The pods that have come for a request, and have not run to their end. */
export const consumersOf = ({ drawn }: RequestHistory, pods: readonly Pod[]): readonly Pod[] =>
  pods.filter((pod) => consumedBy(pod) === drawn.name && !isFinished(pod));

/** Units of each pod that has not got its node yet. */
export const missingOf = (history: RequestHistory, pods: readonly Pod[]): readonly number[] => {
  const come = consumersOf(history, pods).filter(({ nodeName }) => nodeName !== null).length;
  return sizesOf(history.drawn).slice(come);
};
