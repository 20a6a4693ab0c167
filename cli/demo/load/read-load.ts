import { byName, groupName } from '../../../core/model/values/names.ts';
import { CPU, MEMORY, NO_RESOURCES, PODS, type Resources } from '../../../core/model/values/resources.ts';
import type { DurationMs } from '../../../core/model/values/time.ts';
import { amountsIn, wholeAmountsIn } from '../../../providers/manifest/amounts.ts';
import {
  type Fields,
  integerIn,
  itemsIn,
  labelsIn,
  nameIn,
  objectIn,
  optionalObjectIn,
  readFields,
  stringIn,
} from '../../../providers/manifest/fields.ts';
import { type Invalid, type Reader, fieldOf, itemOf, report } from '../../../providers/manifest/invalid.ts';
import { readPodSpec } from '../../../providers/manifest/pod-spec.ts';
import { readTaint } from '../../../providers/manifest/taints.ts';
import { type Result, err, ok } from '../../../core/model/values/result.ts';
import { nearest, reportUnknownFields } from '../../../providers/schema/known-fields.ts';
import { groupOptionsIn, optionsIn } from '../../../providers/scenario/options.ts';
import { API_VERSION } from '../../../providers/schema/names.ts';
import { countIn, namesIn, readDuration } from '../../../providers/scenario/values.ts';
import type { Span } from '../../../providers/simulated/chance.ts';
import type { ScalingGroup } from '../../../providers/simulated/scaling-group.ts';
import { type Workload, workloadKey } from '../../../providers/simulated/workload.ts';
import { describeType, KNOWN_TYPES } from './instance-types.ts';
import type { Load, LoadStep, Step } from './load.ts';

const BOOT: Span = { min: 25_000, max: 45_000 };
const READY: Span = { min: 3_000, max: 6_000 };
const DEFAULT_SEED = 1;
/** More would only fill the memory. */
const MOST_PODS = 100_000;

/** Reads a load document, as YAML or JSON gives it: the load, or everything that is wrong with it. */
export function readLoad(raw: unknown): Result<Load, readonly Invalid[]> {
  const problems: Invalid[] = [];
  const document = readFields(raw, '', problems);
  if (problems.length === 0) {
    reportWrongDocument(document, problems);
  }
  if (problems.length > 0) {
    return err(problems);
  }
  reportUnknownFields(
    document,
    ['apiVersion', 'kind', 'metadata', 'seed', 'options', 'nodeGroups', 'load', 'until'],
    '',
    problems,
  );
  const steps = itemsIn(document, 'load', '', problems, readStep);
  const load: Load = {
    name: stringIn(objectIn(document, 'metadata', '', problems), 'name', 'metadata', problems, 'load'),
    seed: integerIn(document, 'seed', '', problems, DEFAULT_SEED),
    options: optionsIn(document, 'options', '', problems, 'outrigger'),
    groups: itemsIn(document, 'nodeGroups', '', problems, readGroup),
    // Sorting is stable: what is asked for at the same time happens in the order in which it is written.
    steps: steps.toSorted((a, b) => a.at - b.at),
    until: optionalDurationIn(document, 'until', '', problems),
  };
  if (load.groups.length === 0) {
    report(problems, 'nodeGroups', 'at least one node group', document['nodeGroups']);
  }
  if (steps.length === 0) {
    report(problems, 'load', 'at least one step', document['load']);
  }
  if (problems.length === 0) {
    reportClashes(load.groups, steps, problems);
  }
  return problems.length > 0 ? err(problems) : ok(load);
}

function reportWrongDocument(document: Fields, problems: Invalid[]): void {
  if (document['apiVersion'] !== API_VERSION) {
    report(problems, 'apiVersion', API_VERSION, document['apiVersion']);
  }
  if (document['kind'] !== 'Workload') {
    report(problems, 'kind', 'Workload', document['kind']);
  }
}

const readGroup: Reader<ScalingGroup> = (raw, place, problems) => {
  const group = readFields(raw, place, problems);
  reportUnknownFields(
    group,
    [
      'name',
      'zone',
      'zones',
      'instanceType',
      'minSize',
      'maxSize',
      'desiredSize',
      'capacity',
      'allocatable',
      'price',
      'labels',
      'taints',
      'options',
      'boot',
      'ready',
      'available',
    ],
    place,
    problems,
  );
  const minSize = optionalCountIn(group, 'minSize', place, problems) ?? 0;
  const maxSize = countIn(group, 'maxSize', place, problems);
  const desiredSize = optionalCountIn(group, 'desiredSize', place, problems) ?? minSize;
  if (minSize > maxSize) {
    report(problems, fieldOf(place, 'minSize'), `at most maxSize, which is ${maxSize}`, minSize);
  } else if (desiredSize < minSize || desiredSize > maxSize) {
    report(problems, fieldOf(place, 'desiredSize'), `a size from ${minSize} to ${maxSize}`, desiredSize);
  }
  const instanceType = nameIn(group, 'instanceType', place, problems);
  return {
    name: groupName(nameIn(group, 'name', place, problems)),
    zones: zonesIn(group, place, problems),
    instanceType,
    minSize,
    maxSize,
    desiredSize,
    ...shapeIn(group, instanceType, place, problems),
    labels: labelsIn(group, 'labels', place, problems),
    taints: itemsIn(group, 'taints', place, problems, readTaint),
    options: groupOptionsIn(group, 'options', place, problems),
    boot: spanIn(group, 'boot', place, problems, BOOT),
    ready: spanIn(group, 'ready', place, problems, READY),
    available: optionalCountIn(group, 'available', place, problems) ?? Number.POSITIVE_INFINITY,
  };
};

