import { firstItem } from '@outrigger/core/model/values/existing.ts';
import type {
  Consideration,
  Decision,
  PlanReport,
  PodOutcome,
  Removal,
  Unremovable,
} from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { byName, podKeys } from '@outrigger/core/model/values/names.ts';
import { formatTime } from '@outrigger/core/model/values/time.ts';
import { decisionEvents } from '@outrigger/core/words/decision-events.ts';
import { EVENT_MESSAGES, growthOf } from '@outrigger/core/words/event-messages.ts';
import { headroomText, scheduledText } from '@outrigger/core/words/headroom.ts';
import { provisioningText } from '@outrigger/core/words/provisioning.ts';
import { NOTICES } from '@outrigger/core/words/notices.ts';
import { POD_OUTCOMES } from '@outrigger/core/words/outcomes.ts';
import { groupedReasons, groupedReasonText, rejectionLinesByPod } from '@outrigger/core/words/pod-reasons.ts';
import { REPAIRS, repairText } from '@outrigger/core/words/repairs.ts';
import { subjectOf } from '@outrigger/core/words/unexpected-errors.ts';
import { whyGroupSkipped } from '@outrigger/core/words/why-group-skipped.ts';
import { whyNodeStaysInFull } from '@outrigger/core/words/why-node-stays.ts';
import { textIf, presentItems } from '@outrigger/core/model/values/optional.ts';
import type { ReportRow, ReportSection } from './report.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/** All that a decision says, with its reasons, in the words of events, of `outrigger explain` and of `simulate`. */
export function sectionsOf(scenario: Scenario, decision: Decision): readonly ReportSection[] {
  const { scaleUp, scaleDown, registry, unexpectedErrors = [], departures = [] } = decision;
  return [
    {
      title: TITLES.unexpectedErrors,
      rows: unexpectedErrors.map((error) => row(error.during, error.message, [subjectOf(error)])),
    },
    {
      title: TITLES.leaving,
      rows: departures.map(({ node, notice, deadline }) =>
        row(notice, `${NOTICES[notice].short}, until ${formatTime(deadline)}`, [node]),
      ),
    },
    {
      title: TITLES.growingGroups,
      rows: growthOf(scenario, scaleUp).map((growth) => row(growth.group, EVENT_MESSAGES.growing(growth))),
    },
    { title: 'Choices', rows: scaleUp.considered.map(choiceRow) },
    { title: 'Cost', rows: presentItems([scaleUp.plan]).map((plan) => row('Plan', planText(plan))) },
    { title: TITLES.pendingPods, rows: podRows(scenario, decision) },
    {
      title: TITLES.skippedGroups,
      rows: scaleUp.skippedGroups.map((one) => row(one.reason, whyGroupSkipped(one), [one.group])),
    },
    { title: TITLES.headroom, rows: headroomRows(decision) },
    { title: TITLES.removed, rows: scaleDown.removals.map(removalRow) },
    { title: TITLES.kept, rows: stayRows(scaleDown.unremovable) },
    {
      title: TITLES.repairs,
      rows: registry.repairs.map((repair) => row(REPAIRS[repair.kind].short, repairText(repair), [repair.group])),
    },
  ].filter(({ rows }) => rows.length > 0);
}

const row = (label: string, text: string, subjects: readonly string[] = []): ReportRow => ({ label, text, subjects });

const headroomRows = ({
  registry,
  scaleUp: { headroom = [], provisioningRequests = [] },
}: Decision): readonly ReportRow[] => [
  ...Object.entries(registry.groups).flatMap(([group, { scheduledMinimum: scheduled }]) =>
    presentItems([scheduled]).map((one) => row('capacity schedule', scheduledText(one), [group])),
  ),
  ...headroom.map((report) => row(report.source, headroomText(report), [report.name])),
  ...provisioningRequests.map((report) => row('ProvisioningRequest', provisioningText(report), [report.name])),
];

