import { ARCH_LABEL } from '@outrigger/core/model/cluster/node.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import type { WarmPoolState } from '@outrigger/core/model/node-group.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import {
  CPU,
  MEMORY,
  NO_RESOURCES,
  PODS,
  type Resources,
  roundUpResources,
} from '@outrigger/core/model/values/resources.ts';
import { type DurationMs, durationMs, epochMs, formatDuration, seconds } from '@outrigger/core/model/values/time.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import { type Section, objectIn, sectionOf } from '@outrigger/providers/manifest/fields.ts';
import { type Invalid, fieldOf, itemOf, report } from '@outrigger/providers/manifest/invalid.ts';
import { readPodSpec } from '@outrigger/providers/manifest/pod-spec.ts';
import { groupOptionsIn, optionsIn } from '@outrigger/providers/scenario/options.ts';
import { nearest } from '@outrigger/providers/schema/known-fields.ts';
import { API_VERSION } from '@outrigger/providers/schema/names.ts';
import { readBy } from '@outrigger/providers/schema/read.ts';
import {
  type GroupDocument,
  type StepDocument,
  type WarmPoolDocument,
  workload,
  type WorkloadDocument,
} from '@outrigger/providers/schema/workload.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import type { SimulatedScalingGroup } from '../cloud/scaling-group.ts';
import { type Workload, workloadKey } from '../cluster/workload.ts';
import { architectureOfType, describeType, KNOWN_TYPES } from './instance-types.ts';
import { EKS_DAEMON_SETS } from './daemon-sets.ts';
import type { DemoLoad, LoadStep, DemoLoadStep } from './load.ts';

/** When each run of a document begins. */
const START = epochMs(Date.UTC(2026, 0, 1, 9));

/** Reads a parsed load document: the load, or all its errors. */
export function readLoad(raw: unknown): Result<DemoLoad, readonly Invalid[]> {
  const problems: Invalid[] = [];
  const document = sectionOf(raw, '', problems);
  if (problems.length === 0) {
    reportWrongDocument(document);
  }
  if (problems.length > 0) {
    return err(problems);
  }
  const options = optionsIn(document, 'outrigger');
  const read = readBy(workload, document.fields, '', problems);
  if (read === null) {
    return err(problems);
  }
  const groups = read.nodeGroups.map((group, index) => groupOf(group, itemOf('nodeGroups', index), problems));
  const steps = read.load.map((step, index) => stepOf(step, itemOf('load', index), problems));
  if (problems.length === 0) {
    reportClashes(groups, steps, problems);
    reportStepsAfter(read.until, steps, problems);
  }
  const { metadata, seed, until } = read;
  // Sorting is stable: steps at the same time are taken in the order of the document.
  const load = {
    name: metadata.name,
    seed,
    options,
    start: START,
    daemonSets: EKS_DAEMON_SETS,
    groups,
    steps: steps.toSorted((a, b) => a.at - b.at),
    until,
  };
  return problems.length > 0 ? err(problems) : ok(load);
}

function reportWrongDocument({ fields, problems }: Section): void {
  const { apiVersion, kind } = fields;
  if (apiVersion !== API_VERSION) {
    report(problems, 'apiVersion', API_VERSION, apiVersion);
  }
  if (kind !== 'Workload') {
    const expected = kind === 'Scenario' ? 'Workload (outrigger simulate evaluates a Scenario)' : 'Workload';
    report(problems, 'kind', expected, kind);
  }
}

function groupOf(document: GroupDocument, place: string, problems: Invalid[]): SimulatedScalingGroup {
  const { zone, zones, desiredSize, available, warmPool, ...group } = document;
  return {
    ...group,
    labels: { ...architectureLabel(group.instanceType), ...group.labels },
    zones: zones.length > 0 ? zones : [zone],
    desiredSize: desiredSize ?? group.minSize,
    ...shapeOf(document, place, problems),
    options: groupOptionsIn({ fields: group, place, problems }),
    warmPool: warmPool && warmPoolOf(warmPool, group.boot, fieldOf(place, 'warmPool'), problems),
    available: available ?? Number.POSITIVE_INFINITY,
  };
}

/** From the start of an instance that waited to registration: the sooner, the less it must do before. */
const WARM_BOOT: Readonly<Record<WarmPoolState, Span>> = {
  Running: { min: 5_000, max: 10_000 },
  Hibernated: { min: 8_000, max: 14_000 },
  Stopped: { min: 12_000, max: 20_000 },
};

function warmPoolOf(
  { boot, ...pool }: WarmPoolDocument,
  ofNew: Span,
  place: string,
  problems: Invalid[],
): NonNullable<SimulatedScalingGroup['warmPool']> {
  if (boot !== null && boot.max > ofNew.max) {
    const longest = formatDuration(durationMs(ofNew.max));
    const expected = `at most the boot of the group, which is up to ${longest}: what waits in a warm pool joins no later than a new instance`;
    report(problems, fieldOf(place, 'boot'), expected, formatDuration(durationMs(boot.max)));
  }
  const { min, max } = boot ?? WARM_BOOT[pool.state];
  return { ...pool, boot: { min: Math.min(min, ofNew.max), max: Math.min(max, ofNew.max) }, prepared: ofNew };
}

