import {
  CLUSTER_OPTIONS,
  type DrainPriority,
  GROUP_OPTIONS,
  type GroupOptions,
  type OptionDefaults,
  type OptionSpec,
  type Options,
  type Range,
  defaultOptions,
  rangeOf,
} from '../../core/model/options.ts';
import { type DurationMs, formatDuration } from '../../core/model/time.ts';
import { type Fields, type Manifest, objectIn } from '../manifest/fields.ts';
import { type Invalid, type Reader, entryOf, fieldOf, itemOf, report } from '../manifest/invalid.ts';
import { didYouMean, suggestion } from '../schema/known-fields.ts';
import { readDuration } from './values.ts';

type Table = Readonly<Record<string, OptionSpec>>;

const ALL: Table = { ...CLUSTER_OPTIONS, ...GROUP_OPTIONS };

/** Spellings that are taken beside Cluster Autoscaler's own. */
export const OTHER_SPELLINGS: Readonly<Record<string, string>> = {
  maxNodesPerScaleUp: 'maxNodesPerScaleup',
  maxNodeGroupBinpackingDuration: 'maxNodegroupBinpackingDuration',
  blockingSystemPodDisruptionTimeout: 'blockingSystemPodDistruptionTimeout',
  ignoreDaemonsetsUtilization: 'ignoreDaemonSetsUtilization',
  startupTaints: 'startupTaint',
  ignoreTaint: 'startupTaint',
  statusTaints: 'statusTaint',
  balancingLabels: 'balancingLabel',
  balancingIgnoreLabels: 'balancingIgnoreLabel',
  gpuTotals: 'gpuTotal',
  expanders: 'expander',
};

/**
 * Reads `options`: Cluster Autoscaler's flag names in camelCase.
 *
 * @param defaults whose default an absent option takes.
 */
export function optionsIn(
  from: Fields,
  key: string,
  place: string,
  problems: Invalid[],
  defaults: OptionDefaults,
): Options {
  const at = fieldOf(place, key);
  const given = readTable(objectIn(from, key, place, problems), ALL, at, problems);
  const options: Options = { ...defaultOptions(defaults), ...given };
  if (options.balancingLabel.length > 0 && options.balancingIgnoreLabel.length > 0) {
    const what = 'none beside balancingLabel, which replaces all comparison';
    report(problems, fieldOf(at, 'balancingIgnoreLabel'), what, options.balancingIgnoreLabel);
  }
  return options;
}

/** Reads `options` of a node group: those that override the cluster's for this group. */
export const groupOptionsIn = (from: Fields, key: string, place: string, problems: Invalid[]): Partial<GroupOptions> =>
  readTable(objectIn(from, key, place, problems), GROUP_OPTIONS, fieldOf(place, key), problems);

function readTable(fields: Fields, table: Table, place: string, problems: Invalid[]): Record<string, unknown> {
  const given = new Map<string, string>();
  const values: Record<string, unknown> = {};
  for (const [spelling, raw] of Object.entries(fields)) {
    const name = nameOf(spelling, table);
    const at = entryOf(place, spelling);
    if (name === null) {
      report(problems, at, expectation(spelling, table), spelling);
    } else if (given.has(name)) {
      report(problems, at, `each option once (${given.get(name)} is the same one)`, spelling);
    } else if (raw !== null && raw !== undefined) {
      given.set(name, spelling);
      values[name] = readOption(table[name]!)(raw, at, problems);
    }
  }
  return values;
}

function nameOf(spelling: string, table: Table): string | null {
  const name = Object.hasOwn(OTHER_SPELLINGS, spelling) ? OTHER_SPELLINGS[spelling]! : spelling;
  return Object.hasOwn(table, name) ? name : Object.hasOwn(table, spelling) ? spelling : null;
}

const expectation = (spelling: string, table: Table): string =>
  nameOf(spelling, ALL) === null
    ? suggestion('a known option', spelling, Object.keys(table))
    : 'an option of a node group (this one is of the whole cluster)';

/** Reads the value of one option. */
function readOption(spec: OptionSpec): Reader<unknown> {
  switch (spec.kind) {
    case 'boolean':
      return readBoolean;
    case 'integer':
      return readInteger(spec.min);
    case 'number':
      return readNumber(spec.min, spec.max);
    case 'duration':
      return readDuration;
    case 'string':
      return readText;
    case 'namespace':
      return readNamespace;
    case 'strings':
      return readList(readText);
    case 'choice':
      return readChoice(spec.choices);
    case 'choices':
      return readChoices(spec.choices);
    case 'range':
      return readRange;
    case 'gpuRanges':
      return readList(readGpuRange);
    case 'drainPriorities':
      return readDrainPriorities;
  }
}

const readBoolean: Reader<boolean> = (raw, place, problems) => {
  if (typeof raw !== 'boolean') {
    report(problems, place, 'true or false', raw);
  }
  return raw === true;
};

const readInteger =
  (min: number): Reader<number> =>
  (raw, place, problems) => {
    if (!Number.isSafeInteger(raw) || (raw as number) < min) {
      report(problems, place, min <= -1e15 ? 'an integer' : `an integer of at least ${min}`, raw);
      return 0;
    }
    return (raw as number) + 0;
  };

const readNumber =
  (min: number, max: number): Reader<number> =>
  (raw, place, problems) => {
    if (typeof raw !== 'number' || !(raw >= min && raw <= max)) {
      report(problems, place, `a number ${rangeOf({ min, max })}`, raw);
      return min;
    }
    return raw + 0;
  };

