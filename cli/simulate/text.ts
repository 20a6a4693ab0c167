import { firstNames } from '@outrigger/core/model/values/clip.ts';
import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { printable } from '@outrigger/core/model/values/printable.ts';
import type {
  Consideration,
  ConsideredOption,
  SkippedDaemonSet,
  Decision,
  DepartureReport,
  HeadroomReport,
  Increase,
  NoticeReport,
  PodFit,
  PodOutcomeKind,
  PodReason,
  ProvisioningReport,
  Repair,
  ScaleUpDecision,
  SkippedGroup,
  UnexpectedError,
} from '@outrigger/core/model/decision.ts';
import { type NodeGroup, nodePricesOf } from '@outrigger/core/model/node-group.ts';
import { itemsIf, mapOptional, presentItems, textIf } from '@outrigger/core/model/values/optional.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import { formatTime } from '@outrigger/core/model/values/time.ts';
import { rejectionLinesByPod } from '@outrigger/core/words/pod-reasons.ts';
import { headroomText } from '@outrigger/core/words/headroom.ts';
import { provisioningText } from '@outrigger/core/words/provisioning.ts';
import { NOTICES, noticeText } from '@outrigger/core/words/notices.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import { subjectOf } from '@outrigger/core/words/unexpected-errors.ts';
import { SCALE_UP_RESULTS } from '@outrigger/core/words/outcomes.ts';
import { REPAIRS } from '@outrigger/core/words/repairs.ts';
import { whyGroupSkipped } from '@outrigger/core/words/why-group-skipped.ts';
import { WHY_POD_DOES_NOT_FIT } from '@outrigger/core/words/why-pod-does-not-fit.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { page, type PageSection } from '../explain/show/page.ts';
import { columnTable } from '../terminal/table.ts';
import { percent, shortName } from '../terminal/text.ts';
import { wrap } from '../terminal/wrap.ts';
import { columns, titled } from '../terminal/layout.ts';
import { tellRegistry } from './registry.ts';
import { tellScaleDown } from './scale-down.ts';
import { TITLES } from '@outrigger/core/explanation/titles.ts';

/** The number of options of one choice that are shown, best first. */
const MOST_OPTIONS = 12;

/**
 * A decision as text: the node groups that grow, the options that were considered and why the winner won, the pods by
 * outcome and reason; then the nodes that are removed, and why the others stay.
 *
 * @param width columns of a line; a single word may be longer.
 * @param groups the node groups, for what removed nodes cost; without them it is not said.
 */
export function decisionText(decision: Decision, width: number, groups: readonly GroupPrice[] = []): string {
  const { name, scaleUp, registry } = decision;
  const { increases, considered, skippedGroups, upcoming, skippedDaemonSets = [], headroom = [] } = scaleUp;
  const { provisioningRequests = [] } = scaleUp;
  const sections: readonly PageSection[] = [
    wrap(`${name || 'Scenario'}: ${inShort(decision, groups)}`, width),
    titled(TITLES.unexpectedErrors, columns((decision.unexpectedErrors ?? []).map(failed), width)),
    titled(TITLES.leaving, columns((decision.departures ?? []).map(leaving), width)),
    titled(TITLES.notices, columns((decision.notices ?? []).map(announced), width)),
    titled(TITLES.growingGroups, columnTable(increases.map(growth), ['left', 'left', 'right'])),
    ...considered.map((choice, i) => tellChoice(choice, i, considered.length, width)),
    titled('Plan', columns(costRows(scaleUp), width)),
    titled(
      'Upcoming nodes',
      columnTable(Object.entries(upcoming).map(([group, nodes]) => [group, counted(nodes, 'node')])),
    ),
    titled(TITLES.headroom, columns(headroom.map(held), width)),
    titled('ProvisioningRequests', columns(provisioningRequests.map(answered), width)),
    titled(TITLES.skippedGroups, columns(skippedGroups.map(skipped), width)),
    titled('DaemonSets that new nodes are planned without', columns(skippedDaemonSets.map(withoutDaemon), width)),
    titled(TITLES.pendingPods, columns(podRows(scaleUp), width, ['left', 'right'])),
    titled('Existing nodes', columns(fitRows(decision.fit ?? []), width, ['right'])),
    tellRegistry(decision),
    titled(TITLES.repairs, columnTable(registry.repairs.map(repair))),
    ...tellScaleDown(decision, width),
  ];
  return printable(page(sections));
}

/** A node group with the prices of its nodes, with those that options state. */
type GroupPrice = Pick<NodeGroup, 'name' | 'price' | 'prices'>;