/** `zone: us-east-1a`, or several as `zones`. */
function zonesIn(group: Fields, place: string, problems: Invalid[]): readonly string[] {
  const zones = namesIn(group, 'zones', place, problems);
  const zone = stringIn(group, 'zone', place, problems);
  if ((zone === '') === (zones.length === 0)) {
    report(problems, fieldOf(place, 'zone'), 'either a zone or a list of zones', zone === '' ? null : zone);
  }
  return zones.length > 0 ? zones : [zone];
}

/** What one instance has and costs: said in the document, or known of the type. */
function shapeIn(
  group: Fields,
  instanceType: string,
  place: string,
  problems: Invalid[],
): Pick<ScalingGroup, 'capacity' | 'allocatable' | 'price'> {
  const known = describeType(instanceType);
  const given = wholeAmountsIn(group, 'capacity', place, problems);
  if (known === null && given === null && instanceType !== '') {
    report(
      problems,
      fieldOf(place, 'instanceType'),
      expectedOneOf('a known type, or its capacity in capacity: {cpu, memory, pods}', instanceType, KNOWN_TYPES),
      instanceType,
    );
  }
  const capacity: Resources =
    given === null ? (known?.capacity ?? {}) : { [CPU]: 0, [MEMORY]: 0, [PODS]: 110, ...given };
  const allocatable = wholeAmountsIn(group, 'allocatable', place, problems);
  return {
    capacity,
    allocatable: { ...(given === null ? (known?.allocatable ?? {}) : capacity), ...allocatable },
    price: priceIn(group, place, problems) ?? known?.price ?? null,
  };
}

function priceIn(group: Fields, place: string, problems: Invalid[]): number | null {
  const raw = group['price'];
  if (raw === undefined || raw === null) {
    return null;
  }
  if (typeof raw !== 'number' || !(raw >= 0)) {
    report(problems, fieldOf(place, 'price'), 'a price in USD per hour', raw);
    return null;
  }
  return raw;
}

/** `30s`, or `{min: 25s, max: 45s}`. */
function spanIn(from: Fields, key: string, place: string, problems: Invalid[], fallback: Span): Span {
  const raw = from[key];
  const at = fieldOf(place, key);
  if (raw === undefined || raw === null) {
    return fallback;
  }
  if (typeof raw !== 'object') {
    const length = readDuration(raw, at, problems);
    return { min: length, max: length };
  }
  const span = readFields(raw, at, problems);
  reportUnknownFields(span, ['min', 'max'], at, problems);
  const min = readDuration(span['min'], fieldOf(at, 'min'), problems);
  const max = readDuration(span['max'], fieldOf(at, 'max'), problems);
  if (min > max) {
    report(problems, fieldOf(at, 'min'), 'at most max', span['min']);
  }
  return { min, max };
}

const STEPS = ['deploy', 'job', 'scale', 'delete', 'capacity'] as const;

const readStep: Reader<LoadStep> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  reportUnknownFields(fields, ['at', ...STEPS], place, problems);
  const at = readDuration(fields['at'], fieldOf(place, 'at'), problems);
  const [kind, ...more] = STEPS.filter((name) => fields[name] !== undefined && fields[name] !== null);
  if (kind === undefined || more.length > 0) {
    problems.push({
      place,
      expected: `exactly one of ${STEPS.join(', ')}`,
      found: kind === undefined ? 'none of them' : [kind, ...more].join(', '),
    });
    return { at, kind: 'delete', workload: '' };
  }
  return { at, ...BY_KIND[kind](fields[kind], fieldOf(place, kind), problems) };
};

/** Fields of Deployments and Jobs alike. */
const OF_WORKLOADS = ['name', 'namespace', 'requests', 'labels', 'annotations', 'minAvailable', 'spec'] as const;

