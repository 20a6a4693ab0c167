import { EMPTY_STATE, type State } from '@outrigger/core/model/state.ts';
import type { Reader } from '../manifest/invalid.ts';
import { readBy } from '../schema/read.ts';
import { state } from '../schema/state.ts';

/** Reads a state that an evaluation left. A part may be absent. */
export const stateReader: Reader<State> = (raw, place, problems) => readBy(state, raw, place, problems) ?? EMPTY_STATE;
