import { LONGEST_SPEC } from '@outrigger/core/model/cluster/bounded-pod-spec.ts';
import { nodeName } from '@outrigger/core/model/values/names.ts';
import type {
  ControllerRef,
  Pod,
  PodPhase,
  PodResize,
  PodSpec,
  UnscheduledCondition,
} from '@outrigger/core/model/cluster/pod.ts';
import { type Labels, NO_LABELS } from '@outrigger/core/model/cluster/selectors.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { Invalid } from '../../manifest/invalid.ts';
import { boundedAnnotations, controllerOf } from '../../manifest/metadata.ts';
import { resizeReader } from '../../manifest/pod-resize.ts';
import { readPodSpec } from '../../manifest/pod-spec.ts';
import { podSpecs } from '../../manifest/pod-specs.ts';
import { OBJECT_META, OWNER_REFERENCE } from './meta.ts';
import {
  decodeMessage,
  listField,
  message,
  nested,
  quantityMap,
  sparse,
  text,
  textMap,
  timeField,
  timeOf,
} from './message.ts';
import { CONDITION } from './node.ts';
import { POD_SPEC, POD_SPEC_WITH_NODE, RESOURCE_REQUIREMENTS } from './pod-spec.ts';
import { type Projection, projection } from './projection.ts';
import { type Cursor, DELIMITED, VARINT, cursorOver, readLength, readText, readVarint, skip } from './wire.ts';

// k8s.io/api/core/v1/generated.proto

const CONTAINER_STATUS = message({
  name: text(1),
  allocatedResources: quantityMap(10),
  resources: nested(11, RESOURCE_REQUIREMENTS),
});

/** The part of a pod's status with the resources of its containers. */
const ALLOCATION = {
  containerStatuses: sparse(listField(8, CONTAINER_STATUS), CONTAINER_STATUS),
  initContainerStatuses: sparse(listField(10, CONTAINER_STATUS), CONTAINER_STATUS),
  allocatedResources: quantityMap(19),
  resources: nested(20, RESOURCE_REQUIREMENTS),
};

const POD_ALLOCATION = message(ALLOCATION);

/** A whole pod, for pods that the fast path below cannot read. */
export const POD = message({
  metadata: nested(1, OBJECT_META),
  spec: nested(2, POD_SPEC_WITH_NODE),
  status: nested(
    3,
    message({
      phase: text(1),
      conditions: listField(2, CONDITION),
      startTime: timeField(7),
      nominatedNodeName: text(11),
      ...ALLOCATION,
    }),
  ),
});

const LABELS = message({ labels: textMap(11) });
const ANNOTATIONS = message({ annotations: textMap(12) });
const OWNERS = message({ ownerReferences: listField(13, OWNER_REFERENCE) });

const delimited = (number: number): number => (number << 3) | DELIMITED;
const varint = (number: number): number => (number << 3) | VARINT;

/** A pod that the fast path leaves to the slow path. */
class Unusual extends Error {}

/** Reads the pod at the cursor; `null` where the manifest reader has to report the errors. */
export type PodDecoder = (cursor: Cursor) => Pod | null;

/**
 * Creates a decoder for the pods of one cluster. Most of the bytes that are read are pods, so they have a fast path:
 * metadata and status are decoded directly into the model, and the parts that pods share (spec, labels, annotations,
 * owner, allocated resources) are decoded once for each distinct sequence of bytes. It handles only what an API server
 * writes; a pod that it cannot read goes through `POD` and the manifest reader, like other kinds, and is either read
 * fully or reported.
 *
 * Equal specs, labels and annotations become one object each.
 */
