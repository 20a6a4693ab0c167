import { getOwn } from '@outrigger/core/model/values/existing.ts';
import {
  CLUSTER_OPTIONS,
  defaultOptions,
  GROUP_OPTIONS,
  type OptionDefaults,
  type OptionSpec,
  type Options,
} from '@outrigger/core/model/options.ts';
import { choosesByPrices } from '@outrigger/core/model/goes-by-prices.ts';
import { type Fields, type Manifest, sectionOf } from '@outrigger/providers/manifest/fields.ts';
import { entryOf, type Invalid, report } from '@outrigger/providers/manifest/invalid.ts';
import { optionsIn, writeOptions } from '@outrigger/providers/scenario/options.ts';
import { didYouMean } from '@outrigger/providers/schema/known-fields.ts';
import { camelCase, FORMER_OPTIONS, OTHER_SPELLINGS } from '@outrigger/providers/schema/options.ts';
import { FLAGS, flagOf } from './flags.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';

/** Something that is accepted and has no effect. */
export interface Warning {
  readonly place: string;
  readonly text: string;
}

export interface OptionsAsWritten {
  /** Given options that can be read. */
  readonly values: Partial<Options>;
  readonly warnings: readonly Warning[];
}

const SPECS: Readonly<Record<string, OptionSpec>> = { ...CLUSTER_OPTIONS, ...GROUP_OPTIONS };

/** Every name under which an option may be given. */
const NAMES = [...Object.keys(SPECS), ...Object.keys(OTHER_SPELLINGS), ...FLAGS.map(({ name }) => camelCase(name))];

/**
 * Reads options as users of Cluster Autoscaler write them: under the names of its flags, in camelCase or in kebab-case,
 * with booleans and numbers in quotes or without. A flag that has no meaning here is accepted with a warning that says
 * why; a flag that asks for something Outrigger does not do is refused.
 */
export function readWrittenOptions(raw: unknown, place: string, problems: Invalid[]): OptionsAsWritten {
  const { fields } = sectionOf(raw, place, problems);
  const warnings: Warning[] = [];
  /** Values by the name of their option, and the name under which each was given. */
  const given: Record<string, unknown> = {};
  const spellings = new Map<string, string>();
  for (const [spelling, value] of Object.entries(fields)) {
    const at = entryOf(place, spelling);
    const name = optionOf(spelling);
    if (name === null) {
      judgeFlag(spelling, value, at, { problems, warnings });
    } else if (spellings.has(name)) {
      report(problems, at, `each option once (${spellings.get(name)} is the same one)`, spelling);
    } else {
      spellings.set(name, spelling);
      given[name] = unquoted(value, getOwn(SPECS, name));
    }
  }
  const values = checked(given, spellings, place, problems);
  if (values.reservedCapacity === true && !choosesByPrices({ ...defaultOptions(), ...values })) {
    const text = 'has no effect here: no decision chooses nodes by prices; set expander: price, or consolidation';
    warnings.push({ place: entryOf(place, spellings.get('reservedCapacity') ?? 'reservedCapacity'), text });
  }
  return { values, warnings };
}

/** The option that this is a name of; `null` when it is none. */
function optionOf(spelling: string): keyof Options | null {
  const camel = camelCase(spelling);
  for (const name of [spelling, camel]) {
    if (Object.hasOwn(SPECS, name)) {
      return name as keyof Options;
    }
    if (Object.hasOwn(OTHER_SPELLINGS, name)) {
      return OTHER_SPELLINGS[name] as keyof Options;
    }
  }
  const flag = flagOf(spelling);
  return flag?.counterpart.kind === 'option' ? flag.counterpart.option : null;
}

interface Findings {
  readonly problems: Invalid[];
  readonly warnings: Warning[];
}

