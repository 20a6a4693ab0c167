import * as z from 'zod';
import { WARM_POOL_STATES } from '@outrigger/core/model/node-group.ts';
import { durationMs, minutes } from '@outrigger/core/model/values/time.ts';
import { readerOf } from '../manifest/fields.ts';
import { readTaint, writeTaint } from '../manifest/taints.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import { closed, flag, optionalText, orNull, raw, recordTable } from './document.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { API_VERSION, choice, group as groupName, name, uniqueNames } from './names.ts';
import { groupOptions, options } from './options.ts';
import { numberOrPercentage } from './number-or-percentage.ts';
import { amounts, count, integer, hourlyPrice } from './quantity.ts';
import { manifested } from './read.ts';
import { duration } from './time.ts';
import { documented } from './documented.ts';

/** A limit that protects the memory. */
const MOST_PODS = 100_000;

/** From launch to registration, and from there to Ready, unless a group overrides it. */
const BOOT: Span = { min: 25_000, max: 45_000 };
const READY: Span = { min: 3_000, max: 6_000 };

/** `30s`, or `{min: 25s, max: 45s}`. */
const span: z.ZodType<Span> = z.codec(
  z.union([closed({ min: duration, max: duration }), duration], 'a duration such as 30s, 10m or 1h30m'),
  z.custom<Span>(),
  {
    decode: (given, { issues }) => {
      const limits = typeof given === 'number' ? { min: given, max: given } : given;
      if (limits.min > limits.max) {
        issues.push({ code: 'custom', message: 'at most max', path: ['min'], input: limits.min });
      }
      return limits;
    },
    encode: ({ min, max }) => ({ min: durationMs(min), max: durationMs(max) }),
  },
);

const spanOr = (fallback: Span): z.ZodType<Span> =>
  z.codec(span.optional(), z.custom<Span>(), {
    decode: (given) => given ?? fallback,
    encode: (value) => value,
  });

const labels = recordTable(z.string('a string (numbers and true or false in quotes)')).default({});

const taint = manifested(readerOf(readTaint), writeTaint, {
  type: 'object',
  properties: { key: { type: 'string' }, value: { type: 'string' }, effect: { type: 'string' } },
  required: ['key', 'effect'],
});

/** The warm pool of one of `nodeGroups`. */
export const workloadWarmPool = closed({
  size: documented(
    count(1),
    'number of instances that wait at the start, and that the pool is filled up to',
    'required',
  ),
  state: documented(
    choice(WARM_POOL_STATES).default('Stopped'),
    '`Running`, `Hibernated` or `Stopped`: how they wait',
    '`Stopped`',
  ),
  reuse: documented(flag, 'an instance that is ended goes back to the pool', '`false`'),
  boot: documented(
    orNull(span),
    'from the start of an instance that waited to registration: `15s`, or `{min: 10s, max: 20s}`; no longer than the `boot` of the group',
    '5–10 s where they are running, 8–14 s hibernated, 12–20 s stopped; the `boot` of the group where that is shorter',
  ),
});

export type WarmPoolDocument = z.output<typeof workloadWarmPool>;

/** An entry of `nodeGroups`: an Auto Scaling group. */
export const workloadGroup = closed({
  name: documented(groupName, 'of the group, once', 'required'),
  zone: documented(optionalText, 'the zone of the instances', 'required, unless there are `zones`'),
  zones: documented(
    uniqueNames(name).default([]),
    'several zones; the group keeps them alike',
    'required, unless there is a `zone`',
  ),
  instanceType: documented(
    name,
    'what its instances are. Common types are known with what a node of them has for pods, and their price',
    'required',
  ),
  minSize: documented(count().default(0), 'the smallest size of the group', '0'),
  maxSize: documented(count(), 'the largest size of the group', 'required'),
  desiredSize: documented(orNull(count()), 'its size at the start', '`minSize`'),
  capacity: documented(
    orNull(amounts),
    '`{cpu, memory, pods, …}` of one node, for a type that is not known, or instead of what is',
    "the type's",
  ),
  allocatable: documented(
    orNull(amounts),
    'the capacity that is left for pods, where the node reserves some',
    "the type's, or `capacity`",
  ),
  price: documented(orNull(hourlyPrice), 'USD per hour of one node', "the type's"),
  labels: documented(labels, 'of its nodes, in addition to zone, region and instance type', 'none'),
  taints: documented(z.array(taint, 'a list').default([]), 'of its nodes, `{key, value, effect}`', 'none'),
  options: documented(
    raw(jsonSchemaOf(groupOptions)),
    "this group's own options, see [options.md](options.md)",
    'none',
  ),
  boot: documented(
    spanOr(BOOT),
    'from launch to registration: `30s`, or `{min: 25s, max: 45s}`, drawn for each instance',
    '25–45 s',
  ),
  ready: documented(spanOr(READY), 'from registration to Ready', '3–6 s'),
  warmPool: documented(
    workloadWarmPool.optional(),
    'its [warm pool](warm-pools.md), see below: `{size, state, reuse, boot}`',
    'it has none',
  ),
  available: documented(orNull(count()), 'number of instances that the cloud has for the group in total', 'any number'),
}).check(({ value, issues }) => {
  const { minSize, maxSize, desiredSize, zone, zones } = value;
  if (minSize > maxSize) {
    const message = `at most maxSize, which is ${maxSize}`;
    issues.push({ code: 'custom', message, path: ['minSize'], input: minSize });
  } else if (desiredSize !== null && (desiredSize < minSize || desiredSize > maxSize)) {
    const message = `a size from ${minSize} to ${maxSize}`;
    issues.push({ code: 'custom', message, path: ['desiredSize'], input: desiredSize });
  }
  if ((zone === '') === (zones.length === 0)) {
    const input = zone === '' ? null : zone;
    issues.push({ code: 'custom', message: 'either a zone or a list of zones', path: ['zone'], input });
  }
});