const BY_KIND: Readonly<Record<(typeof STEPS)[number], Reader<Step>>> = {
  deploy: (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    reportUnknownFields(fields, ['replicas', ...OF_WORKLOADS], place, problems);
    const pods = podsIn(fields, 'replicas', place, problems);
    return { kind: 'deploy', workload: workloadIn(fields, 'Deployment', pods, null, place, problems) };
  },
  job: (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    reportUnknownFields(fields, ['pods', 'runsFor', ...OF_WORKLOADS], place, problems);
    const pods = podsIn(fields, 'pods', place, problems);
    const runsFor = readDuration(fields['runsFor'], fieldOf(place, 'runsFor'), problems);
    return { kind: 'job', workload: workloadIn(fields, 'Job', pods, runsFor, place, problems) };
  },
  scale: (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    reportUnknownFields(fields, ['name', 'namespace', 'replicas'], place, problems);
    return {
      kind: 'scale',
      workload: keyIn(fields, place, problems),
      pods: podsIn(fields, 'replicas', place, problems, 0),
    };
  },
  delete: (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    reportUnknownFields(fields, ['name', 'namespace'], place, problems);
    return { kind: 'delete', workload: keyIn(fields, place, problems) };
  },
  capacity: (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    reportUnknownFields(fields, ['group', 'available'], place, problems);
    return {
      kind: 'capacity',
      group: groupName(nameIn(fields, 'group', place, problems)),
      available: countIn(fields, 'available', place, problems),
    };
  },
};

const keyIn = (fields: Fields, place: string, problems: Invalid[]): string =>
  workloadKey({
    namespace: stringIn(fields, 'namespace', place, problems, 'default'),
    name: nameIn(fields, 'name', place, problems),
  });

function workloadIn(
  fields: Fields,
  kind: Workload['kind'],
  pods: number,
  runsFor: DurationMs | null,
  place: string,
  problems: Invalid[],
): Workload {
  const name = nameIn(fields, 'name', place, problems);
  const requests = amountsIn(fields, 'requests', place, problems);
  const spec = optionalObjectIn(fields, 'spec', place, problems) ?? {};
  const whole = 'containers' in spec;
  if (whole && requests !== null) {
    report(problems, fieldOf(place, 'requests'), 'nothing, for spec.containers say it', fields['requests']);
  }
  const minAvailable = optionalCountIn(fields, 'minAvailable', place, problems);
  const read = readPodSpec(whole ? spec : { ...spec, containers: [] }, fieldOf(place, 'spec'), problems);
  return {
    kind,
    namespace: stringIn(fields, 'namespace', place, problems, 'default'),
    name,
    pods,
    labels: { app: name, ...labelsIn(fields, 'labels', place, problems) },
    annotations: labelsIn(fields, 'annotations', place, problems),
    ...(minAvailable === null ? {} : { minAvailable }),
    spec: whole
      ? read
      : { ...read, containers: [{ name, requests: requests ?? NO_RESOURCES, hostPorts: [], restartable: false }] },
    runsFor,
  };
}

function podsIn(from: Fields, key: string, place: string, problems: Invalid[], min = 1): number {
  const count = countIn(from, key, place, problems, min);
  if (count > MOST_PODS) {
    report(problems, fieldOf(place, key), `at most ${MOST_PODS}`, count);
  }
  return count;
}

const optionalCountIn = (from: Fields, key: string, place: string, problems: Invalid[]): number | null =>
  from[key] === undefined || from[key] === null ? null : countIn(from, key, place, problems);

const optionalDurationIn = (from: Fields, key: string, place: string, problems: Invalid[]): DurationMs | null =>
  from[key] === undefined || from[key] === null ? null : readDuration(from[key], fieldOf(place, key), problems);

/** Names that are given twice, and names that nothing bears. */
function reportClashes(groups: readonly ScalingGroup[], steps: readonly LoadStep[], problems: Invalid[]): void {
  const names = groups.map(({ name }) => name);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) !== index) {
      report(problems, fieldOf(itemOf('nodeGroups', index), 'name'), 'each name once', name);
    }
  }
  const alive = new Map<string, Workload>();
  const inOrder = steps.map((step, index) => ({ step, index })).sort((a, b) => a.step.at - b.step.at);
  for (const { step, index } of inOrder) {
    const place = itemOf('load', index);
    switch (step.kind) {
      case 'deploy':
      case 'job': {
        const key = workloadKey(step.workload);
        if (alive.has(key)) {
          report(problems, `${place}.${step.kind}.name`, 'a name that no other workload has at this time', key);
        }
        alive.set(key, step.workload);
        break;
      }
      case 'scale':
        if (alive.get(step.workload)?.kind !== 'Deployment') {
          report(problems, `${place}.scale.name`, expectedOf('a Deployment', alive), step.workload);
        }
        break;
      case 'delete':
        if (!alive.delete(step.workload)) {
          report(problems, `${place}.delete.name`, expectedOf('a workload', alive), step.workload);
        }
        break;
      case 'capacity':
        if (!names.includes(step.group)) {
          report(problems, `${place}.capacity.group`, expectedOneOf('a node group', step.group, names), step.group);
        }
        break;
    }
  }
}

const expectedOf = (what: string, alive: ReadonlyMap<string, Workload>): string =>
  alive.size === 0
    ? `${what} that is there at this time`
    : `${what} that is there at this time (${[...alive.keys()].sort(byName).join(', ')})`;

function expectedOneOf(expected: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === null ? `${expected} (${known.join(', ')})` : `${expected} (did you mean ${meant}?)`;
}