/** The decision in short: nodes that are added, or else nodes that are removed. */
function inShort({ scaleUp: { result }, scaleDown: { removals } }: Decision, groups: readonly GroupPrice[]): string {
  if (removals.length === 0 || (result !== 'NotNeeded' && result !== 'NotEvaluated')) {
    return `${result}, ${SCALE_UP_RESULTS[result].short}`;
  }
  const prices = new Map(groups.map((group) => [group.name, nodePricesOf(group).saved]));
  const planned = `Planned, ${counted(removals.length, 'node')} to be removed`;
  const saved = removals.map(({ group }) => prices.get(group) ?? null);
  if (saved.includes(null)) {
    return planned;
  }
  return `${planned}, which saves ${perHour(saved.reduce<number>((sum, price) => sum + (price ?? 0), 0))}`;
}

const leaving = ({ node, notice, deadline }: DepartureReport): readonly string[] => [
  node,
  `until ${formatTime(deadline)}`,
  NOTICES[notice].short,
];

const announced = (report: NoticeReport): readonly string[] => [report.node ?? report.instance, noticeText(report)];

const withoutDaemon = ({ daemonSet, group, groups, reason }: SkippedDaemonSet): readonly string[] => [
  daemonSet,
  `${groups === 1 ? group : `${group} and ${counted(groups - 1, 'other group')}`}: ${reason}`,
];

/** The step, the object and the message of the error. */
const failed = (error: UnexpectedError): readonly string[] => [error.during, subjectOf(error), error.message];

const growth = ({ group, from, to }: Increase): readonly string[] => [group, `${from} → ${to}`, `+${to - from}`];

const indented = (line: string): string => `  ${line}`;

function tellChoice(
  { options, winner, why, split, unbalanced = [] }: Consideration,
  index: number,
  of: number,
  width: number,
): readonly string[] {
  const shown = bestFirst(options, winner).slice(0, MOST_OPTIONS);
  const more = options.length - shown.length;
  const figures = FIGURES.filter(({ of: figure }) => shown.some((option) => figure(option) !== ''));
  const heading = ['', 'Group', ...figures.map(({ title }) => title)];
  const rows = shown.map((option) => [
    textIf(option.group === winner, '→'),
    option.group,
    ...figures.map(({ of: figure }) => figure(option)),
  ]);
  const shares = split.map(({ group, from, to }) => `${group} ${from} → ${to}`);
  return [
    ...wrap(`${of === 1 ? 'Choice' : `Choice ${index + 1} of ${of}`}: ${winner}. ${why}`, width),
    ...columns([heading, ...rows], width - 2, ['left', 'left', ...figures.map(({ align }) => align)]).map(indented),
    ...itemsIf(more > 0, [`     and ${counted(more, 'group')} more`]),
    ...itemsIf(split.length > 1, wrap(`Balanced: ${shares.join(', ')}`, width - 2).map(indented)),
    ...unbalanced.flatMap(({ group, reason }) =>
      wrap(`Not balanced with ${group}: ${reason}`, width - 2).map(indented),
    ),
  ];
}

function costRows({ plan }: ScaleUpDecision): readonly (readonly string[])[] {
  if (plan === null) {
    return [];
  }
  const { cost, bound, basis } = plan;
  const ratio =
    bound === null || bound === 0 ? '' : `, ${(cost / bound).toFixed(3)} × the lower bound (${perHour(bound)})`;
  return [
    [
      'Cost',
      `${perHour(cost)}${textIf(basis !== 'price', ' (estimated from size: no node group has a price)')}${ratio}`,
    ],
  ];
}

const perHour = (usd: number): string => `$${usd.toFixed(3)}/h`;

/** The winner first, then by priority, price score and waste; options with an incomplete estimate come last. */
const bestFirst = (options: readonly ConsideredOption[], winner: string): readonly ConsideredOption[] =>
  options.toSorted(
    (a, b) =>
      Number(b.group === winner) - Number(a.group === winner) ||
      Number(a.incomplete ?? false) - Number(b.incomplete ?? false) ||
      (b.priority ?? Number.NEGATIVE_INFINITY) - (a.priority ?? Number.NEGATIVE_INFINITY) ||
      (a.priceScore ?? 0) - (b.priceScore ?? 0) ||
      a.waste - b.waste ||
      byName(a.group, b.group),
  );

interface Figure {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly of: (option: ConsideredOption) => string;
}

/** The figures of an incomplete estimate are lower bounds, marked with `+`. */
const bounded = (figure: string, incomplete = false): string => `${figure}${textIf(incomplete, '+')}`;