export function podDecoder(): PodDecoder {
  const project = projection();
  const parts: SharedParts = {
    labels: sharedParts((cursor) => (decodeMessage(LABELS, cursor)['labels'] ?? NO_LABELS) as Labels),
    annotations: sharedParts((cursor) =>
      boundedAnnotations((decodeMessage(ANNOTATIONS, cursor)['annotations'] ?? NO_LABELS) as Labels),
    ),
    owners: sharedParts(decodeController),
    namespaces: sharedParts((cursor) => cursor.bytes.toString('utf8', cursor.position, cursor.end)),
    specs: sharedSpecs(project),
    allocations: sharedAllocations(project),
  };
  return (cursor) => {
    try {
      return decodePod(parts, cursor);
    } catch (error) {
      if (error instanceof Unusual) {
        return null;
      }
      throw error;
    }
  };
}

/** The parts that pods share, decoded once for each distinct sequence of bytes. */
interface SharedParts {
  readonly labels: PartDecoder<Labels>;
  readonly annotations: PartDecoder<Labels>;
  readonly owners: PartDecoder<ReturnType<typeof decodeController>>;
  readonly namespaces: PartDecoder<string>;
  readonly specs: ReturnType<typeof sharedSpecs>;
  readonly allocations: ReturnType<typeof sharedAllocations>;
}

function decodePod(parts: SharedParts, cursor: Cursor): Pod {
  const { labels, annotations, owners, namespaces, specs, allocations } = parts;
  const { bytes } = cursor;
  const meta = newMeta();
  const status = newStatus();
  let shared: SharedSpec | null = null;
  let on = '';
  let statusAt = -1;
  let statusEnd = -1;
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    switch (tag) {
      case META:
        within(cursor, decodeMeta, meta);
        break;
      case SPEC: {
        const end = readLength(cursor);
        on = nodeNameOf(cursorOver(bytes, cursor.position, end));
        shared = specs(cursorOver(bytes, cursor.position, end));
        cursor.position = end;
        break;
      }
      case STATUS:
        statusEnd = readLength(cursor);
        statusAt = cursor.position;
        decodeStatus(cursorOver(bytes, statusAt, statusEnd), status);
        cursor.position = statusEnd;
        break;
      default:
        skip(cursor, tag & 7);
    }
  }
  if (shared === null || meta.name === '' || meta.namespaceAt < 0) {
    throw new Unusual();
  }
  return {
    namespace: namespaces(bytes, meta.namespaceAt, meta.namespaceEnd),
    name: meta.name,
    uid: meta.uid,
    labels: meta.labelsAt < 0 ? NO_LABELS : labels(bytes, meta.labelsAt, meta.labelsEnd),
    annotations: meta.annotationsAt < 0 ? NO_LABELS : annotations(bytes, meta.annotationsAt, meta.annotationsEnd),
    createdAt: meta.createdAt,
    deletedAt: meta.deletedAt,
    controller: meta.ownersAt < 0 ? null : owners(bytes, meta.ownersAt, meta.ownersEnd),
    nodeName: on === '' ? null : nodeName(on),
    nominatedNodeName: status.nominated === '' ? null : nodeName(status.nominated),
    phase: status.phase,
    // The binding takes precedence: the scheduler patches the condition separately, so the two may disagree.
    unscheduled: on === '' ? status.unscheduled : null,
    startedAt: status.startedAt,
    ready: status.ready,
    resize: statusAt < 0 ? null : allocations(cursorOver(bytes, statusAt, statusEnd), shared, status.infeasible),
    spec: shared.spec,
  };
}

const META = delimited(1);
const SPEC = delimited(2);
const STATUS = delimited(3);

function within<T>(cursor: Cursor, decode: (cursor: Cursor, into: T) => void, into: T): void {
  const outer = cursor.end;
  cursor.end = readLength(cursor);
  decode(cursor, into);
  cursor.end = outer;
}

interface Meta {
  name: string;
  uid: string;
  namespaceAt: number;
  namespaceEnd: number;
  createdAt: EpochMs | null;
  deletedAt: EpochMs | null;
  labelsAt: number;
  labelsEnd: number;
  annotationsAt: number;
  annotationsEnd: number;
  ownersAt: number;
  ownersEnd: number;
}

