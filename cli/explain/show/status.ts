import type { GroupExplanation } from '../../../core/explanation/group.ts';
import type { PartStatus, Status } from '../../../core/explanation/status.ts';
import type { EpochMs } from '../../../core/model/values/time.ts';
import { MODES } from '../../../core/words/modes.ts';
import { POD_OUTCOMES } from '../../../core/words/outcomes.ts';
import { sinceText, untilText } from '../../../core/words/when.ts';
import { named } from '../../terminal/layout.ts';
import type { Style } from '../../terminal/text.ts';
import { drainLines } from './drain.ts';
import { facts, listed, page, prose, type Section, withAdvice } from './page.ts';

/** A cluster at a glance: what needs correction first, then groups, pods, unneeded nodes and drains. */
export function tellStatus(status: Status, style: Style): string {
  const { corrections, unneeded, drains, omitted, at } = status;
  return page([
    head(status, style),
    listed(
      `Needs correction (${corrections.length})`,
      corrections.map(({ about, what, advice }) => [about ?? 'cluster', withAdvice(what, advice)]),
      ['left'],
      style,
      'red',
    ),
    groups(status, style),
    pods(status, style),
    listed(
      `Unneeded nodes (${unneeded.length})`,
      unneeded.map(({ node, group, since, why }) => [
        node,
        group ?? '',
        [
          ...(since === null ? [] : [`since ${sinceText(since, at)}`]),
          ...(why === null ? [] : [`at the last decision: ${why}`]),
        ].join('; '),
      ]),
      ['left', 'left'],
      style,
    ),
    listed(
      `Drains (${drains.length})`,
      drains.map((drain) => [drain.node, drain.group, drainLines(drain, at).join('\n')]),
      ['left', 'left'],
      style,
    ),
    omitted.length === 0 ? [] : prose(`Too large to be stored whole; left out: ${omitted.join('; ')}.`, style),
  ]);
}

function head({ cluster, mode, at, scaleUp, scaleDown, healthy, nodes }: Status, style: Style): Section {
  return facts(
    [
      ['Cluster', cluster],
      ['Mode', `${mode}: ${MODES[mode].short}`],
      ['Scale-up', partText(scaleUp, at, 'last node added')],
      ['Scale-down', partText(scaleDown, at, 'last node removed')],
      [
        'Nodes',
        nodes === null
          ? null
          : [
              `${nodes.ready} ready`,
              ...(nodes.notStarted > 0 ? [`${nodes.notStarted} starting`] : []),
              ...(nodes.unready > 0 ? [`${nodes.unready} not ready`] : []),
              ...(nodes.deleted > 0 ? [`${nodes.deleted} being removed`] : []),
              healthy === true ? 'the cluster is healthy' : 'the cluster is unhealthy',
            ].join(', '),
      ],
    ],
    style,
  );
}

function partText(
  { decidedAt, meaning, message, lastChange }: PartStatus<string>,
  now: EpochMs,
  change: string,
): string {
  return decidedAt === null
    ? 'not evaluated yet'
    : [
        `${meaning ?? 'no decision is stored any more'}${message === null ? '' : ` (${message})`}`,
        `evaluated at ${sinceText(decidedAt, now)}`,
        ...(lastChange === null ? [] : [`${change} at ${sinceText(lastChange, now)}`]),
      ].join('; ');
}

function groups({ groups: all, at }: Status, style: Style): Section {
  const heading = ['Name', 'Size', 'Min', 'Max', 'Ready', 'Upcoming', ''].map((title) => style.colors.dim(title));
  const rows = all.map((group) => [
    group.group,
    group.increase === null ? String(group.target) : `${group.increase.from} → ${group.increase.to}`,
    group.min === null ? '?' : String(group.min),
    group.max === null ? '?' : String(group.max),
    String(group.nodes.ready),
    String(group.upcoming),
    troubleOf(group, at),
  ]);
  return listed(
    `Node groups (${all.length})`,
    rows.length === 0 ? [] : [heading, ...rows],
    ['left', 'right', 'right', 'right', 'right', 'right'],
    style,
  );
}

const troubleOf = ({ healthy, backoff, skipped, incorrectSize, repairs }: GroupExplanation, now: EpochMs): string =>
  [
    ...(backoff === null ? [] : [`in backoff: ${backoff.why}, until ${untilText(backoff.until, now)}`]),
    // Of a group in backoff that is the same again.
    ...(skipped === null || (skipped.reason === 'BackedOff' && backoff !== null) ? [] : [skipped.why]),
    ...(healthy || skipped?.reason === 'Unhealthy' ? [] : ['unhealthy']),
    ...(incorrectSize === null ? [] : [`${incorrectSize.current} instead of ${incorrectSize.expected} nodes`]),
    ...repairs,
  ].join('; ');

function pods({ pods: all }: Status, style: Style): Section {
  const waiting = all.flatMap(({ pods: same }) => same).length;
  return listed(
    `Pods without a node (${waiting})`,
    all.map(({ outcome, group, reasons, pods: same }) => [
      String(same.length),
      [`${POD_OUTCOMES[outcome].short}${group === null ? '' : ` of ${group}`}: ${named(same)}`, ...reasons].join('\n'),
    ]),
    ['right'],
    style,
    all.some(({ outcome }) => outcome === 'Unschedulable') ? 'yellow' : 'bold',
  );
}
