import {
  byName,
  type GroupName,
  groupName,
  type InstanceId,
  instanceId,
  type NodeName,
  nodeName,
} from '../../core/model/names.ts';
import type { FailureClass } from '../../core/model/node-group.ts';
import type { Result } from '../../core/model/result.ts';
import { err, ok } from '../../core/model/result.ts';
import {
  type Backoff,
  type DeletionInProgress,
  EMPTY_STATE,
  type GroupPacking,
  type GroupTimes,
  type IncorrectSize,
  type PromisedPlaces,
  type ScaleDownRequest,
  type ScaleUpRequest,
  type Shortage,
  type State,
} from '../../core/model/state.ts';
import { type EpochMs, formatDuration, formatTime } from '../../core/model/time.ts';
import { type Fields, type Manifest, itemsIn, nameIn, objectIn, readFields, timeIn } from '../manifest/fields.ts';
import { type Invalid, type Reader, fieldOf } from '../manifest/invalid.ts';
import { podReader, writePod } from '../manifest/pod.ts';
import { reportUnknownFields } from './known-fields.ts';
import { choiceIn, countIn, namesIn, readDuration, readTime, recordIn, requiredTimeIn } from './values.ts';

/** Every class of failure, checked to be all of them by the type. */
const FAILURES: Readonly<Record<FailureClass, true>> = {
  OutOfResources: true,
  Quota: true,
  Addresses: true,
  Configuration: true,
  Authorisation: true,
  Throttled: true,
  Timeout: true,
  Other: true,
};
export const FAILURE_CLASSES = Object.keys(FAILURES) as readonly FailureClass[];

const groupIn = (from: Fields, place: string, problems: Invalid[]): GroupName =>
  groupName(nameIn(from, 'group', place, problems));

const nodeIn = (from: Fields, place: string, problems: Invalid[]): NodeName =>
  nodeName(nameIn(from, 'node', place, problems));

/** A reader of an object that has these fields and no others. */
function closed<T>(
  known: readonly (keyof T & string)[],
  read: (fields: Fields, place: string, problems: Invalid[]) => T,
): Reader<T> {
  return (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    reportUnknownFields(fields, known, place, problems);
    return read(fields, place, problems);
  };
}

const readBackoff = closed<Backoff>(['until', 'duration', 'lastFailure', 'class'], (fields, place, problems) => ({
  until: requiredTimeIn(fields, 'until', place, problems),
  duration: readDuration(fields['duration'], fieldOf(place, 'duration'), problems),
  lastFailure: requiredTimeIn(fields, 'lastFailure', place, problems),
  class: choiceIn(fields, 'class', place, problems, FAILURE_CLASSES, null),
}));

const readScaleUpRequest = closed<ScaleUpRequest>(
  ['group', 'increase', 'time', 'expectedAddTime'],
  (fields, place, problems) => ({
    group: groupIn(fields, place, problems),
    increase: countIn(fields, 'increase', place, problems),
    time: requiredTimeIn(fields, 'time', place, problems),
    expectedAddTime: requiredTimeIn(fields, 'expectedAddTime', place, problems),
  }),
);

const readPromise = closed<PromisedPlaces>(['kind', 'count'], (fields, place, problems) => ({
  kind: nameIn(fields, 'kind', place, problems),
  count: countIn(fields, 'count', place, problems),
}));

const readPacking = closed<GroupPacking>(['method', 'nodes', 'spare'], (fields, place, problems) => ({
  method: nameIn(fields, 'method', place, problems),
  nodes: itemsIn(fields, 'nodes', place, problems, (raw, at, found) =>
    itemsIn({ places: raw }, 'places', at, found, readPromise),
  ),
  spare: countIn(fields, 'spare', place, problems),
}));

function promisedIn(state: Fields, place: string, problems: Invalid[]): State['promised'] {
  const groups = objectIn(state, 'promised', place, problems);
  const at = fieldOf(place, 'promised');
  return Object.fromEntries(
    Object.keys(groups).map((group): [GroupName, readonly PromisedPlaces[]] => [
      groupName(group),
      itemsIn(groups, group, at, problems, readPromise),
    ]),
  );
}

