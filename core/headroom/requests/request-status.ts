import { MOST_STATUSES } from '../buffer-status.ts';
import type { Decision, ProvisioningOutcome, ProvisioningReport } from '../../model/decision.ts';
import {
  CHECK_CAPACITY,
  type ProvisioningRequest,
  type RequestStatus,
} from '../../model/cluster/provisioning-request.ts';
import { conditionOf, type WrittenCondition } from '../../model/cluster/status-condition.ts';
import type { Scenario } from '../../model/scenario.ts';
import { clip } from '../../model/values/clip.ts';
import { inTurns } from '../../model/values/fair-shares.ts';
import { mapOptional, presentItems } from '../../model/values/optional.ts';
import type { EpochMs } from '../../model/values/time.ts';
import { PROVISIONING_OUTCOMES } from '../../words/provisioning.ts';
import { groupedReasons, groupedReasonText } from '../../words/pod-reasons.ts';

/** A condition's message is 32 768 characters long at most. */
const LONGEST_MESSAGE = 1_000;

type ConditionContent = Pick<WrittenCondition, 'type' | 'status' | 'reason' | 'message'>;

/**
 * The statuses of the requests that are answered. Types and reasons of conditions are Cluster Autoscaler's
 * (`provisioningrequest/conditions`). Existing conditions stay: a server-side apply would remove conditions that it
 * leaves out.
 */
export function requestStatuses(
  { objects, now }: Pick<Scenario, 'objects' | 'now'>,
  { scaleUp: { provisioningRequests = [] } }: Pick<Decision, 'scaleUp'>,
): readonly RequestStatus[] {
  const byName = new Map(objects.provisioningRequests.map((one) => [`${one.namespace}/${one.name}`, one]));
  const statuses: RequestStatus[] = [];
  for (const report of provisioningRequests) {
    const request = byName.get(report.name);
    const said = mapOptional(request, (known) => saidOf(report, known)) ?? [];
    if (request !== undefined && said.length > 0) {
      statuses.push(statusOf(request, said, now));
    }
  }
  return inTurns(statuses, ({ namespace }) => namespace).slice(0, MOST_STATUSES);
}

function statusOf(request: ProvisioningRequest, said: readonly ConditionContent[], now: EpochMs): RequestStatus {
  const { namespace, name, resourceVersion, generation, conditions } = request;
  const changed = new Set(said.map(({ type }) => type));
  return {
    namespace,
    name,
    resourceVersion,
    conditions: [
      ...conditions
        .filter(({ type }) => !changed.has(type))
        .map((one) => ({ ...one, since: one.since ?? now, observedGeneration: generation })),
      ...said.map((one) => ({ ...one, since: now, observedGeneration: generation })),
    ],
  };
}

const ACCEPTED: ConditionContent = {
  type: 'Accepted',
  status: 'True',
  reason: 'Accepted',
  message: 'ProvisioningRequest is accepted by Outrigger',
};

/** The conditions that an answer changes; none where the request stays as it is. */
function saidOf(report: ProvisioningReport, request: ProvisioningRequest): readonly ConditionContent[] {
  const { outcome } = report;
  const accepted = conditionOf(request, 'Accepted') === undefined ? [ACCEPTED] : [];
  const say = (type: string, status: 'True' | 'False' = 'True'): readonly ConditionContent[] => [
    { type, status, reason: outcome, message: messageOf(report) },
  ];
  switch (outcome) {
    case 'Booked':
    case 'Waiting':
      return [];
    case 'CapacityIsFound':
    case 'CapacityIsProvisioned':
      return [...accepted, ...say('Provisioned')];
    case 'CapacityIsNotFound':
      return [...accepted, ...(isTriedOnce(request) ? say('Failed') : say('Provisioned', 'False'))];
    case 'CapacityBookingConsumed':
    case 'CapacityReservationTimeExpired':
      return say('BookingExpired');
    case 'Expired':
    case 'FailedToCreatePods':
    case 'FailedToBookCapacity':
      return say('Failed');
  }
}

/** Cluster Autoscaler's parameter of the class check-capacity. */
const isTriedOnce = ({ className, parameters }: ProvisioningRequest): boolean =>
  className === CHECK_CAPACITY && parameters['noRetry'] === 'true';

/** Cluster Autoscaler's messages, where they are about the outcome alone. */
const MESSAGES: Readonly<Partial<Record<ProvisioningOutcome, string>>> = {
  CapacityIsFound: 'Capacity is found in the cluster',
  CapacityIsProvisioned: 'Capacity is found in the cluster',
  CapacityReservationTimeExpired: 'Capacity reservation time is expired',
  CapacityBookingConsumed: 'Capacity booking consumed: all pods scheduled',
  Expired: 'ProvisioningRequest is expired',
};

function messageOf({ outcome, message, reasons = [] }: ProvisioningReport): string {
  const why = groupedReasons(reasons).map(groupedReasonText);
  const details = presentItems([...why, message]).join('; ');
  const first = MESSAGES[outcome] ?? PROVISIONING_OUTCOMES[outcome].sentence;
  return clip(details === '' ? first : `${first} ${details}`, LONGEST_MESSAGE);
}
