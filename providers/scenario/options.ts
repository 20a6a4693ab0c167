import { getOwn } from '@outrigger/core/model/values/existing.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import * as z from 'zod';
import { type GroupOptions, type OptionDefaults, type Options, defaultOptions } from '@outrigger/core/model/options.ts';
import { type Manifest, type Section, objectIn } from '../manifest/fields.ts';
import { entryOf, fieldOf, report } from '../manifest/invalid.ts';
import { suggestion } from '../schema/known-fields.ts';
import { camelCase, FORMER_OPTIONS, GROUP_OPTION_CODECS, OPTION_CODECS, OTHER_SPELLINGS } from '../schema/options.ts';
import { readBy } from '../schema/read.ts';

type Table = typeof OPTION_CODECS;

/**
 * Reads `options`: Cluster Autoscaler's flag names in camelCase or in kebab-case.
 *
 * @param defaults whose default an absent option takes.
 */
export function optionsIn(from: Section, defaults: OptionDefaults): Options {
  const written = objectIn(from, 'options');
  const { place: at, problems } = written;
  const given = readTable(written, OPTION_CODECS);
  const options: Options = { ...defaultOptions(defaults), ...given };
  if (options.balancingLabel.length > 0 && options.balancingIgnoreLabel.length > 0) {
    const what = 'none with balancingLabel, which replaces all comparison';
    report(problems, fieldOf(at, 'balancingIgnoreLabel'), what, options.balancingIgnoreLabel);
  }
  const ofExpander = fieldOf(at, 'externalExpander');
  const isReported = problems.some((problem) => problem.place === ofExpander);
  if (options.expander.includes('external') && options.externalExpander === '' && !isReported) {
    report(problems, ofExpander, 'the ARN of the Lambda function that the expander external asks', undefined);
  }
  return options;
}

/** Reads `options` of a node group: options that override the cluster's for this group. */
export const groupOptionsIn = (from: Section): Partial<GroupOptions> =>
  readTable(objectIn(from, 'options'), GROUP_OPTION_CODECS);

/** Reads options under any of their spellings, each once; what cannot be read is left out. */
function readTable({ fields, place, problems }: Section, table: Table): Record<string, unknown> {
  const given = new Map<string, string>();
  const values: Record<string, unknown> = {};
  for (const [spelling, raw] of Object.entries(fields)) {
    const name = nameOf(spelling, table);
    const at = entryOf(place, spelling);
    if (Object.hasOwn(FORMER_OPTIONS, camelCase(spelling))) {
      continue;
    }
    if (name === null) {
      report(problems, at, expectation(spelling, table), spelling);
    } else if (given.has(name)) {
      report(problems, at, `each option once (${given.get(name)} is the same one)`, spelling);
    } else if (raw !== null && raw !== undefined) {
      given.set(name, spelling);
      const value = readBy(getOwn(table, name), raw, at, problems);
      if (value !== null) {
        values[name] = value;
      }
    }
  }
  return values;
}

function nameOf(spelling: string, table: Table): string | null {
  const camel = camelCase(spelling);
  return [valueOf(OTHER_SPELLINGS, camel) ?? camel, camel].find((name) => Object.hasOwn(table, name)) ?? null;
}

function expectation(spelling: string, table: Table): string {
  if (nameOf(spelling, OPTION_CODECS) !== null) {
    return 'an option of a node group (this one is of the whole cluster)';
  }
  if (spelling === 'options') {
    return 'a known option (those of a file are at its top, without options: around them)';
  }
  return suggestion('a known option', spelling, Object.keys(table));
}

/** Writes an option's value in the form in which it is read. */
export const writeOption = (name: string, value: unknown): unknown =>
  Object.hasOwn(OPTION_CODECS, name) ? z.encode(getOwn(OPTION_CODECS, name), value) : value;

/** Writes all options: a document contains the options of its decision, whatever later defaults are. */
export const writeOptions = (options: Partial<Options>): Manifest =>
  Object.fromEntries(Object.entries(options).map(([name, value]) => [name, writeOption(name, value)]));