const readDeletion = closed<DeletionInProgress>(['node', 'group', 'kind', 'since'], (fields, place, problems) => ({
  node: nodeIn(fields, place, problems),
  group: groupIn(fields, place, problems),
  kind: choiceIn(fields, 'kind', place, problems, ['empty', 'drain'], null),
  since: requiredTimeIn(fields, 'since', place, problems),
}));

const readScaleDownRequest = closed<ScaleDownRequest>(
  ['group', 'node', 'time', 'expectedDeleteTime'],
  (fields, place, problems) => ({
    group: groupIn(fields, place, problems),
    node: nodeIn(fields, place, problems),
    time: requiredTimeIn(fields, 'time', place, problems),
    expectedDeleteTime: requiredTimeIn(fields, 'expectedDeleteTime', place, problems),
  }),
);

const readIncorrectSize = closed<IncorrectSize>(
  ['current', 'expected', 'firstObserved'],
  (fields, place, problems) => ({
    current: countIn(fields, 'current', place, problems),
    expected: countIn(fields, 'expected', place, problems),
    firstObserved: requiredTimeIn(fields, 'firstObserved', place, problems),
  }),
);

const readShortage = closed<Shortage>(['type', 'zone', 'capacityType', 'until'], (fields, place, problems) => ({
  type: nameIn(fields, 'type', place, problems),
  zone: nameIn(fields, 'zone', place, problems),
  capacityType: nameIn(fields, 'capacityType', place, problems),
  until: requiredTimeIn(fields, 'until', place, problems),
}));

const TIMES = ['lastScaleUp', 'lastScaleDownDelete', 'lastScaleDownFailure'] as const;

const readTimes = (fields: Fields, place: string, problems: Invalid[]): GroupTimes => ({
  lastScaleUp: timeIn(fields, 'lastScaleUp', place, problems),
  lastScaleDownDelete: timeIn(fields, 'lastScaleDownDelete', place, problems),
  lastScaleDownFailure: timeIn(fields, 'lastScaleDownFailure', place, problems),
});

const readGroupTimes = closed<GroupTimes>(TIMES, readTimes);

function seenErrorsIn(state: Fields, place: string, problems: Invalid[]): State['seenErrors'] {
  const groups = objectIn(state, 'seenErrors', place, problems);
  const at = fieldOf(place, 'seenErrors');
  return Object.fromEntries(
    Object.keys(groups).map((group): [GroupName, readonly InstanceId[]] => [
      groupName(group),
      namesIn(groups, group, at, problems).map(instanceId),
    ]),
  );
}

/** Reads a state that an evaluation left. What is absent was never noted. */
export const stateReader: Reader<State> = (raw, place, problems) => {
  const state = readFields(raw, place, problems);
  reportUnknownFields(state, [...Object.keys(EMPTY_STATE), 'lastScaleUpEvaluation'], place, problems);
  const lastScaleUpEvaluation = timeIn(state, 'lastScaleUpEvaluation', place, problems);
  return {
    unneededSince: recordIn(state, 'unneededSince', place, problems, readTime),
    unregisteredSince: recordIn(state, 'unregisteredSince', place, problems, readTime),
    backoff: recordIn(state, 'backoff', place, problems, readBackoff),
    scaleUpRequests: itemsIn(state, 'scaleUpRequests', place, problems, readScaleUpRequest),
    deletionsInProgress: itemsIn(state, 'deletionsInProgress', place, problems, readDeletion),
    scaleDownRequests: itemsIn(state, 'scaleDownRequests', place, problems, readScaleDownRequest),
    unremovableUntil: recordIn(state, 'unremovableUntil', place, problems, readTime),
    recentEvictions: itemsIn(state, 'recentEvictions', place, problems, podReader()),
    promised: promisedIn(state, place, problems),
    packing: recordIn(state, 'packing', place, problems, readPacking),
    lastEvaluation: timeIn(state, 'lastEvaluation', place, problems),
    ...(lastScaleUpEvaluation !== null && { lastScaleUpEvaluation }),
    incorrectSize: recordIn(state, 'incorrectSize', place, problems, readIncorrectSize),
    seenErrors: seenErrorsIn(state, place, problems),
    shortages: itemsIn(state, 'shortages', place, problems, readShortage),
    repairBackoff: recordIn(state, 'repairBackoff', place, problems, readTime),
    ...readTimes(state, place, problems),
    groups: recordIn(state, 'groups', place, problems, readGroupTimes),
  };
};

