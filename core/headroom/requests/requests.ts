import {
  BEST_EFFORT_ATOMIC,
  CHECK_CAPACITY,
  type ProvisioningRequest,
} from '../../model/cluster/provisioning-request.ts';
import type { Pod } from '../../model/cluster/pod.ts';
import { conditionOf, isConditionTrue } from '../../model/cluster/status-condition.ts';
import { type QuotaLedger, unnamedText, type RequestedPods } from '../quota-ledger.ts';
import { MAX_VIRTUAL_PODS, type NamespaceHeadroom, oldestFirst } from '../virtual-pods.ts';
import type { Scenario } from '../../model/scenario.ts';
import { inTurns } from '../../model/values/fair-shares.ts';
import { addTime, type DurationMs, durationMs, type EpochMs, minutes, seconds } from '../../model/values/time.ts';
import { consumersIn, requestedPodCount, requestedPods, withoutConsumers } from './requested-pods.ts';

/** How long room that was found is held for the pods that are to come. */
const BOOKING_TIME = minutes(10);
/** How long room is looked for. */
const EXPIRATION_TIME = minutes(7 * 24 * 60);
/** When room that was not found is looked for again: at first, and at the latest. */
export const FIRST_RETRY = minutes(1);
export const LAST_RETRY = minutes(10);
/** Most requests that one evaluation looks for room for. */
export const MOST_REQUESTS_TRIED = 20;

/** The step for a request in this evaluation. */
type RequestStep =
  /** Room is looked for: all of it, or none is taken. */
  | { readonly kind: 'try'; readonly sets: readonly RequestedPods[] }
  /** The request has got its capacity, which is held for its pods that have not come yet. */
  | { readonly kind: 'book'; readonly sets: readonly RequestedPods[] }
  /** Nothing was found lately, or others come first. */
  | { readonly kind: 'wait'; readonly until: EpochMs | null }
  /** A limit of its namespace forbids its pods. */
  | { readonly kind: 'refuse'; readonly message: string }
  | {
      readonly kind: 'end';
      readonly outcome:
        | 'CapacityBookingConsumed'
        | 'CapacityReservationTimeExpired'
        | 'Expired'
        | 'FailedToCreatePods'
        | 'FailedToBookCapacity';
      /** In words; `null` where the outcome says it all. */
      readonly message: string | null;
    };

export interface OpenRequest {
  readonly request: ProvisioningRequest;
  /** Namespace and name. */
  readonly name: string;
  /** Number of pods. */
  readonly wanted: number;
  readonly step: RequestStep;
}

const isOurs = ({ className }: ProvisioningRequest): boolean =>
  className === CHECK_CAPACITY || className === BEST_EFFORT_ATOMIC;

const hasEnded = (request: ProvisioningRequest): boolean =>
  isConditionTrue(request, 'Failed') || isConditionTrue(request, 'BookingExpired');

/**
 * The requests without a final answer, with the step for each; the oldest first. The conditions of a request are its
 * only state. Follows Cluster Autoscaler's processors/provreq, but for the backoff, which is reckoned from the
 * conditions: the pause is as long as room was looked for before.
 *
 * Booked capacity is a promise: no other request takes the capacity back. It counts against the ResourceQuotas and
 * `maxHeadroomPerNamespace` of its namespace before anything else does.
 */
export function openRequests(
  { objects, options, now }: Pick<Scenario, 'objects' | 'options' | 'now'>,
  quotas: QuotaLedger,
  headroom: NamespaceHeadroom,
): readonly OpenRequest[] {
  if (!options.provisioningRequests) {
    return [];
  }
  const requests = objects.provisioningRequests.filter((request) => isOurs(request) && !hasEnded(request));
  if (requests.length === 0) {
    return [];
  }
  const consumers = consumersIn(objects);
  const open = requests.toSorted(oldestFirst).map((request): OpenRequest => {
    const { namespace, podSets } = request;
    const name = `${namespace}/${request.name}`;
    const step = isConditionTrue(request, 'Provisioned')
      ? bookedStep(request, consumers.get(name) ?? [], objects, now)
      : pendingStep(request, objects, now);
    return { request, name, wanted: requestedPodCount(podSets), step };
  });
  for (const { request, step } of open) {
    if (step.kind === 'book') {
      use(step.sets, request.namespace, quotas, headroom);
    }
  }
  return withinTrials(open, quotas, headroom);
}

function use(
  sets: readonly RequestedPods[],
  namespace: string,
  quotas: QuotaLedger,
  headroom: NamespaceHeadroom,
): void {
  for (const set of sets) {
    quotas.use({ namespace, ...set }, set.count);
    headroom.use(namespace, set.count);
  }
}

