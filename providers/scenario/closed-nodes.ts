import { nodeName } from '../../core/model/names.ts';
import type { ClosedNode } from '../../core/model/scenario.ts';
import { type Manifest, nameIn, readFields } from '../manifest/fields.ts';
import type { Reader } from '../manifest/invalid.ts';
import { reportUnknownFields } from '../schema/known-fields.ts';

/** Reads an entry of `closedNodes`. */
export const closedNodeReader: Reader<ClosedNode> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  reportUnknownFields(fields, ['node', 'reason'], place, problems);
  return {
    node: nodeName(nameIn(fields, 'node', place, problems)),
    reason: nameIn(fields, 'reason', place, problems),
  };
};

export const writeClosedNode = ({ node, reason }: ClosedNode): Manifest => ({ node, reason });