export type GroupDocument = z.output<typeof workloadGroup>;

const key = { name, namespace: z.string('a string').default('default') };
const pods = (min: number) => count(min).max(MOST_PODS, `at most ${MOST_PODS}`);

/** The fields of pods that Deployments and Jobs share. */
export const ofWorkloads = {
  requests: documented(orNull(amounts), 'what the one container of each pod asks for', 'nothing'),
  labels: documented(labels, 'of each pod, besides `app: NAME`', 'none'),
  annotations: documented(
    labels,
    'of each pod, such as `{cluster-autoscaler.kubernetes.io/safe-to-evict: "false"}`: it keeps the node of the pod',
    'none',
  ),
  minAvailable: documented(
    orNull(numberOrPercentage('a number of pods, or a percentage from 0% to 100%')),
    'a PodDisruptionBudget over all of them, of that many pods, or of a percentage of them such as `90%`, rounded up: no eviction goes below it',
    'no budget',
  ),
  spec: documented(raw({ type: 'object' }), 'see below', 'nothing more'),
};

const deploy = closed({ replicas: pods(1), ...key, ...ofWorkloads });
const job = closed({
  pods: pods(1),
  runsFor: duration,
  ttlSecondsAfterFinished: orNull(count()).describe('Seconds after its end at which the Job and its pods are deleted.'),
  ...key,
  ...ofWorkloads,
});

export type WorkloadDocument = Omit<z.output<typeof deploy>, 'replicas'>;

const STEPS = {
  deploy: deploy.optional().describe('A Deployment.'),
  job: job.optional().describe('A Job whose pods all run at the same time.'),
  scale: closed({ ...key, replicas: pods(0) })
    .optional()
    .describe('Another number of pods for a Deployment.'),
  delete: closed(key).optional().describe('A workload goes, its pods with it.'),
  capacity: closed({ group: groupName, available: count() })
    .optional()
    .describe('Sets the number of instances that the cloud has for this group.'),
  interruption: closed({ group: groupName, zone: optionalText, notice: duration.default(minutes(2)) })
    .optional()
    .describe('The cloud takes back an instance of this group, as EC2 does with a Spot instance.'),
};

const step = closed({ at: duration, ...STEPS }).check(({ value, issues }) => {
  const given = Object.keys(STEPS).filter((kind) => value[kind as keyof typeof STEPS] !== undefined);
  if (given.length !== 1) {
    const expected = `exactly one of ${Object.keys(STEPS).join(', ')}`;
    const invalid = { place: '', expected, found: given.length === 0 ? 'none of them' : given.join(', ') };
    issues.push({ code: 'custom', message: expected, input: value, params: { invalid } });
  }
});

export type StepDocument = z.output<typeof step>;

/** At least one of something. */
const some = <T>(item: z.ZodType<T>, expected: string) =>
  z.array(item, { error: ({ input }) => (input === undefined ? expected : 'a list') }).min(1, expected);

/** The input of `outrigger demo`: a simulated cluster, and changes of its workloads over time. */
export const workload = closed({
  apiVersion: z.literal(API_VERSION, API_VERSION),
  kind: z.literal('Workload', 'Workload'),
  metadata: closed({ name: z.string('a string').default('load') }).default({ name: 'load' }),
  seed: integer.default(1).describe('the only randomness'),
  options: raw(jsonSchemaOf(options)),
  nodeGroups: some(workloadGroup, 'at least one node group'),
  load: some(step, 'at least one step'),
  until: orNull(duration).describe('The run ends then, and not when the cluster is idle.'),
});