const FIGURES: readonly Figure[] = [
  { title: 'Nodes', align: 'right', of: ({ nodes, incomplete }) => bounded(`${nodes}`, incomplete) },
  { title: 'Pods', align: 'right', of: ({ pods, incomplete }) => bounded(`${pods}`, incomplete) },
  { title: 'Unused', align: 'right', of: ({ waste, incomplete }) => bounded(percent(waste / 2), incomplete) },
  { title: 'Priority', align: 'right', of: ({ priority }) => priority?.toString() ?? '' },
  { title: 'Price', align: 'right', of: ({ price }) => mapOptional(price, perHour) ?? '' },
  { title: 'Price score', align: 'right', of: ({ priceScore }) => priceScore?.toFixed(2) ?? '' },
  { title: 'Warm', align: 'right', of: ({ warm }) => warm?.toString() ?? '' },
  { title: '', align: 'left', of: ({ incomplete }) => textIf(incomplete === true, 'incomplete') },
  { title: 'Similar groups', align: 'left', of: ({ similarGroups }) => firstNames(similarGroups) },
];

const skipped = (one: SkippedGroup): readonly string[] => [one.group, one.reason, whyGroupSkipped(one)];

const ORDER: readonly PodOutcomeKind[] = [
  'Triggered',
  'Awaiting',
  'Unschedulable',
  'UnexpectedError',
  'Fits',
  'Ignored',
];

/** A row for all pods with the same outcome for the same reasons: outcome, count, names, reasons and what new nodes lack. */
function podRows({ pods, rejections = [] }: ScaleUpDecision): readonly (readonly string[])[] {
  const lines = rejectionLinesByPod(rejections);
  const alike = Map.groupBy(pods, ({ pod, outcome, group, reasons }) =>
    JSON.stringify([outcome, group, reasons, lines.get(pod)]),
  );
  return [...alike.values()]
    .map((same) => ({ ...firstItem(same), same }))
    .toSorted((a, b) => ORDER.indexOf(a.outcome) - ORDER.indexOf(b.outcome) || byName(a.pod, b.pod))
    .map(({ pod: first, outcome, group, reasons = [], same }) => {
      const node = mapOptional(group, (name) => `a new node of ${name}`);
      const why = presentItems([node, ...inWords(reasons)]).join('; ');
      const names = firstNames(same.map(({ pod }) => shortName(pod)));
      const row = why === '' ? names : `${names}: ${why}`;
      return [outcome, String(same.length), [row, ...(lines.get(first) ?? [])].join('\n')];
    });
}

/** Groups with the same reason together: `Insufficient cpu (web-a, web-b)`. */
function inWords(reasons: readonly PodReason[]): readonly string[] {
  const byReason = Map.groupBy(reasons, ({ reason }) => reason);
  return [...byReason].map(([reason, same]) => {
    const groups = same.flatMap(({ group }) => group ?? []);
    return `${reason}${textIf(groups.length > 0, ` (${firstNames(groups)})`)}`;
  });
}

/** A row for all pods with the same verdicts of the nodes: count, names and verdicts. */
function fitRows(fit: readonly PodFit[]): readonly (readonly string[])[] {
  const alike = Map.groupBy(fit, ({ nodes }) => JSON.stringify(Object.entries(nodes)));
  return [...alike.values()].map((same) => {
    const verdicts = Map.groupBy(Object.entries(firstItem(same).nodes), ([, verdict]) => verdict);
    const said = [...verdicts]
      .toSorted(([a], [b]) => Number(b === 'ok') - Number(a === 'ok') || byName(a, b))
      .map(([verdict, nodes]) => `${fitText(verdict)} on ${firstNames(nodes.map(([node]) => node))}`);
    return [
      String(same.length),
      `${firstNames(same.map(({ pod }) => shortName(pod)))}: ${said.join('; ') || 'no nodes'}`,
    ];
  });
}

const answered = (of: ProvisioningReport): readonly string[] => [of.name, provisioningText(of)];

const held = (of: HeadroomReport): readonly string[] => [of.name, headroomText(of)];

/** `ok`, or the scheduler plugin that rejects the pod: `TaintToleration (untolerated taint)`. */
function fitText(verdict: string): string {
  const words = valueOf<string, { readonly short: string }>(WHY_POD_DOES_NOT_FIT, verdict);
  return `${verdict}${mapOptional(words, ({ short }) => ` (${short})`) ?? ''}`;
}

function repair(of: Repair): readonly string[] {
  switch (of.kind) {
    case 'DeleteUnregistered':
    case 'DeleteErrored':
    case 'DeleteIncomplete':
      return [of.kind, of.group, of.instance, REPAIRS[of.kind].short];
    case 'DecreaseTarget':
    case 'IncreaseToMin':
      return [of.kind, of.group, `${of.from} → ${of.to}`, REPAIRS[of.kind].short];
  }
}
