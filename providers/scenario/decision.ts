import type {
  Consideration,
  ConsideredOption,
  DaemonLeftOut,
  Decision,
  GroupReport,
  Increase,
  NodeCounts,
  PlanReport,
  PodOutcome,
  PodReason,
  PredictedPlacement,
  Removal,
  Repair,
  SkippedGroup,
  UnexpectedError,
  Unremovable,
} from '../../core/model/decision.ts';
import { manifest, type Manifest } from '../manifest/fields.ts';
import { API_VERSION } from './scenario.ts';
import { writeIncorrectSize, writeRecord, writeState, writeTimeOrNull } from './state.ts';

// Every object is put together field by field: the order of fields is part of the format, and the same decision is to
// be the same bytes wherever it was made.

/** Writes a decision as a document: times in RFC 3339, durations as Go writes them, fields in the documented order. */
export const writeDecision = ({
  name,
  scaleUp,
  scaleDown,
  registry,
  state,
  fit,
  unexpectedErrors,
  omitted,
}: Decision): Manifest => ({
  apiVersion: API_VERSION,
  kind: 'Decision',
  metadata: { name },
  scaleUp: {
    result: scaleUp.result,
    increases: scaleUp.increases.map(writeIncrease),
    pods: scaleUp.pods.map(writePodOutcome),
    upcoming: writeRecord(scaleUp.upcoming, (count) => count),
    skippedGroups: scaleUp.skippedGroups.map(writeSkippedGroup),
    ...(scaleUp.daemonsLeftOut !== undefined && { daemonsLeftOut: scaleUp.daemonsLeftOut.map(writeDaemonLeftOut) }),
    considered: scaleUp.considered.map(writeConsideration),
    plan: scaleUp.plan === null ? null : writePlan(scaleUp.plan),
    predicted: scaleUp.predicted === null ? null : writePredicted(scaleUp.predicted),
  },
  scaleDown: {
    result: scaleDown.result,
    unneeded: scaleDown.unneeded,
    removals: scaleDown.removals.map(writeRemoval),
    unremovable: scaleDown.unremovable.map(writeUnremovable),
    ...(scaleDown.message !== null && { message: scaleDown.message }),
  },
  registry: {
    clusterHealthy: registry.clusterHealthy,
    totals: writeNodeCounts(registry.totals),
    groups: writeRecord(registry.groups, writeGroupReport),
    repairs: registry.repairs.map(writeRepair),
  },
  state: writeState(state),
  ...(fit !== undefined && {
    fit: fit.map(({ pod, nodes }) => ({ pod, nodes: writeRecord(nodes, (verdict) => verdict) })),
  }),
  ...(unexpectedErrors !== undefined && { unexpectedErrors: unexpectedErrors.map(writeUnexpectedError) }),
  ...(omitted !== undefined && { omitted }),
});

/** Without the stack, which is another one in every build. */
const writeUnexpectedError = (error: UnexpectedError): Manifest => {
  const { during, pod, pods, node, group, rule, object, message } = error;
  return manifest({ during, pod, pods, node, group, rule, object, message });
};

const writeIncrease = ({ group, from, to }: Increase): Manifest => ({ group, from, to });

const writePodOutcome = ({ pod, outcome, group, reasons }: PodOutcome): Manifest => ({
  pod,
  outcome,
  ...(group !== undefined && { group }),
  ...(reasons !== undefined && { reasons: reasons.map(writePodReason) }),
});

const writePodReason = ({ group, reason }: PodReason): Manifest => ({ ...(group !== undefined && { group }), reason });

const writeSkippedGroup = ({ group, reason, message, class: failure, until }: SkippedGroup): Manifest => ({
  group,
  reason,
  ...(failure !== undefined && { class: failure }),
  ...(until !== undefined && { until: writeTimeOrNull(until) }),
  ...(message !== undefined && { message }),
});

const writeDaemonLeftOut = ({ daemonSet, group, groups, reason }: DaemonLeftOut): Manifest => ({
  daemonSet,
  group,
  groups,
  reason,
});

const writeConsideration = ({ options, winner, why, split }: Consideration): Manifest => ({
  options: options.map(writeOption),
  winner,
  why,
  split: split.map(writeIncrease),
});

const writePlan = ({ cost, firstFitCost, bound, basis, method, tried }: PlanReport): Manifest => ({
  cost,
  firstFitCost,
  bound,
  basis,
  method,
  tried,
});

const writePredicted = ({ pods, nodes, cost, bought, why }: PredictedPlacement): Manifest => ({
  pods,
  nodes,
  cost,
  bought,
  why,
});

const writeOption = (option: ConsideredOption): Manifest => ({
  group: option.group,
  nodes: option.nodes,
  pods: option.pods,
  waste: option.waste,
  ...(option.priority !== undefined && { priority: option.priority }),
  ...(option.price !== undefined && { price: option.price }),
  ...(option.priceScore !== undefined && { priceScore: option.priceScore }),
  similarGroups: option.similarGroups,
  ...(option.cutShort !== undefined && { cutShort: option.cutShort }),
});

const writeRemoval = ({ node, group, kind, pods, destinations }: Removal): Manifest => ({
  node,
  group,
  kind,
  pods,
  destinations: destinations.map((to) => ({ node: to.node, pods: to.pods })),
});

const writeUnremovable = ({ node, reason, pod, podReason, message }: Unremovable): Manifest => ({
  node,
  reason,
  ...(pod !== undefined && { pod }),
  ...(podReason !== undefined && { podReason }),
  ...(message !== undefined && { message }),
});

const writeNodeCounts = (counts: NodeCounts) => ({
  registered: counts.registered,
  ready: counts.ready,
  unready: counts.unready,
  notStarted: counts.notStarted,
  unregistered: counts.unregistered,
  longUnregistered: counts.longUnregistered,
  deleted: counts.deleted,
  suspended: counts.suspended,
});

const writeGroupReport = (report: GroupReport): Manifest => ({
  healthy: report.healthy,
  target: report.target,
  ...writeNodeCounts(report),
  acceptable: { min: report.acceptable.min, max: report.acceptable.max, current: report.acceptable.current },
  incorrectSize: report.incorrectSize === null ? null : writeIncorrectSize(report.incorrectSize),
  backoffUntil: writeTimeOrNull(report.backoffUntil),
  ...(report.warnings !== undefined && { warnings: [...report.warnings] }),
});

function writeRepair(repair: Repair): Manifest {
  switch (repair.kind) {
    case 'DeleteUnregistered':
    case 'DeleteErrored':
      return { kind: repair.kind, group: repair.group, instance: repair.instance };
    case 'DecreaseTarget':
    case 'IncreaseToMin':
      return { kind: repair.kind, group: repair.group, from: repair.from, to: repair.to };
  }
}
