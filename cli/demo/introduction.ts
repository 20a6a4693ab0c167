import type { Percentiles, Recording } from './recording.ts';
import { clockTime, counted, length, shortName, type Style, table, wrap } from './text.ts';
import { NARROW, stuckText, zonesOf } from './story.ts';

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
  return [
    `${colors.bold('Outrigger')} ${colors.dim(`demo · ${metadata.name} · seed ${seed}`)}`,
    '',
    ...wrap(
      'A simulated EKS cluster on a virtual clock. Outrigger itself is real: when the scheduler finds no place for a pod, ' +
        'its event calls the ingest function; scale-up looks at the cluster and decides; actuate sets the sizes of the ' +
        'Auto Scaling groups. No part of it runs in the cluster.',
      Math.min(width, 100) - 1,
    ),
    '',
    ...table([titles, ...rows], ['left', ...(narrow ? [] : ['left' as const]), 'left', 'right', 'right', 'right']),
    '',
    `${colors.green('■')} ready  ${colors.yellow('□')} on its way  ${colors.dim('·')} room to grow`,
    '',
  ];
}

/** What has come of it. */
export function conclusion({ summary }: Recording, style: Style): readonly string[] {
  const { colors, width } = style;
  const { pods, nodes, pendingToDecision, pendingToRunning, cost, nodeHours, stuck } = summary;
  const narrow = width < NARROW;
  const rows: (readonly [string, string])[] = [
    ['virtual time', clockTime(summary.seconds)],
    [
      'pods placed',
      `${pods.placed} of ${pods.created}${pods.pending > 0 ? colors.yellow(`, ${pods.pending} still pending`) : ''}`,
    ],
    ['waited for a node', `${pods.waited}`],
    ...(pendingToDecision === null ? [] : [['pending → decided', spread(pendingToDecision, narrow)] as const]),
    ...(pendingToRunning === null ? [] : [['pending → running', spread(pendingToRunning, narrow)] as const]),
    ['nodes', `${nodes.start} → ${nodes.end}${nodes.most > nodes.end ? `, at most ${nodes.most}` : ''}`],
    ['node-hours', `${nodeHours.toFixed(2)}${cost === null ? '' : `, $${cost.toFixed(2)}`}`],
  ];
  return [
    '',
    colors.bold('Summary'),
    ...table(
      rows.map(([title, value]) => [colors.dim(title), value]),
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
