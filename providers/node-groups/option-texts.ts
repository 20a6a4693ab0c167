import { GROUP_OPTIONS, type OptionSpec, rangeOf } from '../../core/model/options.ts';
import { type Result, err, ok } from '../../core/model/values/result.ts';
import { parseDuration } from '../../core/model/values/time.ts';

type GroupOptionName = keyof typeof GROUP_OPTIONS;

/** Group options as they are read one by one. */
export type DraftOptions = Record<string, boolean | number | string>;

/** Names of options in tags and annotations are all lower case, as with Cluster Autoscaler. */
const OPTION_OF_TEXT: ReadonlyMap<string, GroupOptionName> = new Map(
  (Object.keys(GROUP_OPTIONS) as GroupOptionName[]).map((name) => [name.toLowerCase(), name]),
);

/**
 * Reads one group option from a tag or an annotation.
 *
 * @param into receives it. Of an unknown option nothing is read.
 * @returns `null`, or what was expected instead of the text.
 */
export function readGroupOption(into: DraftOptions, name: string, text: string): string | null {
  const option = OPTION_OF_TEXT.get(name.toLowerCase());
  if (option === undefined) {
    return null;
  }
  const parsed = parseOption(GROUP_OPTIONS[option], text.trim());
  if (!parsed.ok) {
    return parsed.error;
  }
  into[option] = parsed.value;
  return null;
}

/** The values that Go's `strconv.ParseBool` accepts. */
const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

function parseOption(
  spec: Extract<OptionSpec, { readonly kind: (typeof GROUP_OPTIONS)[GroupOptionName]['kind'] }>,
  text: string,
): Result<boolean | number | string, string> {
  switch (spec.kind) {
    case 'boolean':
      return TRUE.has(text) || FALSE.has(text) ? ok(TRUE.has(text)) : err('true or false');
    case 'number': {
      const value = Number(text);
      return text !== '' && value >= spec.min && value <= spec.max ? ok(value) : err(`a number ${rangeOf(spec)}`);
    }
    case 'choice':
      return spec.choices.some((choice) => choice === text) ? ok(text) : err(`one of ${spec.choices.join(', ')}`);
    case 'duration': {
      const value = parseDuration(text);
      return value.ok && value.value < 0 ? err('a duration of at least 0s') : value;
    }
  }
}
