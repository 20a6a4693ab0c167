import { itemsIf } from '@outrigger/core/model/values/optional.ts';
import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';
import type { Options } from '@outrigger/core/model/options.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { sectionOf } from '@outrigger/providers/manifest/fields.ts';
import { explainInvalid, type Invalid } from '@outrigger/providers/manifest/invalid.ts';
import { optionsIn, writeOption } from '@outrigger/providers/scenario/options.ts';
import { OTHER_SPELLINGS } from '@outrigger/providers/schema/options.ts';

/** Options that are set for a replay, under their names. */
export type ReplaySettings = Partial<Options>;

/** Every `--set` beside the ones before it. */
export const settingsOf = (text: string, before: readonly string[] = []): readonly string[] => [...before, text];

/**
 * Reads `option=value`: the value as in a scenario, `[a, b]` for a list.
 *
 * @returns what is wrong, one line each
 */
export function readReplaySettings(given: readonly string[] = []): Result<ReplaySettings, readonly string[]> {
  const settings: Record<string, unknown> = {};
  const wrong: string[] = [];
  for (const text of given) {
    const at = text.indexOf('=');
    if (at < 1) {
      wrong.push(`--set: expected option=value, such as scaleDownUnneededTime=1m, found ${JSON.stringify(text)}`);
      continue;
    }
    const spelled = inCamelCase(text.slice(0, at));
    const name = valueOf(OTHER_SPELLINGS, spelled) ?? spelled;
    const problems: Invalid[] = [];
    const options = optionsIn(
      sectionOf({ options: { [name]: valueIn(text.slice(at + 1)) } }, '', problems),
      'outrigger',
    );
    wrong.push(
      ...problems.map((problem) => explainInvalid({ ...problem, place: `--set ${text.slice(0, at)}` })),
      ...itemsIf(Object.hasOwn(settings, name), [`--set ${name}: expected each option once`]),
    );
    settings[name] = options[name as keyof Options];
  }
  return wrong.length > 0 ? err(wrong) : ok(settings);
}

const inCamelCase = (name: string): string => name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** YAML's value; what is none is text. */
function valueIn(text: string): unknown {
  try {
    return parse(text) as unknown;
  } catch {
    return text;
  }
}

/** The scenario with these options in place of its own. */
export const withSettings = (scenario: Scenario, settings: ReplaySettings): Scenario => ({
  ...scenario,
  options: { ...scenario.options, ...settings },
});

/** Options as they are written in documents. */
export const writeSettings = (settings: ReplaySettings): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, writeOption(name, value)]));

/** `expander=random, scaleDownUnneededTime=2m`; `null` without settings. */
export function settingsText(set: Readonly<Record<string, unknown>>): string | null {
  const texts = Object.entries(set).map(([name, value]) => `${name}=${writtenAs(value)}`);
  return texts.length === 0 ? null : texts.join(', ');
}

const writtenAs = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Settings without effect, in words. */
export function ineffectiveSettings(scenario: Scenario, settings: ReplaySettings): readonly string[] {
  return Object.entries(settings).flatMap(([name, value]) => {
    if (isDeepStrictEqual(scenario.options[name as keyof Options], value)) {
      return [`${name} had this value already`];
    }
    const own = scenario.nodeGroups.filter(({ options }) => Object.hasOwn(options, name));
    if (own.length === 0) {
      return [];
    }
    return [`${counted(own.length, 'node group')} (${firstItem(own).name} …) keep their own ${name} from tags`];
  });
}