/** Reads a state as `writeState` writes it: the state, or everything that is wrong with it. */
export function readState(raw: unknown, place = ''): Result<State, readonly Invalid[]> {
  const problems: Invalid[] = [];
  const state = stateReader(raw, place, problems);
  return problems.length === 0 ? ok(state) : err(problems);
}

/** Writes a table with its names in order, so that equal tables are equal bytes. */
export const writeRecord = <T>(record: Readonly<Record<string, T>>, write: (value: T) => unknown): Manifest =>
  Object.fromEntries(
    Object.keys(record)
      .sort(byName)
      .map((name) => [name, write(record[name]!)]),
  );

export const writeTimeOrNull = (time: EpochMs | null): string | null => (time === null ? null : formatTime(time));

export const writeIncorrectSize = ({ current, expected, firstObserved }: IncorrectSize): Manifest => ({
  current,
  expected,
  firstObserved: formatTime(firstObserved),
});

const writeTimes = (times: GroupTimes): Manifest => ({
  lastScaleUp: writeTimeOrNull(times.lastScaleUp),
  lastScaleDownDelete: writeTimeOrNull(times.lastScaleDownDelete),
  lastScaleDownFailure: writeTimeOrNull(times.lastScaleDownFailure),
});

/** Writes a state as a plain document: times in RFC 3339, durations as Go writes them, pods as manifests. */
export const writeState = (state: State): Manifest => ({
  unneededSince: writeRecord(state.unneededSince, formatTime),
  unregisteredSince: writeRecord(state.unregisteredSince, formatTime),
  backoff: writeRecord(state.backoff, (backoff) => ({
    until: formatTime(backoff.until),
    duration: formatDuration(backoff.duration),
    lastFailure: formatTime(backoff.lastFailure),
    class: backoff.class,
  })),
  scaleUpRequests: state.scaleUpRequests.map(({ group, increase, time, expectedAddTime }) => ({
    group,
    increase,
    time: formatTime(time),
    expectedAddTime: formatTime(expectedAddTime),
  })),
  deletionsInProgress: state.deletionsInProgress.map(({ node, group, kind, since }) => ({
    node,
    group,
    kind,
    since: formatTime(since),
  })),
  scaleDownRequests: state.scaleDownRequests.map(({ group, node, time, expectedDeleteTime }) => ({
    group,
    node,
    time: formatTime(time),
    expectedDeleteTime: formatTime(expectedDeleteTime),
  })),
  unremovableUntil: writeRecord(state.unremovableUntil, formatTime),
  recentEvictions: state.recentEvictions.map(writePod),
  promised: writeRecord(state.promised, (places) => places.map(({ kind, count }) => ({ kind, count }))),
  packing: writeRecord(state.packing, ({ method, nodes, spare }) => ({
    method,
    nodes: nodes.map((places) => places.map(({ kind, count }) => ({ kind, count }))),
    spare,
  })),
  lastEvaluation: writeTimeOrNull(state.lastEvaluation),
  ...(state.lastScaleUpEvaluation !== undefined && {
    lastScaleUpEvaluation: formatTime(state.lastScaleUpEvaluation),
  }),
  incorrectSize: writeRecord(state.incorrectSize, writeIncorrectSize),
  seenErrors: writeRecord(state.seenErrors, (instances) => instances),
  shortages: state.shortages.map(({ type, zone, capacityType, until }) => ({
    type,
    zone,
    capacityType,
    until: formatTime(until),
  })),
  repairBackoff: writeRecord(state.repairBackoff, formatTime),
  ...writeTimes(state),
  groups: writeRecord(state.groups, writeTimes),
});
