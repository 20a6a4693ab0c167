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
import { counted } from '@outrigger/core/model/values/counted.ts';
import { columnTable } from '../../terminal/table.ts';
import { clockTime, fitted, length, NARROW, shortName, type Style, TINY } from '../../terminal/text.ts';
import { wrap } from '../../terminal/wrap.ts';
import { stuckText } from './decision-words.ts';
import { zonesOf } from './group-bars.ts';

const CLUSTER: Readonly<Record<ProviderName, string>> = {
  aws: 'EKS cluster',
  clusterapi: 'cluster of Cluster API',
};
const SIZES: Readonly<Record<ProviderName, string>> = {
  aws: 'sizes of the Auto Scaling groups',
  clusterapi: 'replicas of the MachineDeployments, those of the namespace default',
};

/** The lines before the story: the node groups, and what the symbols mean. */
export function introduction({ metadata, provider, seed, nodeGroups }: Recording, style: Style): readonly string[] {
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
}

/** The node groups, with what a terminal of this width has room for. */
function groupTable(groups: readonly RecordingGroup[], { colors, width }: Style): readonly string[] {
  const columns: readonly Column[] = [
    { title: 'group', align: 'left', cell: ({ name }) => fitted(name, width) },
    ...(width < NARROW ? [] : [{ title: 'zone', align: 'left', cell: zonesOf } as const]),
    { title: 'type', align: 'left', cell: ({ instanceType }) => instanceType },
    { title: 'nodes', align: 'right', cell: ({ desiredSize }) => `${desiredSize}` },
    { title: 'min–max', align: 'right', cell: ({ minSize, maxSize }) => `${minSize}–${maxSize}` },
    ...(groups.every(({ warmPool }) => warmPool === undefined)
      ? []
      : [{ title: 'warm pool', align: 'right', cell: warmPoolText } as const]),
    ...(width < TINY ? [] : [{ title: 'price', align: 'right', cell: priceText } as const]),
  ];
  return columnTable(
    [columns.map(({ title }) => colors.dim(title)), ...groups.map((group) => columns.map(({ cell }) => cell(group)))],
    columns.map(({ align }) => align),
  );
}

const warmPoolText = ({ warmPool }: RecordingGroup): string =>
  warmPool === undefined ? '' : `${warmPool.size} ${warmPool.state.toLowerCase()}`;

const priceText = ({ price }: RecordingGroup): string => (price === null ? '' : `$${price}/h`);

/** The lines after the story: a chart of the nodes, and the summary. */
export function conclusion(recording: Recording, style: Style): readonly string[] {
  const { summary } = recording;
  const { colors, width } = style;
  const { pods, pendingToDecision, pendingToRunning, stuck } = summary;
  const narrow = width < NARROW;
  const rows: (readonly [string, string])[] = [
    ['virtual time', clockTime(summary.seconds)],
    ['pods placed', `${pods.placed} of ${pods.created}${pods.pending > 0 ? `, ${pods.pending} still pending` : ''}`],
    ['waited for a node', `${pods.waited}`],
    ...(pendingToDecision === null ? [] : [['pending → decided', spread(pendingToDecision, narrow)] as const]),
    ...(pendingToRunning === null ? [] : [['pending → running', spread(pendingToRunning, narrow)] as const]),
    ['nodes', nodesText(summary)],
    ...(summary.evictions.pods === 0 ? [] : [['pods moved', movedText(summary)] as const]),
    ['node-hours', hoursText(summary)],
    ...keptRows(recording),
  ];
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
      ['left', 'left'],
    ),
    ...(summary.end === 'time is up' ? ['', 'The time limit was reached before the cluster settled.'] : []),
    ...stuck.flatMap(({ workload, pods: count, reasons, message }) => [
      '',
      ...wrap(
        reasons.length > 0
          ? `Still pending: ${stuckText({ workload, pods: count, reasons })}.`
          : `Still pending: ${counted(count, 'pod')} of ${shortName(workload)}. ${message}`,
        Math.min(width, 100) - 1,
      ).map((line) => colors.yellow(line)),
    ]),
  ];
}

const spread = ({ p50, p95, max }: Percentiles, narrow: boolean): string =>
  `p50 ${length(p50)}${narrow ? '' : `, p95 ${length(p95)}`}, max ${length(max)}`;

function nodesText({ nodes: { start, end, most, bought, warm = 0, empty, drained } }: Summary): string {
  const course = most > Math.max(start, end) ? `${start} → ${most} → ${end}` : `${start} → ${end}`;
  const fromPools = warm > 0 ? ` (${warm} from warm pools)` : '';
  const parts = [
    ...(bought > 0 ? [`${bought} launched${fromPools}`] : []),
    ...(empty > 0 ? [`${empty} removed empty`] : []),
    ...(drained > 0 ? [`${drained} drained`] : []),
  ];
  return parts.length === 0 ? course : `${course}: ${parts.join(', ')}`;
}

function movedText({ evictions: { pods, refused, ofJobs, lostCoreHours }, budgets }: Summary): string {
  const touched = budgets.filter(({ fewest }) => fewest !== null);
  const broken = touched.filter(({ fewest, minAvailable }) => fewest! < minAvailable);
  const list = (some: readonly BudgetSummary[]): string =>
    some
      .map(({ workload, fewest, minAvailable }) => `${shortName(workload)} had ${fewest} of ${minAvailable}`)
      .join(', ');
  const kept = touched
    .map(
      ({ workload, fewest, minAvailable }) =>
        `${shortName(workload)} needs ${minAvailable} available and had at least ${fewest}`,
    )
    .join(', ');
  const verdict = broken.length > 0 ? `; BUDGETS VIOLATED: ${list(broken)}` : `; no budget was violated: ${kept}`;
  const begin = ofJobs === 1 ? 'begins' : 'begin';
  const hours = lostCoreHours.toFixed(lostCoreHours < 1 ? 2 : 1);
  const lost = ofJobs === 0 ? '' : `; ${ofJobs} of Jobs ${begin} again: ${hours} core-hours of work are lost`;
  return `${pods}${lost}${refused > 0 ? `; ${counted(refused, 'eviction')} delayed by a budget` : ''}${touched.length === 0 ? '' : verdict}`;
}

function hoursText({ nodeHours, cost, hourly, withoutScaleDown: without, nodes }: Summary): string {
  const usd = (amount: number | null): string => (amount === null ? '' : ` ($${amount.toFixed(2)})`);
  const paid = `${nodeHours.toFixed(2)}${usd(cost)}`;
  if (nodes.empty + nodes.drained === 0) {
    return paid;
  }
  const now =
    hourly === null ? '' : `; $${hourly.end.toFixed(2)}/h at the end, $${hourly.most.toFixed(2)}/h at the peak`;
  return `${paid}, without scale-down ${without.nodeHours.toFixed(2)}${usd(without.cost)}${now}`;
}

/** Nodes that stay because a pod on them must not be evicted. */
function keptRows({ summary: { staying } }: Recording): readonly (readonly [string, string])[] {
  const kept = staying.filter(({ reason }) => reason === 'BlockedByPod');
  return kept.map((why) => ['kept', `${shortNode(why.node)}, because of ${longReason(why)}`]);
}
