import { MOST_FOLLOWED } from '../../core/model/followed.ts';
import type {
  LabelRequirement,
  Labels,
  LabelSelector,
  NodeRequirement,
  NodeSelectorTerm,
} from '../../core/model/selectors.ts';
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

// Of pods' selectors one more is read than is followed: that there are too many is still to be seen, and no more is to be
// kept. Those of budgets and claims are read whole, for a part of one would mean something else.
const MOST_REQUIREMENTS = MOST_FOLLOWED.requirements + 1;
const readPodRequirement = requirementReader(MOST_FOLLOWED.values + 1);

/** Reads a `LabelSelector` of a pod's spec, no more of it than tells that it is too large to be followed. */
export function podSelectorIn(from: Fields, key: string, place: string, problems: Invalid[]): LabelSelector | null {
  const fields = optionalObjectIn(from, key, place, problems);
  if (fields === null) {
    return null;
  }
  const at = fieldOf(place, key);
  return {
    matchLabels: someLabels(labelsIn(fields, 'matchLabels', at, problems)),
    matchExpressions: itemsIn(fields, 'matchExpressions', at, problems, readPodRequirement, MOST_REQUIREMENTS),
  };
}

function someLabels(labels: Labels): Labels {
  const keys = Object.keys(labels);
  return keys.length > MOST_REQUIREMENTS
    ? Object.fromEntries(keys.slice(0, MOST_REQUIREMENTS).map((key) => [key, labels[key]!]))
    : labels;
}

/** Reads a `LabelSelector`; `null` when it is absent, which is not the same as an empty one. */
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

export const readNodeSelectorTerm: Reader<NodeSelectorTerm> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  return {
    matchExpressions: itemsIn(fields, 'matchExpressions', place, problems, readRequirement),
    matchFields: itemsIn(fields, 'matchFields', place, problems, readRequirement),
  };
};

/** Reads a `NodeSelector`: its terms; `null` when it is absent. One without terms matches no node. */
export function nodeSelectorIn(
  from: Fields,
  key: string,
  place: string,
  problems: Invalid[],
): readonly NodeSelectorTerm[] | null {
  const fields = optionalObjectIn(from, key, place, problems);
  return fields === null
    ? null
    : itemsIn(fields, 'nodeSelectorTerms', fieldOf(place, key), problems, readNodeSelectorTerm);
}

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