/** Why the namespace may not have all of these pods, in words; `null` if it may: then the pods are counted. */
function refusalOf(
  { namespace, podSets }: ProvisioningRequest,
  sets: readonly RequestedPods[],
  quotas: QuotaLedger,
  headroom: NamespaceHeadroom,
): string | null {
  const wanted = requestedPodCount(podSets);
  const left = headroom.left(namespace);
  if (wanted > left) {
    return `maxHeadroomPerNamespace leaves namespace ${namespace} ${left} of ${wanted} pods`;
  }
  for (const [i, set] of sets.entries()) {
    const granted = quotas.grantFor({ namespace, ...set });
    if (granted.count < set.count) {
      for (const before of sets.slice(0, i)) {
        quotas.use({ namespace, ...before }, -before.count);
      }
      return granted.unnamed.length > 0
        ? unnamedText(granted)
        : `ResourceQuota ${granted.quotas.join(', ')} of namespace ${namespace} leaves ${granted.count} of ${set.count} pods`;
    }
    quotas.use({ namespace, ...set }, set.count);
  }
  headroom.use(namespace, wanted);
  return null;
}

function bookedStep(
  request: ProvisioningRequest,
  consumers: readonly Pod[],
  objects: Scenario['objects'],
  now: EpochMs,
): RequestStep {
  if (consumers.length >= requestedPodCount(request.podSets)) {
    return { kind: 'end', outcome: 'CapacityBookingConsumed', message: null };
  }
  const since = provisionedSince(request);
  if (since !== null && now - since > BOOKING_TIME) {
    return { kind: 'end', outcome: 'CapacityReservationTimeExpired', message: null };
  }
  const sets = requestedPods(request, objects);
  if (!sets.ok) {
    return { kind: 'end', outcome: 'FailedToBookCapacity', message: sets.error };
  }
  return { kind: 'book', sets: withoutConsumers(sets.value, consumers) };
}

function pendingStep(request: ProvisioningRequest, objects: Scenario['objects'], now: EpochMs): RequestStep {
  if (request.createdAt !== null && now - request.createdAt > validityOf(request)) {
    return { kind: 'end', outcome: 'Expired', message: null };
  }
  const sets = requestedPods(request, objects);
  if (!sets.ok) {
    return { kind: 'end', outcome: 'FailedToCreatePods', message: sets.error };
  }
  const until = retryAt(request);
  if (until !== null && until > now) {
    return { kind: 'wait', until };
  }
  return { kind: 'try', sets: sets.value };
}

const VALID_UNTIL = 'ValidUntilSeconds';

/** How long room is looked for. A parameter that is no number of seconds counts for nothing. */
function validityOf({ className, parameters }: ProvisioningRequest): DurationMs {
  const given = parameters[VALID_UNTIL] ?? '';
  if (className !== BEST_EFFORT_ATOMIC || !/^\d{1,9}$/.test(given)) {
    return EXPIRATION_TIME;
  }
  return durationMs(Math.min(seconds(Number(given)), EXPIRATION_TIME));
}

/** When room is to be looked for again; `null` before the first time. */
function retryAt(request: ProvisioningRequest): EpochMs | null {
  const tried = provisionedSince(request);
  if (tried === null) {
    return null;
  }
  const accepted = conditionOf(request, 'Accepted')?.since ?? tried;
  return addTime(tried, durationMs(Math.min(Math.max(tried - accepted, FIRST_RETRY), LAST_RETRY)));
}

/**
 * The requests to try: one of each namespace comes first, then the second ones, and so on; in a namespace the one that
 * was tried longest ago. Requests beyond what one evaluation tries wait.
 */
function withinTrials(
  open: readonly OpenRequest[],
  quotas: QuotaLedger,
  headroom: NamespaceHeadroom,
): readonly OpenRequest[] {
  const booked = open.filter(({ step }) => step.kind === 'book');
  let pods = MAX_VIRTUAL_PODS - booked.reduce((sum, { wanted }) => sum + wanted, 0);
  let tried = 0;
  const steps = new Map<OpenRequest, RequestStep>();
  const toTry = open.filter(isToTry).sort((a, b) => triedAt(a) - triedAt(b));
  for (const one of inTurns(toTry, ({ request }) => request.namespace)) {
    if (one.wanted > pods || tried === MOST_REQUESTS_TRIED) {
      steps.set(one, { kind: 'wait', until: null });
      continue;
    }
    const message = refusalOf(one.request, one.step.sets, quotas, headroom);
    if (message !== null) {
      steps.set(one, { kind: 'refuse', message });
      continue;
    }
    pods -= one.wanted;
    tried += 1;
  }
  return open.map((one) => ({ ...one, step: steps.get(one) ?? one.step }));
}

/** When capacity for the request was last looked for; 0 before the first time. */
const triedAt = ({ request }: OpenRequest): number => provisionedSince(request) ?? 0;

const provisionedSince = (request: ProvisioningRequest): EpochMs | null =>
  conditionOf(request, 'Provisioned')?.since ?? null;

const isToTry = (
  one: OpenRequest,
): one is OpenRequest & { readonly step: { readonly sets: readonly RequestedPods[] } } => one.step.kind === 'try';
