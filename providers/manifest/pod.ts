import { formatTime } from '@outrigger/core/model/values/time.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { nodeName } from '@outrigger/core/model/values/names.ts';
import type { ControllerRef, Pod, PodPhase, PodSpec, UnscheduledCondition } from '@outrigger/core/model/cluster/pod.ts';
import {
  type Fields,
  type Manifest,
  listIn,
  manifest,
  objectIn,
  optionalNameIn,
  readFields,
  stringIn,
  timeIn,
  unlessBlank,
} from './fields.ts';
import { type Invalid, type Reader, fieldOf, itemOf, report } from './invalid.ts';
import {
  controllerOf,
  createdAtOf,
  deletedAtOf,
  labelsOf,
  metadataOf,
  nameOf,
  namespaceOf,
  podAnnotationsOf,
  uidOf,
  writeMetadata,
} from './metadata.ts';
import { resizeReader, writeResize } from './pod-resize.ts';
import { readPodSpec, writePodSpec } from './pod-spec.ts';
import { podSpecs, writtenSpecs } from './pod-specs.ts';

const PHASES: ReadonlySet<string> = new Set(['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown']);

/**
 * Creates a reader of pods that returns one object for equal specs: use one reader for all pods of a cluster.
 */
export function podReader(): Reader<Pod> {
  const written = writtenSpecs();
  const share = podSpecs();
  const specOf = (raw: Fields, controller: ControllerRef | null, place: string, problems: Invalid[]): PodSpec => {
    const uid = controller?.uid ?? '';
    const known = written.find(uid, raw);
    if (known !== null) {
      return known;
    }
    const before = problems.length;
    const read = readPodSpec(raw, place, problems);
    // A daemon pod is bound to its node by its affinity: no two are equal.
    if (problems.length > before || controller?.kind === 'DaemonSet') {
      return read;
    }
    const spec = share(read);
    written.add(uid, raw, spec);
    return spec;
  };
  return (raw, place, problems) => {
    const object = readFields(raw, place, problems);
    const metadata = metadataOf(object, place, problems);
    const controller = controllerOf(metadata, problems);
    const rawSpec = objectIn(object, 'spec', place, problems);
    const atSpec = fieldOf(place, 'spec');
    const spec = specOf(rawSpec, controller, atSpec, problems);
    const status = objectIn(object, 'status', place, problems);
    const atStatus = fieldOf(place, 'status');
    const conditions = conditionsIn(status, atStatus, problems);
    const on = optionalNameIn(rawSpec, 'nodeName', atSpec, problems);
    const nominated = optionalNameIn(status, 'nominatedNodeName', atStatus, problems);
    return {
      namespace: namespaceOf(metadata, problems),
      name: nameOf(metadata, problems),
      uid: uidOf(metadata, problems),
      labels: labelsOf(metadata, problems),
      annotations: podAnnotationsOf(metadata, problems),
      createdAt: createdAtOf(metadata, problems),
      deletedAt: deletedAtOf(metadata, problems),
      controller,
      nodeName: on === null ? null : nodeName(on),
      nominatedNodeName: nominated === null ? null : nodeName(nominated),
      phase: phaseIn(status, atStatus, problems),
      // The binding takes precedence: the scheduler patches the condition separately, so the two may disagree.
      unscheduled: on === null ? conditions.unscheduled : null,
      startedAt: timeIn(status, 'startTime', atStatus, problems),
      ready: conditions.ready,
      resize: resizeReader(spec, conditions.infeasible)(status, atStatus, problems),
      spec,
    };
  };
}

function phaseIn(status: Fields, place: string, problems: Invalid[]): PodPhase {
  const phase = stringIn(status, 'phase', place, problems) || 'Pending';
  if (!PHASES.has(phase)) {
    report(problems, fieldOf(place, 'phase'), `one of ${[...PHASES].join(', ')}`, phase);
  }
  return phase as PodPhase;
}

interface Conditions {
  unscheduled: UnscheduledCondition | null;
  ready: boolean;
  /** The kubelet refused a resize as infeasible. */
  infeasible: boolean;
}

function conditionsIn(status: Fields, place: string, problems: Invalid[]): Conditions {
  const found: Conditions = { unscheduled: null, ready: false, infeasible: false };
  const conditions = listIn(status, 'conditions', place, problems);
  for (let i = 0; i < conditions.length; i += 1) {
    const at = itemOf(`${place}.conditions`, i);
    const condition = readFields(conditions[i], at, problems);
    const isTrue = stringIn(condition, 'status', at, problems) === 'True';
    switch (stringIn(condition, 'type', at, problems)) {
      case 'PodScheduled':
        found.unscheduled = isTrue
          ? null
          : {
              reason: stringIn(condition, 'reason', at, problems),
              since: timeIn(condition, 'lastTransitionTime', at, problems),
            };
        break;
      case 'Ready':
        found.ready = isTrue;
        break;
      case 'PodResizePending':
        found.infeasible = stringIn(condition, 'reason', at, problems) === 'Infeasible';
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
