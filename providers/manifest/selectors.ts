import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { getOwn } from '@outrigger/core/model/values/existing.ts';
import type {
  LabelRequirement,
  Labels,
  LabelSelector,
  NodeRequirement,
  NodeSelectorTerm,
} from '@outrigger/core/model/cluster/selectors.ts';
import {
  type FieldReader,
  type Fields,
  type Manifest,
  itemsReader,
  labelsIn,
  manifest,
  nameIn,
  optionalObjectIn,
  readFields,
  stringsIn,
  stringsReader,
  unlessEmpty,
} from './fields.ts';
import { type Invalid, type Reader, fieldOf } from './invalid.ts';
import { MOST_READ } from './most-read.ts';

const requirementReader =
  (valuesIn: FieldReader<readonly string[]>): Reader<LabelRequirement & NodeRequirement> =>
  (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    return {
      key: nameIn(fields, 'key', place, problems),
      operator: nameIn(fields, 'operator', place, problems),
      values: valuesIn(fields, 'values', place, problems),
    };
  };

// Selectors of budgets, claims and volumes are read in full, because a part of one would have another meaning.
const requirementsIn = itemsReader(requirementReader(stringsIn));
const podRequirementsIn = itemsReader(requirementReader(stringsReader(MOST_READ.values)), MOST_READ.requirements);

/** Reads a `LabelSelector` of a pod's spec, only up to the size beyond which it is too large to be followed. */
export function podSelectorIn(from: Fields, key: string, place: string, problems: Invalid[]): LabelSelector | null {
  const fields = optionalObjectIn(from, key, place, problems);
  if (fields === null) {
    return null;
  }
  const at = fieldOf(place, key);
  return {
    matchLabels: someLabels(labelsIn(fields, 'matchLabels', at, problems)),
    matchExpressions: podRequirementsIn(fields, 'matchExpressions', at, problems),
  };
}

/** The labels of a selector, only up to the number beyond which it is too large to be followed. */
export function someLabels(labels: Labels): Labels {
  const keys = Object.keys(labels);
  if (keys.length <= MOST_READ.requirements) {
    return labels;
  }
  return Object.fromEntries(keys.slice(0, MOST_READ.requirements).map((key) => [key, getOwn(labels, key)]));
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
    matchExpressions: requirementsIn(fields, 'matchExpressions', at, problems),
  };
}

const nodeTermReader =
  (requirements: FieldReader<readonly NodeRequirement[]>): Reader<NodeSelectorTerm> =>
  (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    return {
      matchExpressions: requirements(fields, 'matchExpressions', place, problems),
      matchFields: requirements(fields, 'matchFields', place, problems),
    };
  };

/** Reads a term of a pod's node affinity, only up to the size beyond which it is too large to be followed. */
export const readPodNodeSelectorTerm = nodeTermReader(podRequirementsIn);

const nodeSelectorReader =
  (termsIn: FieldReader<readonly NodeSelectorTerm[]>): FieldReader<readonly NodeSelectorTerm[] | null> =>
  (from, key, place, problems) => {
    const fields = optionalObjectIn(from, key, place, problems);
    return fields === null ? null : termsIn(fields, 'nodeSelectorTerms', fieldOf(place, key), problems);
  };

/** Reads a `NodeSelector`: its terms; `null` when it is absent. One without terms matches no node. */
export const nodeSelectorIn = nodeSelectorReader(itemsReader(nodeTermReader(requirementsIn)));

/** The same for a pod's spec, only up to the size beyond which it is too large to be followed. */
export const podNodeSelectorIn = nodeSelectorReader(itemsReader(readPodNodeSelectorTerm, MOST_READ.nodeAffinityTerms));

const writeRequirement = ({ key, operator, values }: NodeRequirement): Manifest => manifest({ key, operator, values });

export const writeSelector = (selector: LabelSelector | null): Manifest | null =>
  mapOptional(selector, ({ matchLabels, matchExpressions }) =>
    manifest({ matchLabels: unlessEmpty(matchLabels), matchExpressions: matchExpressions.map(writeRequirement) }),
  );

export const writeNodeSelectorTerm = (term: NodeSelectorTerm): Manifest =>
  manifest({
    matchExpressions: term.matchExpressions.map(writeRequirement),
    matchFields: term.matchFields.map(writeRequirement),
  });

export const writeNodeSelector = (terms: readonly NodeSelectorTerm[] | null): Manifest | null =>
  mapOptional(terms, (given) => ({ nodeSelectorTerms: given.map(writeNodeSelectorTerm) }));