const choiceRow = ({ winner, why, options }: Consideration): ReportRow =>
  row(
    winner,
    `${why}; of ${counted(options.length, 'node group')}`,
    options.map(
      ({ group, nodes, pods, warm = 0 }) =>
        `${group}: ${counted(nodes, 'node')} for ${counted(pods, 'pod')}${textIf(warm !== 0, `, ${warm} from the warm pool`)}`,
    ),
  );

function planText({ cost, bound, basis }: PlanReport): string {
  const unpriced = textIf(basis !== 'price', ' (estimated from size: no node group has a price)');
  const text = `$${cost.toFixed(3)}/h${unpriced}`;
  if (bound === null || bound === 0) {
    return text;
  }
  return `${text}, ${(cost / bound).toFixed(3)} × the lower bound of $${bound.toFixed(3)}/h`;
}

/** A row for all pods with the same statement: with the message of their event, and the node groups by reason. */
function podRows(scenario: Scenario, decision: Decision): readonly ReportRow[] {
  const keyOf = podKeys();
  // The lines below the message have the details, which end the message of an event.
  const { rejections = [], ...scaleUp } = decision.scaleUp;
  const details = rejectionLinesByPod(rejections);
  const messages = new Map<string, { readonly reason: string; readonly message: string }>();
  for (const { about, reason, message } of decisionEvents(scenario, { ...decision, scaleUp }, 0)) {
    if (about.kind === 'Pod') {
      messages.set(keyOf(about.namespace, about.name), { reason, message });
    }
  }
  const alike = new Map<string, { readonly row: Omit<ReportRow, 'subjects'>; readonly pods: string[] }>();
  // Pods of one kind share their list of reasons.
  const texts = new Map<PodOutcome['reasons'], readonly string[]>();
  for (const { pod, outcome, reasons } of scaleUp.pods) {
    const said = messages.get(pod);
    const why = getOrMake(texts, reasons, () => groupedReasons(reasons ?? []).map(reasonLine));
    const label = said?.reason ?? outcome;
    const text = [said?.message ?? POD_OUTCOMES[outcome].short, ...why, ...(details.get(pod) ?? [])].join('\n');
    getOrMake(alike, `${label}\n${text}`, () => ({ row: { label, text }, pods: [] })).pods.push(pod);
  }
  return [...alike.values()]
    .map(({ row, pods }) => ({ ...row, subjects: pods }))
    .toSorted((a, b) => b.subjects.length - a.subjects.length || byName(a.text, b.text));
}

/** As `outrigger explain pod` prints a reason: the reason, then the node groups that it is of. */
function reasonLine(grouped: ReturnType<typeof groupedReasons>[number]): string {
  const text = groupedReasonText(grouped);
  return `${text}${textIf(grouped.groups.length > 1, ` (${grouped.groups.join(', ')})`)}`;
}

function removalRow(removal: Removal): ReportRow {
  const { node, kind, pods, destinations } = removal;
  if (kind === 'empty') {
    return row('ScaleDownEmpty', EVENT_MESSAGES.removingEmpty(removal), [node]);
  }
  const lines = [EVENT_MESSAGES.removing(removal)];
  if (destinations.length > 0) {
    lines.push(`Room for ${destinations.map((one) => `${counted(one.pods, 'pod')} on ${one.node}`).join(', ')}`);
  }
  return row('ScaleDown', lines.join('\n'), [node, ...pods]);
}

/** A row for all nodes that stay for the same reason. */
function stayRows(unremovable: readonly Unremovable[]): readonly ReportRow[] {
  const alike = Map.groupBy(unremovable, (one) => `${one.reason}\n${whyNodeStaysInFull(one)}`);
  return [...alike.values()]
    .map((same) =>
      row(
        firstItem(same).reason,
        whyNodeStaysInFull(firstItem(same)),
        same.map(({ node }) => node),
      ),
    )
    .toSorted((a, b) => b.subjects.length - a.subjects.length || byName(a.label, b.label) || byName(a.text, b.text));
}
