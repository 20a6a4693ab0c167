import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { EMPTY_STATE, type State } from '@outrigger/core/model/state.ts';
import type { Manifest } from '../manifest/fields.ts';
import type { Invalid, Reader } from '../manifest/invalid.ts';
import { readBy, writeBy } from '../schema/read.ts';
import { state } from '../schema/state.ts';

/** Reads a state that an evaluation left. A part may be absent. */
export const stateReader: Reader<State> = (raw, place, problems) => readBy(state, raw, place, problems) ?? EMPTY_STATE;

/** Reads a state as `writeState` writes it: the state, or everything that is wrong with it. */
export function readState(raw: unknown, place = ''): Result<State, readonly Invalid[]> {
  const problems: Invalid[] = [];
  const read = stateReader(raw, place, problems);
  return problems.length === 0 ? ok(read) : err(problems);
}

/** Writes a state as a plain document: times in RFC 3339, durations as Go writes them, pods as manifests. */
export const writeState = (given: State): Manifest => writeBy(state, given) as Manifest;
