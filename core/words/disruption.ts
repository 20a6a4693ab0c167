import type { NodeCondition } from '../model/cluster/node.ts';
import type { Unremovable } from '../model/decision.ts';
import { clip } from '../model/values/clip.ts';
import { counted } from '../model/values/counted.ts';
import type { GroupName } from '../model/values/names.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { type EpochMs, formatTime } from '../model/values/time.ts';
import type {
  CostBasis,
  Disruption,
  DisruptionCancelled,
  DisruptionReason,
  DisruptionState,
} from '../model/disruption.ts';
import type { Words } from './words.ts';

export const WHY_DISRUPTED: Readonly<Record<DisruptionReason, Words>> = {
  Empty: { short: 'empty', sentence: 'No pod of the node needs another place.' },
  Underutilized: {
    short: 'not needed, or too expensive',
    sentence: 'The pods of the node fit on other nodes, or on a cheaper node.',
  },
  Drifted: {
    short: 'not as its group is now',
    sentence: 'The node was made from an older configuration of its node group.',
    advice: 'To keep nodes as they are, set driftReplacement to off.',
  },
  Expired: {
    short: 'too old',
    sentence: 'The node is older than its node group allows.',
    advice: 'The option expireAfter sets that age.',
  },
  Unhealthy: {
    short: 'unhealthy',
    sentence: 'The node has not been ready for a while, or reports a problem.',
    advice: 'See its conditions in kubectl describe node.',
  },
};

export const DISRUPTION_STATES: Readonly<Record<DisruptionState, Words>> = {
  Waiting: {
    short: 'waits for its replacement',
    sentence: 'Not all pods of the nodes have capacity on other ready nodes. Nothing is evicted until they have.',
  },
  Ready: {
    short: 'replacement ready, removed now',
    sentence: 'All pods of the nodes have capacity on other ready nodes, so the nodes are drained and removed.',
  },
  Held: {
    short: 'replacement ready, held back',
    sentence:
      'All pods of the nodes have capacity elsewhere. But a limit on removals or a disruption budget is used up, or a pod must complete first.',
    advice: 'See maxScaleDownParallelism, maxDrainParallelism and disruptionBudgets.',
  },
  Cancelled: { short: 'canceled', sentence: 'The replacement is canceled; the nodes are kept. Nothing was evicted.' },
};

export const WHY_DISRUPTION_CANCELLED: Readonly<Record<DisruptionCancelled, Words>> = {
  DeadlineExceeded: {
    short: 'no replacement in time',
    sentence: 'The new node was not ready in time, or the old one was held back until then.',
    advice:
      'Check why instances of the node group do not become ready nodes, or what outrigger explain node says. It is tried again after a while.',
  },
  ReplacementFailed: {
    short: 'the new node failed to launch',
    sentence: 'The node group of the new node failed to launch one, and is left alone for a while.',
    advice: 'See the failure of the node group in outrigger status.',
  },
  NodeGone: { short: 'a node is gone', sentence: 'A node of it is gone, or is being removed for another reason.' },
  ReasonGone: {
    short: 'no reason any more',
    sentence: 'What the nodes were to be replaced for does not hold any more.',
  },
  TurnedOff: { short: 'turned off', sentence: 'The option that asked for it is off.' },
  ZonalShift: {
    short: 'a zone is shifted away from',
    sentence:
      'Traffic is shifted away from the zone of a node of it (ARC zonal shift); or from any zone, and it was to save costs.',
  },
  Paused: {
    short: 'paused',
    sentence: 'Scale-down of a node of it is paused.',
    advice: 'It is considered again when scale-down is resumed.',
  },
  BudgetZero: {
    short: 'disruption budget is 0',
    sentence: 'A disruption budget allows no such disruption, and will not in the time that is left.',
    advice: 'See disruptionBudgets.',
  },
  Unremovable: {
    short: 'a node must be kept',
    sentence: 'A pod, an annotation or a limit keeps a node of it.',
    advice: 'The command outrigger explain node says which.',
  },
};

const UNITS: Readonly<Record<CostBasis, string>> = { price: 'USD per hour', size: 'per hour at reference prices' };

const amountOf = (cost: number, basis: CostBasis): string => `${cost.toFixed(4)} ${UNITS[basis]}`;

/** The words about a disruption, besides its nodes. */
export interface DisruptionSaid extends Omit<Disruption, 'nodes' | 'maxCost'> {
  readonly state: DisruptionState;
  /** Why it was given up; `null` where it was not. */
  readonly cancelled: DisruptionCancelled | null;
  /** The problem of the nodes; `null`: the disruption is for their cost, or the problem is unknown. */
  readonly cause: string | null;
  /** Details of why the disruption waits, is held or was given up; `null` where unknown. */
  readonly message: string | null;
  /** Cancelled disruption: when its nodes may be tried again; `null`: with the next evaluation. */
  readonly leftAloneUntil: EpochMs | null;
}