const newMeta = (): Meta => ({
  name: '',
  uid: '',
  namespaceAt: -1,
  namespaceEnd: -1,
  createdAt: null,
  deletedAt: null,
  labelsAt: -1,
  labelsEnd: -1,
  annotationsAt: -1,
  annotationsEnd: -1,
  ownersAt: -1,
  ownersEnd: -1,
});

function decodeMeta(cursor: Cursor, into: Meta): void {
  while (cursor.position < cursor.end) {
    const before = cursor.position;
    const tag = readVarint(cursor);
    switch (tag) {
      case delimited(1):
        into.name = readText(cursor);
        break;
      case delimited(3):
        into.namespaceEnd = readLength(cursor);
        // An empty string is not a namespace.
        into.namespaceAt = into.namespaceEnd > cursor.position ? cursor.position : -1;
        cursor.position = into.namespaceEnd;
        break;
      case delimited(5):
        into.uid = readText(cursor);
        break;
      case delimited(8):
        into.createdAt = readTime(cursor);
        break;
      case delimited(9):
        into.deletedAt = readTime(cursor);
        break;
      case delimited(11):
        into.labelsAt = runOn(into.labelsAt, into.labelsEnd, before);
        into.labelsEnd = cursor.position = readLength(cursor);
        break;
      case delimited(12):
        into.annotationsAt = runOn(into.annotationsAt, into.annotationsEnd, before);
        into.annotationsEnd = cursor.position = readLength(cursor);
        break;
      case delimited(13):
        into.ownersAt = runOn(into.ownersAt, into.ownersEnd, before);
        into.ownersEnd = cursor.position = readLength(cursor);
        break;
      default:
        skip(cursor, tag & 7);
    }
  }
}

/** The start of a sequence of entries, given that one more starts at `before`. */
function runOn(start: number, end: number, before: number): number {
  if (start < 0) {
    return before;
  }
  if (end !== before) {
    throw new Unusual();
  }
  return start;
}

interface Status {
  phase: PodPhase;
  nominated: string;
  startedAt: EpochMs | null;
  unscheduled: UnscheduledCondition | null;
  ready: boolean;
  /** The kubelet refused a resize as infeasible. */
  infeasible: boolean;
}

const newStatus = (): Status => ({
  phase: 'Pending',
  nominated: '',
  startedAt: null,
  unscheduled: null,
  ready: false,
  infeasible: false,
});

const PHASES: ReadonlyMap<string, PodPhase> = new Map([
  ['', 'Pending'],
  ['Pending', 'Pending'],
  ['Running', 'Running'],
  ['Succeeded', 'Succeeded'],
  ['Failed', 'Failed'],
  ['Unknown', 'Unknown'],
]);

function decodeStatus(cursor: Cursor, into: Status): void {
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    switch (tag) {
      case delimited(1): {
        const phase = PHASES.get(readText(cursor));
        if (phase === undefined) {
          throw new Unusual();
        }
        into.phase = phase;
        break;
      }
      case delimited(2):
        within(cursor, decodeCondition, into);
        break;
      case delimited(7):
        into.startedAt = readTime(cursor);
        break;
      case delimited(11):
        into.nominated = readText(cursor);
        break;
      default:
        skip(cursor, tag & 7);
    }
  }
}

function decodeCondition(cursor: Cursor, into: Status): void {
  let type = '';
  let isTrue = false;
  let reason = '';
  let since: EpochMs | null = null;
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    switch (tag) {
      case delimited(1):
        type = readText(cursor);
        break;
      case delimited(2):
        isTrue = readText(cursor) === 'True';
        break;
      case delimited(4):
        since = readTime(cursor);
        break;
      case delimited(5):
        reason = readText(cursor);
        break;
      default:
        skip(cursor, tag & 7);
    }
  }
  switch (type) {
    case 'PodScheduled':
      into.unscheduled = isTrue ? null : { reason, since };
      break;
    case 'Ready':
      into.ready = isTrue;
      break;
    case 'PodResizePending':
      into.infeasible = reason === 'Infeasible';
      break;
    default:
      break;
  }
}

