import { chart } from './chart.ts';
import { longReason, shortNode } from './node-words.ts';
import type { BudgetSummary, Percentiles, Recording, Summary } from '../record/recording.ts';
import { counted } from '../../../core/model/values/counted.ts';
import { table } from '../../terminal/table.ts';
import { clockTime, length, NARROW, shortName, type Style } from '../../terminal/text.ts';
import { wrap } from '../../terminal/wrap.ts';
import { stuckText } from './decision-words.ts';
import { zonesOf } from './group-bars.ts';

/** What is going to be seen. */
export function introduction({ metadata, seed, nodeGroups }: Recording, style: Style): readonly string[] {
  const { colors, width } = style;
  const narrow = width < NARROW;
  const rows = nodeGroups.map(({ name, zones, instanceType, minSize, maxSize, desiredSize, price }) => [
    name,
    ...(narrow ? [] : [zonesOf({ zones })]),
    instanceType,
    `${desiredSize}`,
    `${minSize}–${maxSize}`,
    price === null ? '' : `$${price}`,
  ]);
  const titles = ['group', ...(narrow ? [] : ['zone']), 'type', 'nodes', 'min–max', 'an hour'].map((title) =>
    colors.dim(title),
  );
  const there = `${colors.green('■')} ready`;
  const coming = `${colors.yellow('□')} on its way`;
  const leaving = `${colors.red('▨')} leaving`;
  const room = `${colors.dim('·')} room to grow`;
  return [
    `${colors.bold('Outrigger')} ${colors.dim(`demo · ${metadata.name} · seed ${seed}`)}`,
    '',
    ...wrap(
      'A simulated EKS cluster on a virtual clock. Outrigger itself is real: when the scheduler finds no place for a pod, ' +
        'its event calls the ingest function; scale-up looks at the cluster and decides; actuate sets the sizes of the ' +
        'Auto Scaling groups; nodes that are not needed for a while are drained and ended. No part of it runs in the ' +
        'cluster.',
      Math.min(width, 100) - 1,
    ),
    '',
    ...table([titles, ...rows], ['left', ...(narrow ? [] : ['left' as const]), 'left', 'right', 'right', 'right']),
    '',
    ...(narrow ? [`${there}  ${coming}`, `${leaving}  ${room}`] : [[there, coming, leaving, room].join('  ')]),
    '',
  ];
}

/** What has come of it. */
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
    ...table(
      rows.map(([title, value]) => [
        colors.dim(title),
        wrap(value, Math.max(20, Math.min(width, 100) - left - 1)).join('\n'),
      ]),
      ['left', 'left'],
    ),
    ...(summary.end === 'time is up' ? ['', 'The time was up before the cluster had come to rest.'] : []),
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

function nodesText({ nodes: { start, end, most, bought, empty, drained } }: Summary): string {
  const course = most > Math.max(start, end) ? `${start} → ${most} → ${end}` : `${start} → ${end}`;
  const parts = [
    ...(bought > 0 ? [`${bought} bought`] : []),
    ...(empty > 0 ? [`${empty} removed empty`] : []),
    ...(drained > 0 ? [`${drained} drained`] : []),
  ];
  return parts.length === 0 ? course : `${course}: ${parts.join(', ')}`;
}

function movedText({ evictions: { pods, refused }, budgets }: Summary): string {
  const touched = budgets.filter(({ fewest }) => fewest !== null);
  const broken = touched.filter(({ fewest, minAvailable }) => fewest! < minAvailable);
  const list = (some: readonly BudgetSummary[]): string =>
    some
      .map(({ workload, fewest, minAvailable }) => `${shortName(workload)} had ${fewest} of ${minAvailable}`)
      .join(', ');
  const kept = touched
    .map(
      ({ workload, fewest, minAvailable }) =>
        `${shortName(workload)} needs ${minAvailable} and never had fewer than ${fewest}`,
    )
    .join(', ');
  const verdict = broken.length > 0 ? `; BROKEN BUDGETS: ${list(broken)}` : `; no budget was broken: ${kept}`;
  return `${pods}${refused > 0 ? `, ${counted(refused, 'eviction')} put off by a budget` : ''}${touched.length === 0 ? '' : verdict}`;
}

function hoursText({ nodeHours, cost, hourly, withoutScaleDown: without, nodes }: Summary): string {
  const usd = (amount: number | null): string => (amount === null ? '' : `, $${amount.toFixed(2)}`);
  const paid = `${nodeHours.toFixed(2)}${usd(cost)}`;
  if (nodes.empty + nodes.drained === 0) {
    return paid;
  }
  const now = hourly === null ? '' : `. An hour costs $${hourly.end.toFixed(2)} now, after $${hourly.most.toFixed(2)}`;
  return `${paid}; ${without.nodeHours.toFixed(2)}${usd(without.cost)} had no node been removed${now}`;
}

/** Nodes that could go, but for a pod that may not be moved. */
function keptRows({ summary: { staying } }: Recording): readonly (readonly [string, string])[] {
  const kept = staying.filter(({ reason }) => reason === 'BlockedByPod');
  return kept.map((why) => ['kept', `${shortNode(why.node)} for ${longReason(why)}`]);
}
