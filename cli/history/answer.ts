import { ok } from '@outrigger/core/model/values/result.ts';
import { printableData } from '@outrigger/core/model/values/printable.ts';
import { formatTime } from '@outrigger/core/model/values/time.ts';
import type { HistoryEntry } from '@outrigger/core/ports/decision-history.ts';
import type { AnswerResult, ClusterStores } from '../explain/stored.ts';
import { columnTable } from '../terminal/table.ts';
import type { Style } from '../terminal/text.ts';
import { cut } from '../terminal/wrap.ts';
import { keptAs } from './kept.ts';
import type { Moment } from './period.ts';

export interface HistoryFlags {
  readonly since: Moment;
  readonly until?: Moment;
  readonly limit: number;
}

/** The decisions of a period, the latest first. */
export async function aboutHistory(
  { since, until, limit }: HistoryFlags,
  stored: ClusterStores,
): Promise<AnswerResult> {
  const { cluster, history, now, signal } = stored;
  const { name, mode } = await keptAs(stored);
  const decisions = await history.list(name, { since: since(now), until: until?.(now), limit }, signal);
  return ok({
    kind: 'History',
    explanation: { cluster, mode, at: now, decisions },
    text: (style, terminal = false) =>
      tellHistory(printableData(decisions) as readonly HistoryEntry[], { ...style, terminal, limit }),
  });
}

interface HistoryStyle extends Style {
  readonly terminal: boolean;
  readonly limit: number;
}

/** On a terminal a decision is a line, under the day that it is of; elsewhere its line is whole. */
function tellHistory(decisions: readonly HistoryEntry[], { colors, width, terminal, limit }: HistoryStyle): string {
  if (decisions.length === 0) {
    return 'No decision is kept of that time.\n';
  }
  const row = ({ id, at, kind, scenario, did }: HistoryEntry): readonly string[] => [
    terminal ? formatTime(at).slice(11, 19) : formatTime(at),
    scenario === 'kept' ? id : `(${id})`,
    kind,
    did,
  ];
  const lines = columnTable(decisions.map(row), ['left', 'right']);
  const days = decisions.map(({ at }) => formatTime(at).slice(0, 10));
  if (!terminal) {
    return [...lines, ''].join('\n');
  }
  const told: string[] = [];
  for (const [index, line] of lines.entries()) {
    if (days[index] !== days[index - 1]) {
      told.push(colors.bold(days[index]));
    }
    told.push(cut(`  ${line}`, width));
  }
  if (decisions.some(({ scenario }) => scenario !== 'kept')) {
    told.push(
      colors.dim('In parentheses: what the decision was made from was not kept, so that it cannot be replayed.'),
    );
  }
  if (decisions.length === limit) {
    told.push(colors.dim(`The latest ${limit}: give a larger --limit, or an earlier --until.`));
  }
  return [...told, ''].join('\n');
}