const readText: Reader<string> = (raw, place, problems) => {
  if (typeof raw !== 'string' || raw === '') {
    report(problems, place, 'a string', raw);
    return '';
  }
  return raw;
};

/** A DNS label, as the API server takes for the name of a namespace: it becomes a part of paths. */
const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

const readNamespace: Reader<string> = (raw, place, problems) => {
  if (typeof raw !== 'string' || raw.length > 63 || !NAMESPACE.test(raw)) {
    report(problems, place, 'the name of a namespace such as kube-system', raw);
    return '';
  }
  return raw;
};

/** A list, or one item without the brackets. */
const readList =
  (readItem: Reader<string>): Reader<readonly string[]> =>
  (raw, place, problems) =>
    Array.isArray(raw)
      ? raw.map((item, index) => readItem(item, itemOf(place, index), problems))
      : [readItem(raw, place, problems)];

const readChoice =
  (choices: readonly string[]): Reader<string> =>
  (raw, place, problems) => {
    if (typeof raw === 'string' && choices.includes(raw)) {
      return raw;
    }
    const hint = typeof raw === 'string' ? didYouMean(raw, choices) : '';
    report(problems, place, `one of ${choices.join(', ')}${hint}`, raw);
    return choices[0]!;
  };

/** A list of choices, or a chain with commas as on a command line. */
const readChoices =
  (choices: readonly string[]): Reader<readonly string[]> =>
  (raw, place, problems) => {
    const items: readonly unknown[] = typeof raw === 'string' ? raw.split(',').map((item) => item.trim()) : asList(raw);
    if (items.length === 0) {
      report(problems, place, `at least one of ${choices.join(', ')}`, raw);
    }
    const chosen: string[] = [];
    for (const [index, item] of items.entries()) {
      const at = typeof raw === 'string' ? place : itemOf(place, index);
      if (typeof item !== 'string' || !choices.includes(item)) {
        const hint = typeof item === 'string' ? didYouMean(item, choices) : '';
        report(problems, at, `one of ${choices.join(', ')}${hint}`, item);
      } else if (chosen.includes(item)) {
        report(problems, at, 'each name once', item);
      } else if (chosen.includes('random')) {
        // A random choice leaves one: there is nothing left to choose from.
        report(problems, at, 'nothing after random', item);
      } else {
        chosen.push(item);
      }
    }
    return chosen;
  };

const asList = (raw: unknown): readonly unknown[] => (Array.isArray(raw) ? raw : [raw]);

const RANGE = /^(\d{1,15}):(\d{1,15})$/;

const readRange: Reader<Range> = (raw, place, problems) => {
  const match = typeof raw === 'string' ? RANGE.exec(raw) : null;
  const range = { min: Number(match?.[1]), max: Number(match?.[2]) };
  if (match === null || range.min > range.max) {
    report(problems, place, 'a range min:max such as 0:320000', raw);
    return { min: 0, max: 0 };
  }
  return range;
};

const readGpuRange: Reader<string> = (raw, place, problems) => {
  const match = typeof raw === 'string' ? /^([^:]+):(\d{1,15}):(\d{1,15})$/.exec(raw) : null;
  if (match === null || Number(match[2]) > Number(match[3])) {
    report(problems, place, 'a range type:min:max such as nvidia-tesla-t4:0:8', raw);
    return '';
  }
  return match[0];
};

/** Lowest priority first, as Cluster Autoscaler sorts them; an empty text is none. */
const readDrainPriorities: Reader<readonly DrainPriority[]> = (raw, place, problems) => {
  const pairs = typeof raw === 'string' ? raw.split(',').filter((pair) => pair.trim() !== '') : [''];
  const priorities = pairs.map((pair) => /^\s*(-?\d{1,10}):(\d{1,10})\s*$/.exec(pair));
  const distinct = new Set(priorities.map((match) => Number(match?.[1])));
  if (priorities.includes(null) || distinct.size < priorities.length) {
    report(problems, place, 'pairs priority:seconds such as 0:60,1000:120, each priority once', raw);
    return [];
  }
  return priorities
    .map((match) => ({ priority: Number(match![1]), graceSeconds: Number(match![2]) }))
    .sort((a, b) => a.priority - b.priority);
};

/** Writes one option's value as it is read. */
export function writeOption(spec: OptionSpec, value: unknown): unknown {
  switch (spec.kind) {
    case 'duration':
      return formatDuration(value as DurationMs);
    case 'range':
      return `${(value as Range).min}:${(value as Range).max}`;
    case 'drainPriorities':
      return (value as readonly DrainPriority[])
        .map(({ priority, graceSeconds }) => `${priority}:${graceSeconds}`)
        .join(',');
    case 'boolean':
    case 'integer':
    case 'number':
    case 'string':
    case 'namespace':
    case 'strings':
    case 'choice':
    case 'choices':
    case 'gpuRanges':
      return value;
  }
}

/** Writes options, every one of them: a document says what it was decided by, whatever the defaults are one day. */
export const writeOptions = (options: Partial<Options>): Manifest =>
  Object.fromEntries(
    Object.entries(options).map(([name, value]) => [
      name,
      Object.hasOwn(ALL, name) ? writeOption(ALL[name]!, value) : value,
    ]),
  );