/** A `metav1.Time`: an empty message is the zero time, which counts as absent. */
function readTime(cursor: Cursor): EpochMs | null {
  const outer = cursor.end;
  cursor.end = readLength(cursor);
  let time: EpochMs | null = null;
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === varint(1)) {
      time = timeOf(readVarint(cursor), cursor);
    } else {
      skip(cursor, tag & 7);
    }
  }
  cursor.end = outer;
  return time;
}

const NODE_NAME = delimited(10);

function nodeNameOf(cursor: Cursor): string {
  while (cursor.position < cursor.end) {
    const tag = readVarint(cursor);
    if (tag === NODE_NAME) {
      return readText(cursor);
    }
    skip(cursor, tag & 7);
  }
  return '';
}

/** Longer sequences of bytes are not cached: they are unique, or meant to exhaust the memory. */
const LONGEST_SHARED = LONGEST_SPEC;

/** Decodes each distinct sequence of bytes once. */
type PartDecoder<T> = (bytes: Buffer, start: number, end: number) => T;

function sharedParts<T>(decode: (cursor: Cursor) => T): PartDecoder<T> {
  const known = new Map<string, T>();
  return (bytes, start, end) => {
    if (end - start > LONGEST_SHARED) {
      return decode(cursorOver(bytes, start, end));
    }
    const key = bytes.toString('latin1', start, end);
    let part = known.get(key);
    if (part === undefined && !known.has(key)) {
      part = decode(cursorOver(bytes, start, end));
      known.set(key, part);
    }
    return part as T;
  };
}

function decodeController(cursor: Cursor): ControllerRef | null {
  const problems: Invalid[] = [];
  const controller = controllerOf({ fields: decodeMessage(OWNERS, cursor), place: '', problems });
  refuse(problems);
  return controller;
}

function refuse(problems: readonly Invalid[]): void {
  if (problems.length > 0) {
    throw new Unusual();
  }
}

interface SharedSpec {
  readonly spec: PodSpec;
  readonly allocations: Map<string, PodResize | null>;
}

function sharedSpecs(project: Projection): (cursor: Cursor) => SharedSpec {
  const byBytes = new Map<string, SharedSpec>();
  const share = podSpecs();
  return (cursor) => {
    const { bytes, position, end } = cursor;
    const key = project.of(POD_SPEC, cursor, LONGEST_SHARED);
    let shared = key === null ? undefined : byBytes.get(key);
    if (shared === undefined) {
      const problems: Invalid[] = [];
      const read = readPodSpec({
        fields: decodeMessage(POD_SPEC, cursorOver(bytes, position, end)),
        place: '',
        problems,
      });
      refuse(problems);
      shared = { spec: share(read), allocations: new Map() };
      if (key !== null) {
        byBytes.set(key, shared);
      }
    }
    return shared;
  };
}

/** Since Kubernetes 1.33 every running pod repeats its requests in its status: equal for equal pods. */
function sharedAllocations(
  project: Projection,
): (status: Cursor, shared: SharedSpec, infeasible: boolean) => PodResize | null {
  return (status, { spec, allocations }, infeasible) => {
    const { bytes, position, end } = status;
    const written = project.of(POD_ALLOCATION, status, LONGEST_SHARED);
    const prefix = infeasible ? '!' : '';
    const key = written === null ? null : `${prefix}${written}`;
    let resize = key === null ? undefined : allocations.get(key);
    if (resize === undefined) {
      const problems: Invalid[] = [];
      const raw = decodeMessage(POD_ALLOCATION, cursorOver(bytes, position, end));
      resize = resizeReader(spec, infeasible)({ fields: raw, place: '', problems });
      refuse(problems);
      if (key !== null) {
        allocations.set(key, resize);
      }
    }
    return resize;
  };
}
