import { firstNames } from '@outrigger/core/model/values/clip.ts';
import { firstItem } from '@outrigger/core/model/values/existing.ts';
import type { Difference } from '@outrigger/core/explanation/history/differences.ts';
import { printableData } from '@outrigger/core/model/values/printable.ts';
import { formatTime } from '@outrigger/core/model/values/time.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import { facts, listed, page, prose, type PageSection } from '../explain/show/page.ts';
import { decisionText } from '../simulate/text.ts';
import type { Style } from '../terminal/text.ts';
import { cut } from '../terminal/wrap.ts';
import type { Replay } from './replay.ts';
import { settingsText } from './settings.ts';

/** Names of one difference that are printed. */
const MOST_NAMES = 5;

/** A replay in words: without settings the whole decision, else what differs. */
export function tellReplay(replay: Replay, style: Style): string {
  const { id, name, at, part, set, decided, wouldBe, differences, decision } = printableData(replay) as Replay;
  const settings = settingsText(set);
  const head = facts(
    [
      id === null ? ['Scenario', name] : ['Decision', `${id}, of ${part}`],
      ['Time', formatTime(at)],
      ['Set', settings],
      ['Decided', decided],
      ['Would be', settings !== null && wouldBe],
    ],
    style,
  );
  if (settings === null) {
    const difference = page([head, prose(outcome(replay), style), told(differences, style)]);
    return `${difference}\n${decisionText(decision, style.width)}`;
  }
  return page([head, prose(differences.length === 0 && 'The same would be decided.', style), told(differences, style)]);
}

function outcome({ sameBytes }: Replay): string | null {
  if (sameBytes === null) {
    return null;
  }
  if (sameBytes) {
    return 'Replayed: the same is decided, byte for byte.';
  }
  return 'Replayed: this version of Outrigger does not decide the same, byte for byte.';
}

function subjectOf(about: string, names: readonly string[]): string {
  if (names.length === 0) {
    return about;
  }
  return names.length === 1 ? `${about} ${short(firstItem(names))}` : `${names.length} ${about}s`;
}

/** Each difference in two lines, what was decided and what would be. */
const told = (differences: readonly Difference[], style: Style): PageSection =>
  listed(
    `Differences (${differences.length})`,
    differences.map(({ about, names, decided, wouldBe }) => [
      subjectOf(about, names),
      presentItems([
        `decided:  ${decided ?? 'not mentioned'}`,
        `would be: ${wouldBe ?? 'not mentioned'}`,
        (names.length > 1 || names.some((one) => short(one) !== one)) && firstNames(names, MOST_NAMES),
      ]).join('\n'),
    ]),
    style,
  );

/** Names of nodes are long: a column takes the beginning of them. */
const short = (name: string): string => cut(name, 24);
