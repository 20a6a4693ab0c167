import { firstItem, getOwn, itemAt } from '@outrigger/core/model/values/existing.ts';
import * as z from 'zod';
import {
  CLUSTER_OPTIONS,
  type DrainPriority,
  GROUP_OPTIONS,
  type GpuRange,
  type OptionSpec,
  type Range,
  rangeOf,
} from '@outrigger/core/model/options.ts';
import { capacitySchedules } from './capacity-schedules.ts';
import { prices } from './prices.ts';
import { disruptionBudgets } from './node-budgets.ts';
import { AUTO } from '@outrigger/core/model/unneeded-time.ts';
import { closed } from './document.ts';
import { choice } from './names.ts';
import { refuse } from './read.ts';
import { duration } from './time.ts';

/** Accepted spellings beside Cluster Autoscaler's. */
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

/** Options of the version before, which have no effect, and why. */
export const FORMER_OPTIONS: Readonly<Record<string, string>> = {
  packingImprovementRatio: 'Plans are made by first-fit-decreasing alone.',
  packingImprovementBudget: 'Plans are made by first-fit-decreasing alone.',
  predictedPlacementRatio: 'With plannedPlacement pods run where the plan has them.',
  predictedPlacementBudget: 'With plannedPlacement pods run where the plan has them.',
};

/** The value of one option: in documents, and in the core. */
function codecOf(spec: OptionSpec): z.ZodType {
  switch (spec.kind) {
    case 'boolean':
      return z.boolean('true or false');
    case 'integer':
      return integer(spec.min);
    case 'number':
      return number(spec);
    case 'duration':
      return duration;
    case 'durationOrAuto':
      return durationOrAuto;
    case 'string':
      return text;
    case 'namespace':
      return namespace;
    case 'objectName':
      return objectName;
    case 'functionArn':
      return functionArn;
    case 'strings':
      return oneOrMany(text, 'a string');
    case 'choice':
      return choice(spec.choices);
    case 'choices':
      return chain(spec.choices);
    case 'range':
      return range;
    case 'gpuRanges':
      return oneOrMany(gpuRange, A_GPU_RANGE);
    case 'drainPriorities':
      return drainPriorities;
    case 'prices':
      return prices;
    case 'disruptionBudgets':
      return disruptionBudgets;
    case 'capacitySchedules':
      return capacitySchedules;
  }
}

const DURATION_OR_AUTO = 'a duration such as 30s, 10m or 1h30m, or auto';

const durationOrAuto = z.union([z.literal(AUTO), duration], DURATION_OR_AUTO);

const text = z.string('a string').min(1, 'a string');

function integer(min: number): z.ZodType {
  const expected = min === Number.MIN_SAFE_INTEGER ? 'an integer' : `an integer of at least ${min}`;
  return z
    .int(expected)
    .min(min, expected)
    .overwrite((value) => value + 0);
}

function number(limits: Range): z.ZodType {
  const expected = `a number ${rangeOf(limits)}`;
  const atLeast = z
    .number(expected)
    .min(limits.min, expected)
    .overwrite((value) => value + 0);
  return limits.max === Number.MAX_VALUE ? atLeast : atLeast.max(limits.max, expected);
}

const A_NAMESPACE = 'the name of a namespace such as kube-system';
/** A DNS label, as in the name of a namespace: it becomes part of request paths. */
const namespace = z.string(A_NAMESPACE).regex(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/, A_NAMESPACE);

const AN_OBJECT_NAME = 'the name of an object such as cluster-autoscaler-status';
/** A DNS subdomain. */
const objectName = z
  .string(AN_OBJECT_NAME)
  .max(253, AN_OBJECT_NAME)
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/, AN_OBJECT_NAME);

const A_FUNCTION_ARN = 'the ARN of a Lambda function such as arn:aws:lambda:eu-west-1:111122223333:function:expander';
/** Empty: none. */
const functionArn = z
  .string(A_FUNCTION_ARN)
  .regex(/^$|^arn:aws[-a-z]*:lambda:[-a-z0-9]+:\d{12}:function:[-\w]{1,64}(:[-$\w]{1,128})?$/, A_FUNCTION_ARN);

/** A list, or one item without the brackets. */
const oneOrMany = <T>(item: z.ZodType<T>, expected: string): z.ZodType<readonly T[]> =>
  z.codec(z.union([z.array(item), item], expected), z.custom<readonly T[]>(), {
    decode: (given) => (Array.isArray(given) ? given : [given]),
    encode: (items) => items as T[],
  });

