import type {
  LabelRequirement,
  LabelSelector,
  NodeRequirement,
  NodeSelectorTerm,
} from '../../../core/model/selectors.ts';
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

const readRequirement: Reader<LabelRequirement & NodeRequirement> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  return {
    key: nameIn(fields, 'key', place, problems),
    operator: nameIn(fields, 'operator', place, problems),
    values: stringsIn(fields, 'values', place, problems),
  };
};

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
