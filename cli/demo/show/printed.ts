import { chart } from './chart.ts';
import { longReason, shortNode } from './node-words.ts';
import type {
  BudgetSummary,
  Percentiles,
  RecordingGroup,
  Recording,
  Summary,
} from '@outrigger/simulation/recording/recording.ts';
import type { ProviderName } from '@outrigger/core/model/provider.ts';
import { counted, pluralOf } from '@outrigger/core/model/values/counted.ts';
import { mapOptional, textIf, itemsIf } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { columnTable } from '../../terminal/table.ts';
import { clockTime } from '../../terminal/clock-time.ts';
import { fitted, length, NARROW, shortName, type Style, TINY } from '../../terminal/text.ts';
import { wrap } from '../../terminal/wrap.ts';
import { stuckText } from './decision-words.ts';
import { zonesOf } from './group-bars.ts';
import { recordingStory } from './story.ts';

const CLUSTER: Readonly<Record<ProviderName, string>> = {
  aws: 'EKS cluster',
  clusterapi: 'cluster of Cluster API',
};
const SIZES: Readonly<Record<ProviderName, string>> = {
  aws: 'sizes of the Auto Scaling groups',
  clusterapi: 'replicas of the MachineDeployments, those of the namespace default',
};

/** All lines of a recording: the node groups, the story, a chart of the nodes, the summary. */
export const printed = (recording: Recording, style: Style): string =>
  `${[
    ...introduction(recording, style),
    ...recordingStory(recording, style).flatMap((beat) => beat.lines),
    ...conclusion(recording, style),
  ].join('\n')}\n`;

/** The lines before the story: the node groups, and what the symbols mean. */
function introduction({ metadata, provider, seed, nodeGroups }: Recording, style: Style): readonly string[] {
  const { colors, width } = style;
  const narrow = width < NARROW;
  const there = `${colors.green('■')} ready`;
  const coming = `${colors.yellow('□')} upcoming`;
  const leaving = `${colors.red('▨')} being removed`;
  const room = `${colors.dim('·')} room to grow`;
  return [
    `${colors.bold('Outrigger')} ${colors.dim(`demo · ${metadata.name} · seed ${seed}`)}`,
    '',
    ...wrap(
      `A simulated ${CLUSTER[provider]} on a virtual clock, scaled by the functions that run on AWS: when the scheduler ` +
        'finds no node for a pod, its event calls the ingest function; scale-up evaluates the cluster and decides; ' +
        `actuate sets the ${SIZES[provider]}; scale-down drains and terminates nodes that are no longer needed. No part ` +
        'of Outrigger runs in the cluster.',
      Math.min(width, 100) - 1,
    ),
    '',
    ...groupTable(nodeGroups, style),
    '',
    ...(narrow ? [`${there}  ${coming}`, `${leaving}  ${room}`] : [[there, coming, leaving, room].join('  ')]),
    '',
  ];
}

interface Column {
  readonly title: string;
  readonly align: 'left' | 'right';
  readonly cell: (group: RecordingGroup) => string;
  /** Absent: always. */
  readonly isShown?: boolean;
}

/** The node groups, with what a terminal of this width has room for. */
function groupTable(groups: readonly RecordingGroup[], { colors, width }: Style): readonly string[] {
  const columns: readonly Column[] = [
    { title: 'group', align: 'left', cell: ({ name }) => fitted(name, width) },
    { title: 'zone', align: 'left', cell: zonesOf, isShown: width >= NARROW },
    { title: 'type', align: 'left', cell: ({ instanceType }) => instanceType },
    { title: 'nodes', align: 'right', cell: ({ desiredSize }) => `${desiredSize}` },
    { title: 'min–max', align: 'right', cell: ({ minSize, maxSize }) => `${minSize}–${maxSize}` },
    {
      title: 'warm pool',
      align: 'right',
      cell: warmPoolText,
      isShown: groups.some(({ warmPool }) => warmPool !== undefined),
    },
    { title: 'price', align: 'right', cell: priceText, isShown: width >= TINY },
  ];
  const shown = columns.filter(({ isShown = true }) => isShown);
  return columnTable(
    [shown.map(({ title }) => colors.dim(title)), ...groups.map((group) => shown.map(({ cell }) => cell(group)))],
    shown.map(({ align }) => align),
  );
}

const warmPoolText = ({ warmPool }: RecordingGroup): string =>
  mapOptional(warmPool, ({ size, state }) => `${size} ${state.toLowerCase()}`) ?? '';

const priceText = ({ price }: RecordingGroup): string => mapOptional(price, (usd) => `$${usd}/h`) ?? '';