/** A list of choices, or a chain with commas as on a command line. */
const chain = (choices: readonly string[]): z.ZodType<readonly string[]> =>
  z.codec(
    z.union([z.array(choice(choices)), z.string()], `one of ${choices.join(', ')}`),
    z.custom<readonly string[]>(),
    {
      decode: (given, ctx) => {
        const items = typeof given === 'string' ? given.split(',').map((item) => item.trim()) : given;
        for (const [index, item] of items.entries()) {
          const message = mistakeIn(choices, items, index);
          if (message !== null) {
            ctx.issues.push({ code: 'custom', message, input: item, path: typeof given === 'string' ? [] : [index] });
          }
        }
        return items.length === 0 ? refuse(ctx, `at least one of ${choices.join(', ')}`) : items;
      },
      encode: (items) => [...items],
    },
  );

/** The problem of one link of a chain. */
function mistakeIn(choices: readonly string[], items: readonly string[], index: number): string | null {
  const item = itemAt(items, index);
  const known = choice(choices).safeParse(item);
  if (!known.success) {
    return firstItem(known.error.issues).message;
  }
  const before = new Set(items.slice(0, index));
  if (before.has(item)) {
    return 'each name once';
  }
  // After a random choice only one option is left.
  return before.has('random') ? 'nothing after random' : null;
}

const A_RANGE = 'a range min:max such as 0:320000';
const RANGE = /^(\d{1,15}):(\d{1,15})$/;

const range = z.codec(z.string(A_RANGE).meta({ pattern: RANGE.source }), z.custom<Range>(), {
  decode: (given, ctx): Range => {
    const match = RANGE.exec(given);
    const limits = { min: Number(match?.[1]), max: Number(match?.[2]) };
    return match !== null && limits.min <= limits.max ? limits : refuse(ctx, A_RANGE);
  },
  encode: ({ min, max }) => `${min}:${max}`,
});

const A_GPU_RANGE = 'a range type:min:max such as nvidia-tesla-t4:0:8';
const GPU_RANGE = /^([^:]+):(\d{1,15}):(\d{1,15})$/;

const gpuRange = z.codec(z.string(A_GPU_RANGE).meta({ pattern: GPU_RANGE.source }), z.custom<GpuRange>(), {
  decode: (given, ctx): GpuRange => {
    const match = GPU_RANGE.exec(given);
    const limits = { type: match?.[1] ?? '', min: Number(match?.[2]), max: Number(match?.[3]) };
    return match !== null && limits.min <= limits.max ? limits : refuse(ctx, A_GPU_RANGE);
  },
  encode: ({ type, min, max }) => `${type}:${min}:${max}`,
});

const PAIRS = 'pairs priority:seconds such as 0:60,1000:120, each priority once';

/** Lowest priority first, as Cluster Autoscaler sorts them; an empty text is none. */
const drainPriorities = z.codec(z.string(PAIRS), z.custom<readonly DrainPriority[]>(), {
  decode: (given, ctx) => {
    const pairs = given.split(',').filter((pair) => pair.trim() !== '');
    const priorities = pairs
      .map((pair) => /^\s*(-?\d{1,10}):(\d{1,10})\s*$/.exec(pair))
      .filter((match) => match !== null)
      .map(([, priority, graceSeconds]) => ({ priority: Number(priority), graceSeconds: Number(graceSeconds) }));
    const distinct = new Set(priorities.map(({ priority }) => priority));
    return distinct.size === pairs.length ? priorities.toSorted((a, b) => a.priority - b.priority) : refuse(ctx, PAIRS);
  },
  encode: (priorities) => priorities.map(({ priority, graceSeconds }) => `${priority}:${graceSeconds}`).join(','),
});

type Codecs = Readonly<Record<string, z.ZodType>>;

const codecsOf = (table: Readonly<Record<string, OptionSpec>>): Codecs =>
  Object.fromEntries(Object.entries(table).map(([name, spec]) => [name, codecOf(spec)]));

/** The options that a node group may override. */
export const GROUP_OPTION_CODECS = codecsOf(GROUP_OPTIONS);
/** All options. */
export const OPTION_CODECS: Codecs = { ...codecsOf(CLUSTER_OPTIONS), ...GROUP_OPTION_CODECS };

/** An object with each option under all of its spellings. */
function objectOf(codecs: Codecs): z.ZodType {
  const specs: Readonly<Record<string, OptionSpec>> = { ...CLUSTER_OPTIONS, ...GROUP_OPTIONS };
  return closed({
    ...Object.fromEntries(
      Object.entries(codecs).map(([name, codec]) => [
        name,
        codec
          .optional()
          .meta({ description: getOwn(specs, name).help, default: z.encode(codec, getOwn(specs, name).default) }),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(OTHER_SPELLINGS)
        .filter(([, name]) => Object.hasOwn(codecs, name))
        .map(([spelling, name]) => [spelling, getOwn(codecs, name).optional().describe(`The same as ${name}.`)]),
    ),
  });
}

export const options = objectOf(OPTION_CODECS);
export const groupOptions = objectOf(GROUP_OPTION_CODECS);

/** `max-nodes-total` is the option `maxNodesTotal`. */
export const camelCase = (flag: string): string =>
  flag.replaceAll(/[-_]([a-z0-9])/g, (_match, letter: string) => letter.toUpperCase());