/** Nodes are of amd64 unless they say otherwise. */
function architectureLabel(type: string): Labels {
  const architecture = architectureOfType(type);
  return architecture === 'amd64' ? {} : { [ARCH_LABEL]: architecture };
}

/** The capacity and price of one instance: from the document, or known for the type. */
function shapeOf(
  { instanceType, capacity: given, allocatable, price }: GroupDocument,
  place: string,
  problems: Invalid[],
): Pick<SimulatedScalingGroup, 'capacity' | 'allocatable' | 'price'> {
  const known = describeType(instanceType);
  if (known === null && given === null) {
    report(
      problems,
      fieldOf(place, 'instanceType'),
      expectedOneOf('a known type, or its capacity in capacity: {cpu, memory, pods}', instanceType, KNOWN_TYPES),
      instanceType,
    );
  }
  const own = mapOptional(given, (amounts): Resources => ({
    [CPU]: 0,
    [MEMORY]: 0,
    [PODS]: 110,
    ...roundUpResources(amounts),
  }));
  return {
    capacity: own ?? known?.capacity ?? {},
    allocatable: { ...(own ?? known?.allocatable), ...roundUpResources(allocatable ?? {}) },
    price: price ?? known?.price ?? null,
  };
}

const stepOf = (document: StepDocument, place: string, problems: Invalid[]): LoadStep => ({
  at: document.at,
  ...whatOf(document, place, problems),
});

function whatOf(
  { deploy, job, scale, capacity, interruption, delete: gone }: StepDocument,
  place: string,
  problems: Invalid[],
): DemoLoadStep {
  if (deploy !== undefined) {
    const more = { kind: 'Deployment', pods: deploy.replicas, runsFor: null } as const;
    return { kind: 'deploy', workload: workloadOf(deploy, more, fieldOf(place, 'deploy'), problems) };
  }
  if (job !== undefined) {
    const more = {
      kind: 'Job',
      pods: job.pods,
      runsFor: job.runsFor,
      keptAfterEnd: mapOptional(job.ttlSecondsAfterFinished, seconds) ?? undefined,
    } as const;
    return { kind: 'job', workload: workloadOf(job, more, fieldOf(place, 'job'), problems) };
  }
  if (scale !== undefined) {
    return { kind: 'scale', workload: workloadKey(scale), pods: scale.replicas };
  }
  if (interruption !== undefined) {
    return { kind: 'interruption', ...interruption, zone: interruption.zone === '' ? null : interruption.zone };
  }
  if (capacity !== undefined) {
    return { kind: 'capacity', group: capacity.group, available: capacity.available };
  }
  // The schema requires exactly one of the steps.
  return { kind: 'delete', workload: workloadKey(gone!) };
}

function workloadOf(
  document: WorkloadDocument,
  more: Pick<Workload, 'kind' | 'pods' | 'runsFor' | 'keptAfterEnd'>,
  place: string,
  problems: Invalid[],
): Workload {
  const { name, namespace, requests, labels, annotations, minAvailable } = document;
  const spec = objectIn({ fields: document, place, problems }, 'spec');
  const whole = 'containers' in spec.fields;
  if (whole && requests !== null) {
    report(problems, fieldOf(place, 'requests'), 'nothing, for spec.containers say it', requests);
  }
  const read = readPodSpec(whole ? spec : { ...spec, fields: { ...spec.fields, containers: [] } });
  const container = { name, requests: requests ?? NO_RESOURCES, hostPorts: [], restartable: false };
  return {
    ...more,
    namespace,
    name,
    labels: { app: name, ...labels },
    annotations,
    ...budgetOf(minAvailable),
    spec: whole ? read : { ...read, containers: [container] },
  };
}

function budgetOf(given: WorkloadDocument['minAvailable']): Pick<Workload, 'minAvailable' | 'minAvailablePercent'> {
  if (given === null) {
    return {};
  }
  return typeof given === 'number' ? { minAvailable: given } : { minAvailablePercent: given.percent };
}

function reportStepsAfter(until: DurationMs | null, steps: readonly LoadStep[], problems: Invalid[]): void {
  for (const [index, { at }] of steps.entries()) {
    if (until !== null && at >= until) {
      const expected = `a time before until, which is ${formatDuration(until)}`;
      report(problems, fieldOf(itemOf('load', index), 'at'), expected, formatDuration(at));
    }
  }
}

/** Reports duplicate names, and references to workloads and node groups that do not exist. */
function reportClashes(
  groups: readonly SimulatedScalingGroup[],
  steps: readonly LoadStep[],
  problems: Invalid[],
): void {
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
      case 'interruption':
        if (!names.includes(step.group)) {
          report(problems, `${place}.${step.kind}.group`, expectedOneOf('a node group', step.group, names), step.group);
        }
        break;
    }
  }
}

function expectedOf(what: string, alive: ReadonlyMap<string, Workload>): string {
  if (alive.size === 0) {
    return `${what} that is there at this time`;
  }
  return `${what} that is there at this time (${[...alive.keys()].sort(byName).join(', ')})`;
}

function expectedOneOf(expected: string, name: string, known: readonly string[]): string {
  const meant = nearest(name, known);
  return meant === null ? `${expected} (${known.join(', ')})` : `${expected} (did you mean ${meant}?)`;
}