/** The lines after the story: a chart of the nodes, and the summary. */
function conclusion(recording: Recording, style: Style): readonly string[] {
  const { summary } = recording;
  const { colors, width } = style;
  const rows = [...Object.entries(summaryFacts(summary, width < NARROW)), ...keptRows(recording)];
  const left = Math.max(...rows.map(([title]) => title.length)) + 2;
  return [
    '',
    colors.bold('Nodes'),
    ...chart(recording, style),
    '',
    colors.bold('Summary'),
    ...columnTable(
      rows.map(([title, value]) => [
        colors.dim(title),
        wrap(value, Math.max(20, Math.min(width, 100) - left - 1)).join('\n'),
      ]),
    ),
    ...itemsIf(summary.end === 'time is up', ['', 'The time limit was reached before the cluster settled.']),
    ...summary.stuck.flatMap((stuck) => [
      '',
      ...wrap(`Still pending: ${pendingText(stuck)}`, Math.min(width, 100) - 1).map((line) => colors.yellow(line)),
    ]),
  ];
}

/** The rows of the summary but for nodes that stay, by their titles. */
const summaryFacts = (summary: Summary, narrow: boolean) => {
  const { pods, pendingToDecision, pendingToRunning, evictions } = summary;
  const pending = textIf(pods.pending > 0, `, ${pods.pending} still pending`);
  return present({
    'virtual time': clockTime(summary.seconds),
    'pods placed': `${pods.placed} of ${pods.created}${pending}`,
    'waited for a node': `${pods.waited}`,
    'pending → decided': mapOptional(pendingToDecision, (times) => spread(times, narrow)),
    'pending → running': mapOptional(pendingToRunning, (times) => spread(times, narrow)),
    nodes: nodesText(summary),
    'pods moved': evictions.pods === 0 ? null : movedText(summary),
    'node-hours': hoursText(summary),
  });
};

function pendingText({ message, ...stuck }: Summary['stuck'][number]): string {
  if (stuck.reasons.length > 0) {
    return `${stuckText(stuck)}.`;
  }
  return `${counted(stuck.pods, 'pod')} of ${shortName(stuck.workload)}. ${message}`;
}

const spread = ({ p50, p95, max }: Percentiles, narrow: boolean): string =>
  `p50 ${length(p50)}${textIf(!narrow, `, p95 ${length(p95)}`)}, max ${length(max)}`;

function nodesText({ nodes: { start, end, most, bought, warm = 0, empty, drained } }: Summary): string {
  const course = most > Math.max(start, end) ? `${start} → ${most} → ${end}` : `${start} → ${end}`;
  const fromPools = textIf(warm > 0, ` (${warm} from warm pools)`);
  const changes = [
    [bought, `launched${fromPools}`],
    [empty, 'removed empty'],
    [drained, 'drained'],
  ] as const;
  const parts = changes.filter(([count]) => count > 0).map((change) => change.join(' '));
  return `${course}${textIf(parts.length > 0, `: ${parts.join(', ')}`)}`;
}

function movedText({ evictions: { pods, refused, ofJobs, lostCoreHours }, budgets }: Summary): string {
  const parts = [`${pods}`];
  if (ofJobs > 0) {
    const begin = pluralOf('begins', ofJobs, 'begin');
    const hours = lostCoreHours.toFixed(lostCoreHours < 1 ? 2 : 1);
    parts.push(`${ofJobs} of Jobs ${begin} again: ${hours} core-hours of work are lost`);
  }
  if (refused > 0) {
    parts.push(`${counted(refused, 'eviction')} delayed by a budget`);
  }
  return [...parts, ...budgetsText(budgets)].join('; ');
}

/** The budgets of evicted pods: those that were violated, or else how each was kept; none where no budget was touched. */
function budgetsText(budgets: readonly BudgetSummary[]): readonly string[] {
  const touched = budgets.filter(({ fewest }) => fewest !== null);
  const broken = touched.filter(({ fewest, minAvailable }) => fewest! < minAvailable);
  if (broken.length > 0) {
    const had = broken.map(
      ({ workload, fewest, minAvailable }) => `${shortName(workload)} had ${fewest} of ${minAvailable}`,
    );
    return [`BUDGETS VIOLATED: ${had.join(', ')}`];
  }
  if (touched.length === 0) {
    return [];
  }
  const kept = touched.map(
    ({ workload, fewest, minAvailable }) =>
      `${shortName(workload)} needs ${minAvailable} available and had at least ${fewest}`,
  );
  return [`no budget was violated: ${kept.join(', ')}`];
}

function hoursText({ nodeHours, cost, hourly, withoutScaleDown: without, nodes }: Summary): string {
  const usd = (amount: number | null): string => mapOptional(amount, (sum) => ` ($${sum.toFixed(2)})`) ?? '';
  const paid = `${nodeHours.toFixed(2)}${usd(cost)}`;
  if (nodes.empty + nodes.drained === 0) {
    return paid;
  }
  const total = `${paid}, without scale-down ${without.nodeHours.toFixed(2)}${usd(without.cost)}`;
  if (hourly === null) {
    return total;
  }
  return `${total}; $${hourly.end.toFixed(2)}/h at the end, $${hourly.most.toFixed(2)}/h at the peak`;
}

/** Nodes that stay because a pod on them must not be evicted. */
function keptRows({ summary: { staying } }: Recording): readonly (readonly [string, string])[] {
  const kept = staying.filter(({ reason }) => reason === 'BlockedByPod');
  return kept.map((why) => ['kept', `${shortNode(why.node)}, because of ${longReason(why)}`]);
}
