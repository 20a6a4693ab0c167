import { firstItem } from '@outrigger/core/model/values/existing.ts';
import type {
  Consideration,
  Decision,
  PlanReport,
  PodOutcome,
  Removal,
  ScaleUpDecision,
  Unremovable,
} from '@outrigger/core/model/decision.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
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
import type { ReportRow, ReportSection } from './report.ts';

/** All that a decision says, with its reasons, in the words of events, of `outrigger explain` and of `simulate`. */
export function sectionsOf(scenario: Scenario, decision: Decision): readonly ReportSection[] {
  const { scaleUp, scaleDown, registry, unexpectedErrors = [], departures = [] } = decision;
  return [
    {
      title: 'Unexpected errors',
      rows: unexpectedErrors.map((error) => row(error.during, error.message, [subjectOf(error)])),
    },
    {
      title: 'Leaving nodes',
      rows: departures.map(({ node, notice, deadline }) =>
        row(notice, `${NOTICES[notice].short}, until ${formatTime(deadline)}`, [node]),
      ),
    },
    {
      title: 'Node groups that grow',
      rows: growthOf(scenario, scaleUp).map((growth) => row(growth.group, EVENT_MESSAGES.growing(growth))),
    },
    { title: 'Choices', rows: scaleUp.considered.map(choiceRow) },
    { title: 'Cost', rows: costRows(scaleUp) },
    { title: 'Pods', rows: podRows(scenario, decision) },
    {
      title: 'Skipped node groups',
      rows: scaleUp.skippedGroups.map((one) => row(one.reason, whyGroupSkipped(one), [one.group])),
    },
    { title: 'Headroom', rows: headroomRows(decision) },
    { title: 'Removed nodes', rows: scaleDown.removals.map(removalRow) },
    { title: 'Why nodes stay', rows: stayRows(scaleDown.unremovable) },
    {
      title: 'Repairs',
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
    scheduled === undefined ? [] : [row('capacity schedule', scheduledText(scheduled), [group])],
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
        `${group}: ${counted(nodes, 'node')} for ${counted(pods, 'pod')}${warm === 0 ? '' : `, ${warm} from the warm pool`}`,
    ),
  );

const costRows = ({ plan }: ScaleUpDecision): readonly ReportRow[] =>
  plan === null ? [] : [row('Plan', planText(plan))];

function planText({ cost, bound, basis }: PlanReport): string {
  const unit = basis === 'price' ? '/h' : '/h (estimated from size: no node group has a price)';
  const ratio =
    bound === null || bound === 0 ? '' : `, ${(cost / bound).toFixed(3)} × the lower bound of $${bound.toFixed(3)}/h`;
  return `$${cost.toFixed(3)}${unit}${ratio}`;
}

/** A row for all pods with the same statement: with the message of their event, and the node groups by reason. */
function podRows(scenario: Scenario, decision: Decision): readonly ReportRow[] {
  const keyOf = podKeys();
  // The lines below the message have the details, which end the message of an event.
  const { rejections = [], ...scaleUp } = decision.scaleUp;
  const details = rejectionLinesByPod(rejections);
  const messages = new Map<string, { readonly reason: string; readonly message: string }>(
    [...decisionEvents(scenario, { ...decision, scaleUp }, 0)].flatMap(({ about, reason, message }) =>
      about.kind === 'Pod' ? [[keyOf(about.namespace, about.name), { reason, message }] as const] : [],
    ),
  );
  const alike = new Map<string, { readonly row: Omit<ReportRow, 'subjects'>; readonly pods: string[] }>();
  // Pods of one kind share their list of reasons.
  const texts = new Map<PodOutcome['reasons'], string>();
  for (const { pod, outcome, reasons } of scaleUp.pods) {
    const said = messages.get(pod);
    const why = texts.get(reasons) ?? reasonsText(reasons);
    texts.set(reasons, why);
    const label = said?.reason ?? outcome;
    const text = [
      said?.message ?? POD_OUTCOMES[outcome].short,
      ...(why === '' ? [] : [why]),
      ...(details.get(pod) ?? []),
    ].join('\n');
    const key = `${label}\n${text}`;
    const same = alike.get(key) ?? { row: { label, text }, pods: [] };
    same.pods.push(pod);
    alike.set(key, same);
  }
  return [...alike.values()]
    .map(({ row, pods }) => ({ ...row, subjects: pods }))
    .toSorted((a, b) => b.subjects.length - a.subjects.length || byName(a.text, b.text));
}

/** As `outrigger explain pod` prints them: each reason, then the node groups that it is of. */
const reasonsText = (reasons: PodOutcome['reasons']): string =>
  groupedReasons(reasons ?? [])
    .map((grouped) =>
      grouped.groups.length > 1
        ? `${groupedReasonText(grouped)} (${grouped.groups.join(', ')})`
        : groupedReasonText(grouped),
    )
    .join('\n');

function removalRow(removal: Removal): ReportRow {
  const { node, kind, pods, destinations } = removal;
  const room = destinations.map((one) => `${counted(one.pods, 'pod')} on ${one.node}`).join(', ');
  if (kind === 'empty') {
    return row('ScaleDownEmpty', EVENT_MESSAGES.removingEmpty(removal), [node]);
  }
  const places = room === '' ? '' : `\nRoom for ${room}`;
  return row('ScaleDown', `${EVENT_MESSAGES.removing(removal)}${places}`, [node, ...pods]);
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