/** Says what is to be said about a name that is no option. */
function judgeFlag(spelling: string, value: unknown, at: string, { problems, warnings }: Findings): void {
  const flag = flagOf(spelling);
  const former = camelCase(spelling);
  if (Object.hasOwn(FORMER_OPTIONS, former)) {
    warnings.push({ place: at, text: `has no effect any more. ${getOwn(FORMER_OPTIONS, former)}` });
    return;
  }
  if (flag === null) {
    report(problems, at, `a known option${didYouMean(spelling, NAMES)}`, spelling);
    return;
  }
  const { counterpart } = flag;
  switch (counterpart.kind) {
    case 'option':
      return;
    case 'setting':
      if (counterpart.setting === 'scanInterval') {
        // Older versions took it for an option without a meaning.
        warnings.push({ place: at, text: `has no effect. ${counterpart.why}` });
        return;
      }
      report(problems, at, `${counterpart.setting} of the cluster in place of this option`, spelling);
      return;
    case 'meaningless':
      warnings.push({ place: at, text: `has no effect. ${counterpart.why}` });
      return;
    case 'built in':
    case 'missing':
      if (asksFor(flag, value)) {
        warnings.push({ place: at, text: `has no effect. ${counterpart.why}` });
      } else {
        const accepted = presentItems([mapOptional(counterpart.value, (one) => JSON.stringify(one)), 'no such option']);
        problems.push({
          place: at,
          expected: `${accepted.join(' or ')} (${counterpart.why.replace(/\.$/, '')})`,
          found: JSON.stringify(value) ?? 'nothing',
        });
      }
  }
}

/** Whether Outrigger acts as a flag of this value asks, although it has no such option. */
export function asksFor(
  { counterpart }: { readonly counterpart: { readonly kind: string; readonly value?: string | null } },
  value: unknown,
): boolean {
  if (value === null || value === undefined) {
    return true;
  }
  const plain = typeof value === 'string' ? value : JSON.stringify(value);
  return (counterpart.kind === 'built in' || counterpart.kind === 'missing') && plain === counterpart.value;
}

/** Templates and `--set` make texts of everything. */
function unquoted(value: unknown, { kind }: OptionSpec): unknown {
  if (typeof value !== 'string') {
    return value;
  }
  if (kind === 'boolean' && (value === 'true' || value === 'false')) {
    return value === 'true';
  }
  return (kind === 'integer' || kind === 'number') && /^-?\d{1,15}(?:\.\d{1,15})?$/.test(value) ? Number(value) : value;
}

/** Reads the values; what is wrong is said of the names that were given. */
function checked(
  given: Fields,
  spellings: ReadonlyMap<string, string>,
  place: string,
  problems: Invalid[],
): Partial<Options> {
  const found: Invalid[] = [];
  const all = optionsIn(sectionOf({ options: given }, '', found), 'outrigger');
  const wrong = new Set<string>();
  for (const { place: inner, ...what } of found) {
    const [, name = '', rest = ''] = /^options\.(\w+)(.*)$/s.exec(inner) ?? [];
    wrong.add(name);
    problems.push({ place: entryOf(place, spellings.get(name) ?? name) + rest, ...what });
  }
  const set = Object.keys(given).filter(
    (name) => !wrong.has(name) && given[name] !== null && given[name] !== undefined,
  );
  return Object.fromEntries(set.map((name) => [name, all[name as keyof Options]]));
}

/**
 * Options as the functions take them, whose defaults are Outrigger's: the given options, and with Cluster Autoscaler's
 * defaults also the options whose default differs.
 */
export function optionsOver(defaults: OptionDefaults, given: Partial<Options>): Partial<Options> {
  if (defaults === 'outrigger') {
    return given;
  }
  const others = Object.keys(SPECS).filter((name) => getOwn(SPECS, name).clusterAutoscaler !== undefined);
  const theirs = defaultOptions(defaults);
  return { ...Object.fromEntries(others.map((name) => [name, theirs[name as keyof Options]])), ...given };
}

/** As documents have them. */
export const writeGivenOptions = (options: Partial<Options>): Manifest => writeOptions(options);
