import { formatTime } from '@outrigger/core/model/values/time.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { nodeName } from '@outrigger/core/model/values/names.ts';
import type { ControllerRef, Pod, PodPhase, PodSpec, UnscheduledCondition } from '@outrigger/core/model/cluster/pod.ts';
import {
  type Manifest,
  type Section,
  type SectionReader,
  labelsIn,
  manifest,
  nameIn,
  objectIn,
  optionalNameIn,
  reportIn,
  sectionsIn,
  stringIn,
  timeIn,
  unlessBlank,
} from './fields.ts';
import { controllerOf, namespaceOf, podAnnotationsOf, writeMetadata } from './metadata.ts';
import { resizeReader, writeResize } from './pod-resize.ts';
import { readPodSpec, writePodSpec } from './pod-spec.ts';
import { podSpecs, writtenSpecs } from './pod-specs.ts';

const PHASES: ReadonlySet<string> = new Set(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']);

/**
 * Creates a reader of pods that returns one object for equal specs: use one reader for all pods of a cluster.
 */
export function podReader(): SectionReader<Pod> {
  const written = writtenSpecs();
  const share = podSpecs();
  const specOf = (from: Section, controller: ControllerRef | null): PodSpec => {
    const uid = controller?.uid ?? '';
    const known = written.find(uid, from.fields);
    if (known !== null) {
      return known;
    }
    const before = from.problems.length;
    const read = readPodSpec(from);
    // A daemon pod is bound to its node by its affinity: no two are equal.
    if (from.problems.length > before || controller?.kind === 'DaemonSet') {
      return read;
    }
    const spec = share(read);
    written.add(uid, from.fields, spec);
    return spec;
  };
  return (from) => {
    const metadata = objectIn(from, 'metadata');
    const controller = controllerOf(metadata);
    const rawSpec = objectIn(from, 'spec');
    const spec = specOf(rawSpec, controller);
    const status = objectIn(from, 'status');
    const conditions = conditionsIn(status);
    const on = optionalNameIn(rawSpec, 'nodeName');
    const nominated = optionalNameIn(status, 'nominatedNodeName');
    return {
      namespace: namespaceOf(metadata),
      name: nameIn(metadata, 'name'),
      uid: stringIn(metadata, 'uid'),
      labels: labelsIn(metadata, 'labels'),
      annotations: podAnnotationsOf(metadata),
      createdAt: timeIn(metadata, 'creationTimestamp'),
      deletedAt: timeIn(metadata, 'deletionTimestamp'),
      controller,
      nodeName: on === null ? null : nodeName(on),
      nominatedNodeName: nominated === null ? null : nodeName(nominated),
      phase: phaseIn(status),
      // The binding takes precedence: the scheduler patches the condition separately, so the two may disagree.
      unscheduled: on === null ? conditions.unscheduled : null,
      startedAt: timeIn(status, 'startTime'),
      ready: conditions.ready,
      resize: resizeReader(spec, conditions.infeasible)(status),
      spec,
    };
  };
}

function phaseIn(status: Section): PodPhase {
  const phase = stringIn(status, 'phase') || 'Pending';
  if (!PHASES.has(phase)) {
    reportIn(status, 'phase', `one of ${[...PHASES].join(', ')}`);
  }
  return phase as PodPhase;
}

interface Conditions {
  unscheduled: UnscheduledCondition | null;
  ready: boolean;
  /** The kubelet refused a resize as infeasible. */
  infeasible: boolean;
}

function conditionsIn(status: Section): Conditions {
  const found: Conditions = { unscheduled: null, ready: false, infeasible: false };
  for (const condition of sectionsIn(status, 'conditions')) {
    const isTrue = stringIn(condition, 'status') === 'True';
    switch (stringIn(condition, 'type')) {
      case 'PodScheduled':
        found.unscheduled = isTrue
          ? null
          : {
              reason: stringIn(condition, 'reason'),
              since: timeIn(condition, 'lastTransitionTime'),
            };
        break;
      case 'Ready':
        found.ready = isTrue;
        break;
      case 'PodResizePending':
        found.infeasible = stringIn(condition, 'reason') === 'Infeasible';
        break;
      default:
        break;
    }
  }
  return found;
}

/** Writes a pod as a manifest that reads as an equal pod. */
export function writePod(pod: Pod): Manifest {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: writeMetadata(pod),
    spec: writePodSpec(pod.spec, pod.nodeName),
    status: manifest({
      phase: pod.phase,
      nominatedNodeName: pod.nominatedNodeName,
      startTime: mapOptional(pod.startedAt, formatTime),
      conditions: writeConditions(pod),
      ...writeResize(pod),
    }),
  };
}

function writeConditions({ unscheduled, ready, resize }: Pod): Manifest[] {
  const conditions: Manifest[] = [];
  if (unscheduled !== null) {
    conditions.push(
      manifest({
        type: 'PodScheduled',
        status: 'False',
        reason: unlessBlank(unscheduled.reason),
        lastTransitionTime: mapOptional(unscheduled.since, formatTime),
      }),
    );
  }
  if (ready) {
    conditions.push({ type: 'Ready', status: 'True' });
  }
  if (resize?.infeasible === true) {
    conditions.push({ type: 'PodResizePending', status: 'True', reason: 'Infeasible' });
  }
  return conditions;
}
