import type { State } from '../core/model/state.ts';
import { err, ok, type Result } from '../core/model/values/result.ts';
import type { Manifest } from '../providers/manifest/fields.ts';
import type { Invalid } from '../providers/manifest/invalid.ts';
import { stateReader } from '../providers/scenario/state.ts';
import { writeBy } from '../providers/schema/read.ts';
import { state } from '../providers/schema/state.ts';

/** Reads a state as `writeState` writes it: the state, or all problems. */
export function readState(raw: unknown, place = ''): Result<State, readonly Invalid[]> {
  const problems: Invalid[] = [];
  const read = stateReader(raw, place, problems);
  return problems.length === 0 ? ok(read) : err(problems);
}

/** Writes a state as a plain document: times in RFC 3339, durations as Go writes them, pods as manifests. */
export const writeState = (given: State): Manifest => writeBy(state, given) as Manifest;
