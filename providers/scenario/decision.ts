import type { Decision } from '@outrigger/core/model/decision.ts';
import type { Manifest } from '../manifest/fields.ts';
import { decision } from '../schema/decision.ts';
import { writeBy } from '../schema/read.ts';

/** Writes a decision as a document: times in RFC 3339, durations as Go writes them, fields in the documented order. */
export const writeDecision = (given: Decision): Manifest => writeBy(decision, given) as Manifest;
