import { GROUP_OPTIONS, type OptionSpec, rangeOf } from '@outrigger/core/model/options.ts';
import type { CapacitySchedule } from '@outrigger/core/model/capacity-schedule.ts';
import { type NodeBudget, unreadableNodeBudget } from '@outrigger/core/model/node-budget.ts';
import { AUTO } from '@outrigger/core/model/unneeded-time.ts';
import { clip, quoted } from '@outrigger/core/model/values/clip.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import { type DurationMs, parseDuration } from '@outrigger/core/model/values/time.ts';
import { parseCapacitySchedules } from '../schema/capacity-schedules.ts';
import { parseNodeBudgets } from '../schema/node-budgets.ts';

type GroupOptionName = keyof typeof GROUP_OPTIONS;

/** Group options as they are read, option by option. */
export type DraftOptions = Record<string, OptionValue>;

type OptionValue = boolean | number | string | readonly NodeBudget[] | readonly CapacitySchedule[];

/** Names of options in tags and annotations are all lower case, as with Cluster Autoscaler. */
const OPTION_OF_TEXT: ReadonlyMap<string, GroupOptionName> = new Map(
  (Object.keys(GROUP_OPTIONS) as GroupOptionName[]).map((name) => [name.toLowerCase(), name]),
);

/**
 * Reads one group option from a tag or an annotation.
 *
 * @param into receives it. Of an unknown option nothing is read; unreadable disruption budgets and limits of
 *   cost are read as values that allow nothing.
 * @returns `null`, or what was expected instead of the text.
 */
export function readGroupOption(into: DraftOptions, name: string, text: string): string | null {
  const option = OPTION_OF_TEXT.get(name.toLowerCase());
  if (option === undefined) {
    return null;
  }
  const parsed = attemptOption(GROUP_OPTIONS[option], text.trim());
  if (!parsed.ok) {
    if (option === 'disruptionBudgets') {
      into[option] = [unreadableNodeBudget(`expected ${parsed.error}, found ${quoted(text)}`)];
    }
    if (option === 'maxCostPerHour') {
      into[option] = LEAST_COST;
    }
    return parsed.error;
  }
  into[option] = parsed.value;
  return null;
}

/** USD per hour: less than any node costs. Zero would be no limit. */
const LEAST_COST = 0.000_001;

/** The notes that some unreadable options, unlike other malformed tags or annotations, do not count as absent. */
export const closedOptions = (malformed: readonly RejectedObject[]): readonly string[] =>
  CLOSED.filter(([name]) => malformed.some(({ place }) => name.test(place))).map(([, note]) => note);

const CLOSED: readonly (readonly [name: RegExp, note: string])[] = [
  [/disruptionbudgets$/i, 'disruption budgets that cannot be read allow no removal'],
  [/maxcostperhour$/i, 'a limit of cost that cannot be read allows no new node'],
];

/** The values that Go's `strconv.ParseBool` accepts. */
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** A parser that throws spoils one value, never the group, or the groups beside it. */
function attemptOption(...asked: Parameters<typeof parseOption>): ReturnType<typeof parseOption> {
  try {
    return parseOption(...asked);
  } catch (error) {
    return err(`a value that can be read (${clip(messageOf(error))})`);
  }
}

function parseOption(
  spec: Extract<OptionSpec, { readonly kind: (typeof GROUP_OPTIONS)[GroupOptionName]['kind'] }>,
  text: string,
): Result<OptionValue, string> {
  switch (spec.kind) {
    case 'boolean':
      return TRUE.has(text) || FALSE.has(text) ? ok(TRUE.has(text)) : err('true or false');
    case 'number': {
      const value = Number(text);
      return text !== '' && value >= spec.min && value <= spec.max ? ok(value) : err(`a number ${rangeOf(spec)}`);
    }
    case 'choice':
      return spec.choices.some((choice) => choice === text) ? ok(text) : err(`one of ${spec.choices.join(', ')}`);
    case 'durationOrAuto':
      return text === AUTO ? ok(text) : readDuration(text);
    case 'duration':
      return readDuration(text);
    case 'disruptionBudgets':
      return parseNodeBudgets(text);
    case 'capacitySchedules':
      return parseCapacitySchedules(text);
  }
}

function readDuration(text: string): Result<DurationMs, string> {
  const value = parseDuration(text);
  return value.ok && value.value < 0 ? err('a duration of at least 0s') : value;
}
