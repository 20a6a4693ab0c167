import type { State } from '../core/model/state.ts';
import { err, ok, type Result } from '../core/model/values/result.ts';
import type { Manifest } from '../providers/manifest/fields.ts';
import type { Invalid } from '../providers/manifest/invalid.ts';
import { readBy, writeBy } from '../providers/schema/read.ts';
import { state } from '../providers/schema/state.ts';

/** Reads a state as `writeState` writes it: the state, or all problems. */
export function readState(raw: unknown, place = ''): Result<State, readonly Invalid[]> {
  const problems: Invalid[] = [];
  const read = readBy(state, raw, place, problems);
  return read === null ? err(problems) : ok(read);
}

/** Writes a state as a plain document: times in RFC 3339, durations as Go writes them, pods as manifests. */
export const writeState = (given: State): Manifest => writeBy(state, given) as Manifest;