/** Why nodes are to go, what is launched instead, what that saves and moves, and until when it waits, in one phrase. */
export const disruptionText = (said: DisruptionSaid): string =>
  presentItems([said.cause ?? WHY_DISRUPTED[said.reason].short, ...progressTexts(said), said.message]).join('; ');

function progressTexts(said: DisruptionSaid): readonly string[] {
  const { state, cancelled, replacement, moves, since, deadline, leftAloneUntil } = said;
  const awaited = mapOptional(replacement, (group) => `new nodes of node group ${group}`) ?? 'capacity on other nodes';
  const what = [`${counted(moves, 'pod')} to move`, ...savingTexts(said)];
  switch (state) {
    case 'Waiting':
      return [
        `waits since ${formatTime(since)} for ${awaited}`,
        `until ${formatTime(deadline)} at the latest`,
        ...what,
      ];
    case 'Held':
      return [DISRUPTION_STATES.Held.short, `until ${formatTime(deadline)} at the latest`, ...what];
    case 'Ready':
      return [DISRUPTION_STATES.Ready.short, ...what];
    case 'Cancelled':
      return presentItems([
        presentItems(['canceled', cancelled && WHY_DISRUPTION_CANCELLED[cancelled].short]).join(': '),
        mapOptional(leftAloneUntil, (end) => `left alone until ${formatTime(end)}`),
      ]);
  }
}

function savingTexts({ saving, basis }: DisruptionSaid): readonly string[] {
  if (Math.abs(saving) < LEAST_SHOWN) {
    return [];
  }
  return [saving > 0 ? `saves ${amountOf(saving, basis)}` : `costs ${amountOf(-saving, basis)} more`];
}

/** Smaller amounts read as zero. */
const LEAST_SHOWN = 0.000_05;

/** More about a disruption. */
export const DISRUPTION_MESSAGES = {
  unhealthy: ({ type, status, since }: NodeCondition): string =>
    `condition ${type} is ${status}${mapOptional(since, (time) => ` since ${formatTime(time)}`) ?? ''}`,
  drifted: (how: string): string => `drifted: ${clip(how)}`,
  expired: (at: EpochMs): string => `expired at ${formatTime(at)}`,
  podsComeFirst: (pod: string): string => `pod ${pod} is pending, and would have no node together with it`,
  roomComesFirst: (asker: string): string => `the room that ${asker} asks for would not be available together with it`,
  roomNotReady: (asker: string): string => `the capacity of ${asker} is not on a ready node yet`,
  scaleUpFailed: (): string => 'scale-up has failed, so no replacement is launched',
  podsWithoutPlace: (pods: number): string =>
    `${pods === 1 ? 'a pod has' : `${pods} pods have`} no capacity on a ready node yet`,
  daemonMissing: (node: string, daemonSet: string): string =>
    `DaemonSet ${daemonSet} has no ready pod on node ${node} yet`,
  groupFails: (group: string): string => `node group ${group} fails to launch nodes`,
  keptBy: ({ reason, pod, podReason, message }: Unremovable): string =>
    presentItems([presentItems([reason, pod && `pod ${pod}`, podReason]).join(', '), message]).join(': '),
  asAWhole: (group: GroupName): string =>
    `node group ${group} is scaled as a whole, so it is not replaced node by node`,
  awaitsCompletion: (): string => 'its replacement is not launched until its pods that must complete have done so',
  takesPods: (): string => 'pods of removed nodes would move to it',
  noPlace: (): string => 'its pods would fit neither on other nodes nor on a new one',
  groupWouldShrink: (group: GroupName): string =>
    `its pods fit on other nodes, and node group ${group} would be smaller than its minimum`,
  groupIsAtMinimum: (group: GroupName): string =>
    `node group ${group} would be smaller than its minimum, and the new node would be of another group`,
  awaitsNode: (group: GroupName): string =>
    `without it node group ${group} would have fewer ready nodes than its minimum: a new node is not ready yet`,
  manyWait: (): string => 'as many nodes wait for their replacement as maxDrainParallelism allows',
  tooManyUnhealthy: (): string => 'unhealthy, as are more than 20 % of the nodes of its group or of the cluster',
  pricesChanged: (): string => 'the prices that it was found by are not known any more',
  tooDear: (cost: number, most: number, basis: CostBasis): string =>
    `the nodes for its pods would cost ${amountOf(cost, basis)} now, more than ${amountOf(most, basis)}`,
} as const;
