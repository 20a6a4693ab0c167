import { getOwn } from '@outrigger/core/model/values/existing.ts';
import type {
  LabelRequirement,
  Labels,
  LabelSelector,
  NodeRequirement,
  NodeSelectorTerm,
} from '@outrigger/core/model/cluster/selectors.ts';
import {
  type Fields,
  type Manifest,
  itemsIn,
  labelsIn,
  manifest,
  nameIn,
  optionalObjectIn,
  readFields,
  stringsIn,
  unlessEmpty,
} from './fields.ts';
import { type Invalid, type Reader, fieldOf } from './invalid.ts';
import { MOST_READ } from './most-read.ts';

const requirementReader =
  (most: number): Reader<LabelRequirement & NodeRequirement> =>
  (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    return {
      key: nameIn(fields, 'key', place, problems),
      operator: nameIn(fields, 'operator', place, problems),
      values: stringsIn(fields, 'values', place, problems, most),
    };
  };

const readRequirement = requirementReader(Number.POSITIVE_INFINITY);

// Selectors of budgets, claims and volumes are read in full, because a part of one would have another meaning.
const readPodRequirement = requirementReader(MOST_READ.values);

/** Reads a `LabelSelector` of a pod's spec, only up to the size beyond which it is too large to be followed. */
export function podSelectorIn(from: Fields, key: string, place: string, problems: Invalid[]): LabelSelector | null {
  const fields = optionalObjectIn(from, key, place, problems);
  if (fields === null) {
    return null;
  }
  const at = fieldOf(place, key);
  return {
    matchLabels: someLabels(labelsIn(fields, 'matchLabels', at, problems)),
    matchExpressions: itemsIn(fields, 'matchExpressions', at, problems, readPodRequirement, MOST_READ.requirements),
  };
}

/** The labels of a selector, only up to the number beyond which it is too large to be followed. */
export function someLabels(labels: Labels): Labels {
  const keys = Object.keys(labels);
  return keys.length > MOST_READ.requirements
    ? Object.fromEntries(keys.slice(0, MOST_READ.requirements).map((key) => [key, getOwn(labels, key)]))
    : labels;
}

/** Reads a `LabelSelector`; `null` for an absent selector, which is not the same as an empty selector. */
export function selectorIn(from: Fields, key: string, place: string, problems: Invalid[]): LabelSelector | null {
  const fields = optionalObjectIn(from, key, place, problems);
  if (fields === null) {
    return null;
  }
  const at = fieldOf(place, key);
  return {
    matchLabels: labelsIn(fields, 'matchLabels', at, problems),
    matchExpressions: itemsIn(fields, 'matchExpressions', at, problems, readRequirement),
  };
}

const nodeTermReader =
  (read: Reader<NodeRequirement>, most: number): Reader<NodeSelectorTerm> =>
  (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    return {
      matchExpressions: itemsIn(fields, 'matchExpressions', place, problems, read, most),
      matchFields: itemsIn(fields, 'matchFields', place, problems, read, most),
    };
  };

const readNodeSelectorTerm = nodeTermReader(readRequirement, Number.POSITIVE_INFINITY);

/** Reads a term of a pod's node affinity, only up to the size beyond which it is too large to be followed. */
export const readPodNodeSelectorTerm = nodeTermReader(readPodRequirement, MOST_READ.requirements);

function termsIn(
  from: Fields,
  key: string,
  place: string,
  problems: Invalid[],
  read: Reader<NodeSelectorTerm>,
  most: number,
): readonly NodeSelectorTerm[] | null {
  const fields = optionalObjectIn(from, key, place, problems);
  return fields === null ? null : itemsIn(fields, 'nodeSelectorTerms', fieldOf(place, key), problems, read, most);
}

/** Reads a `NodeSelector`: its terms; `null` when it is absent. One without terms matches no node. */
export const nodeSelectorIn = (
  from: Fields,
  key: string,
  place: string,
  problems: Invalid[],
): readonly NodeSelectorTerm[] | null =>
  termsIn(from, key, place, problems, readNodeSelectorTerm, Number.POSITIVE_INFINITY);

/** The same for a pod's spec, only up to the size beyond which it is too large to be followed. */
export const podNodeSelectorIn = (
  from: Fields,
  key: string,
  place: string,
  problems: Invalid[],
): readonly NodeSelectorTerm[] | null =>
  termsIn(from, key, place, problems, readPodNodeSelectorTerm, MOST_READ.nodeAffinityTerms);

const writeRequirement = ({ key, operator, values }: NodeRequirement): Manifest => manifest({ key, operator, values });

export const writeSelector = (selector: LabelSelector | null): Manifest | null =>
  selector === null
    ? null
    : manifest({
        matchLabels: unlessEmpty(selector.matchLabels),
        matchExpressions: selector.matchExpressions.map(writeRequirement),
      });

export const writeNodeSelectorTerm = (term: NodeSelectorTerm): Manifest =>
  manifest({
    matchExpressions: term.matchExpressions.map(writeRequirement),
    matchFields: term.matchFields.map(writeRequirement),
  });

export const writeNodeSelector = (terms: readonly NodeSelectorTerm[] | null): Manifest | null =>
  terms === null ? null : { nodeSelectorTerms: terms.map(writeNodeSelectorTerm) };
