import { counted } from '@outrigger/core/model/values/counted.ts';
import { mapOptional, textIf, itemsIf } from '@outrigger/core/model/values/optional.ts';
import type { Consideration } from '@outrigger/core/model/decision.ts';
import { SCALE_UP_RESULTS } from '@outrigger/core/words/outcomes.ts';
import { whyGroupSkipped } from '@outrigger/core/words/why-group-skipped.ts';
import { columnTable } from '../../terminal/table.ts';
import { fitted, length, NARROW, percent, shortName, type Style, TINY } from '../../terminal/text.ts';
import { wrap } from '../../terminal/wrap.ts';
import type { DecisionEntry, Stuck } from '@outrigger/simulation/recording/recording.ts';
import { INDENT } from './beats.ts';
import { type News, news } from './news.ts';

const MOST_ROWS = 8;

/** A scale-up decision, with the options it had to choose from and the groups it skipped. */
export function decisionNews(entry: DecisionEntry, style: Style): News {
  return news('decide', 'magenta', capital(decisionSentences(entry).join('. ')), [
    ...entry.considered.flatMap((one) => considerationLines(one, style)),
    ...entry.skippedGroups.map((one) => style.colors.dim(`${one.group} is skipped: ${whyGroupSkipped(one)}`)),
  ]);
}

function decisionSentences(entry: DecisionEntry): readonly string[] {
  const { increases, unschedulable, outcomes, waited, upcoming, result } = entry;
  const { Triggered: triggered = 0, Fits: fits = 0, Ignored: ignored = 0 } = outcomes;
  const added = increases.reduce((sum, { from, to }) => sum + to - from, 0);
  const sentences: string[] = [];
  if (added > 0) {
    const speed = mapOptional(waited, (seconds) => `, ${length(seconds)} after the first became pending`) ?? '';
    sentences.push(`add ${counted(added, 'node')} for ${counted(triggered, 'pod')}${speed}`);
  } else if (fits > 0) {
    sentences.push(`nothing to add: the pending pods fit on ${upcoming > 0 ? 'upcoming' : 'existing'} nodes`);
  } else if (ignored > 0) {
    sentences.push(`nothing to add for ${counted(ignored, 'ignored pod')}`);
  }
  if (result === 'ClusterUnhealthy' || result === 'Limited' || result === 'NotTried') {
    sentences.push(`nothing is added: ${SCALE_UP_RESULTS[result].short}`);
  }
  return [...sentences, ...unschedulable.map(stuckText)];
}

const capital = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** `no node group fits 3 pods of huge (web-a, web-b: Insufficient cpu)`. */
export function stuckText({ workload, pods, reasons }: Stuck): string {
  const why = [...Map.groupBy(reasons, ({ reason }) => reason)].map(([reason, alike]) => {
    const groups = alike.map(({ group }) => group).filter((group) => group !== undefined);
    return groups.length > 0 ? `${groups.join(', ')}: ${reason}` : reason;
  });
  return `no node group fits ${counted(pods, 'pod')} of ${shortName(workload)} (${why.join('; ')})`;
}

/** The groups that were compared, the winner first, and why it won. */
function considerationLines(consideration: Consideration, style: Style): readonly string[] {
  const { why, split } = consideration;
  const { colors, width } = style;
  const choices = choicesOf(consideration, style);
  const shown = choices.slice(0, MOST_ROWS).map((choice) => choiceRow(choice, style));
  const more = choices.length - shown.length;
  const sharing = textIf(split.length > 1, `; balanced over ${counted(split.length, 'similar node group')}`);
  return [
    ...columnTable(shown, ['left', 'left', 'right', 'right', 'right']),
    ...itemsIf(more > 0, [colors.dim(`  and ${counted(more, 'other option')}`)]),
    ...wrap(`${why}${sharing}`, Math.max(20, width - INDENT - 3)).map((line) => `  ${colors.dim(line)}`),
  ];
}

/** Options that read alike, as one row. */
interface Choice {
  readonly groups: readonly string[];
  readonly cells: readonly string[];
  readonly wins: boolean;
}

function choicesOf({ options, winner }: Consideration, { width }: Style): readonly Choice[] {
  const ordered = options.toSorted(
    (a, b) => Number(b.group === winner) - Number(a.group === winner) || a.waste - b.waste,
  );
  const alike = new Map<string, Choice>();
  for (const option of ordered) {
    const wins = option.group === winner;
    const cells = optionCells(option, width);
    const key = JSON.stringify([wins, ...cells]);
    alike.set(key, { groups: [...(alike.get(key)?.groups ?? []), option.group], cells, wins });
  }
  return [...alike.values()];
}

/** Nodes, pods and the unused share of an option, in the words that a terminal of this width has room for. */
function optionCells({ nodes, pods, waste }: Consideration['options'][number], width: number): readonly string[] {
  const unused = percent(waste / 2);
  if (width < NARROW) {
    const cells = [counted(nodes, 'node'), counted(pods, 'pod'), `${unused} free`];
    return cells.slice(0, width < TINY ? 2 : 3);
  }
  return [counted(nodes, 'node'), `for ${counted(pods, 'pod')}`, `${unused} unused`];
}

function choiceRow({ groups, cells, wins }: Choice, { colors, width }: Style): readonly string[] {
  const shown = width < NARROW ? 1 : 3;
  const others = textIf(groups.length > shown, ` +${groups.length - shown}`);
  const [mark, paint] = wins ? [colors.bold('▸'), colors.bold] : [' ', colors.dim];
  const named = `${groups
    .slice(0, shown)
    .map((group) => fitted(group, width))
    .join(', ')}${others}`;
  return [mark, ...[named, ...cells].map((cell) => paint(cell))];
}
