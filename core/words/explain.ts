import { firstNames } from '../model/values/clip.ts';
import { countBy } from '../model/values/counts.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';
import { nonEmpty } from '../model/values/present.ts';
import type { DisruptionReport } from '../model/disruption.ts';
import { WHY_DISRUPTED, WHY_DISRUPTION_CANCELLED } from './disruption.ts';
import { counted } from '../model/values/counted.ts';
import type { Consideration, Decision, DepartureReport, Increase, Removal, SkippedGroup } from '../model/decision.ts';
import { headroomText, isShort } from './headroom.ts';
import { provisioningText } from './provisioning.ts';
import { departureText } from './notices.ts';
import { repairText } from './repairs.ts';
import { SCALE_DOWN_RESULTS, SCALE_UP_RESULTS } from './outcomes.ts';
import { whyGroupSkipped } from './why-group-skipped.ts';

/** Pods, and nodes that stay, that are named in a log line; the stored decision has them all. */
const NAMED = 10;

interface Explanation {
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
  /** Is there anything to say that is not said every minute? */
  readonly remarkable: boolean;
}

/** Says in words what was decided and why: one log line, however many pods there are. */
export function explain(decision: Decision): Explanation {
  const { unexpectedErrors = [], evaluation, registry, departures = [] } = decision;
  const { clusterHealthy, repairs } = registry;
  const up = evaluation === 'ScaleDown' ? null : scaleUpOf(decision);
  const down = evaluation === 'ScaleUp' ? null : scaleDownOf(decision);
  return {
    message: presentItems([
      up?.first,
      unexpectedErrors.length > 0 && counted(unexpectedErrors.length, 'unexpected error'),
      ...leavingNodes(departures),
      ...(up?.parts ?? []),
      ...(down?.parts ?? []),
    ]).join('; '),
    fields: { ...up?.fields, ...down?.fields, clusterHealthy, ...nonEmpty({ departures }) },
    remarkable:
      !clusterHealthy ||
      repairs.length > 0 ||
      departures.length > 0 ||
      decision.scaleUp.pods.length > 0 ||
      decision.scaleUp.increases.length > 0 ||
      decision.scaleDown.removals.length > 0 ||
      (decision.scaleDown.disruptions ?? []).some(({ state }) => state === 'Cancelled'),
  };
}

/** Nodes whose instances AWS ends, and nodes that Outrigger replaces before AWS does. */
function leavingNodes(departures: readonly DepartureReport[]): readonly string[] {
  const { ended = [], replaced = [] } = Object.groupBy(departures, ({ notice }) =>
    notice === 'RebalanceRecommendation' ? 'replaced' : 'ended',
  );
  return presentItems([
    ended.length > 0 && `AWS ends ${firstNames(ended.map(departureText), NAMED)}`,
    replaced.length > 0 && `drains ${firstNames(replaced.map(departureText), NAMED)}`,
  ]);
}

function scaleUpOf(decision: Decision) {
  const {
    result,
    increases,
    pods,
    skippedGroups,
    skippedDaemonSets = [],
    headroom = [],
    provisioningRequests = [],
    considered,
    plan,
  } = decision.scaleUp;
  const { repairs } = decision.registry;
  const unschedulable = pods.filter((pod) => pod.outcome === 'Unschedulable');
  return {
    first: counted(pendingPodCount(decision), 'pending pod'),
    parts: presentItems([
      increases.length > 0 ? `scale up ${increases.map(sizeChange).join(', ')}` : SCALE_UP_RESULTS[result].short,
      ...repairs.map(repairText),
      ...considered.map(choice),
      unschedulable.length > 0 && `no group can hold ${counted(unschedulable.length, 'pod')}`,
      skippedGroups.length > 0 && `skipped ${skippedGroups.map(skippedText).join(', ')}`,
      ...headroom
        .filter(isShort)
        .slice(0, NAMED)
        .map((of) => `headroom ${of.name}: ${headroomText(of)}`),
      ...provisioningRequests
        .filter(({ outcome }) => outcome !== 'Booked' && outcome !== 'Waiting')
        .slice(0, NAMED)
        .map((of) => `ProvisioningRequest ${of.name}: ${provisioningText(of)}`),
      ...skippedDaemonSets
        .slice(0, NAMED)
        .map(({ daemonSet, group, reason }) => `planned ${group} without DaemonSet ${daemonSet} (${reason})`),
    ]),
    fields: {
      result,
      outcomes: Object.fromEntries(countBy(pods, ({ outcome }) => outcome)),
      increases,
      considered: considered.map(({ winner, why, options }) => ({ winner, why, options })),
      plan,
      skippedGroups,
      ...nonEmpty({ headroom }),
      ...nonEmpty({ provisioningRequests: provisioningRequests.slice(0, NAMED) }),
      ...nonEmpty({ skippedDaemonSets }),
      repairs,
      unschedulable: unschedulable.slice(0, NAMED).map(({ pod, reasons = [] }) => ({ pod, reasons })),
    },
  };
}

function scaleDownOf({ evaluation, scaleDown: decided }: Decision) {
  const { removals, unneeded, unremovable, result, message, disruptions = [] } = decided;
  const more = unneeded.length - removals.length;
  const noun = removals.length > 0 ? 'more unneeded node' : 'unneeded node';
  const why = mapOptional(message, (text) => ` (${text})`) ?? '';
  const parts = presentItems([
    removals.length > 0 && `remove ${removals.map(removalText).join(', ')}`,
    ...disruptions.map(disruptionText),
    more > 0 && `${counted(more, noun)}${why}`,
  ]);
  return {
    parts: parts.length === 0 && evaluation === 'ScaleDown' ? [SCALE_DOWN_RESULTS[result].short] : parts,
    fields: {
      scaleDown: result,
      removals: removals.map(({ node, group, kind, pods }) => ({ node, group, kind, pods: pods.length })),
      unneeded: unneeded.length,
      unremovable: unremovable.slice(0, NAMED),
      ...nonEmpty({ disruptions: disruptions.slice(0, NAMED) }),
    },
  };
}

/** The text of a disruption that begins to wait, or is given up: the removals say the rest. */
function disruptionText({ nodes, reason, state, cancelled, replacement }: DisruptionReport): string | undefined {
  const names = nodes.join(', ');
  if (state === 'Cancelled' && cancelled !== undefined) {
    return `replacement of ${names} canceled: ${WHY_DISRUPTION_CANCELLED[cancelled].short}`;
  }
  if (state === 'Waiting') {
    return `${names} (${WHY_DISRUPTED[reason].short}) waits for its replacement in ${replacement ?? 'another node'}`;
  }
  return undefined;
}

/** Pods that wait for a node: all that were looked at but those that fit or do not count. */
export const pendingPodCount = (decision: Decision): number =>
  decision.scaleUp.pods.filter(({ outcome }) => outcome !== 'Fits' && outcome !== 'Ignored').length;

const skippedText = (skipped: SkippedGroup): string => `${skipped.group} (${whyGroupSkipped(skipped)})`;

const sizeChange = ({ group, from, to }: Increase): string => `${group} ${from} → ${to}`;

const removalText = ({ node, kind, pods }: Removal): string =>
  kind === 'empty' ? `${node} (empty)` : `${node} (${counted(pods.length, 'pod')} to move)`;

const choice = ({ winner, why, options }: Consideration): string =>
  `chose ${winner} of ${counted(options.length, 'group')}: ${why}`;
