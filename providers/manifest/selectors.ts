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
  type Manifest,
  type SectionReader,
  itemsReader,
  labelsIn,
  manifest,
  nameIn,
  optionalObjectIn,
  stringsIn,
  stringsReader,
  unlessEmpty,
} from './fields.ts';
import { MOST_READ } from './most-read.ts';

const requirementReader =
  (valuesIn: FieldReader<readonly string[]>): SectionReader<LabelRequirement & NodeRequirement> =>
  (from) => ({
    key: nameIn(from, 'key'),
    operator: nameIn(from, 'operator'),
    values: valuesIn(from, 'values'),
  });

// Selectors of budgets, claims and volumes are read in full, because a part of one would have another meaning.
const requirementsIn = itemsReader(requirementReader(stringsIn));
const podRequirementsIn = itemsReader(requirementReader(stringsReader(MOST_READ.values)), MOST_READ.requirements);

/** The labels of a selector, only up to the number beyond which it is too large to be followed. */
export function someLabels(labels: Labels): Labels {
  const keys = Object.keys(labels);
  if (keys.length <= MOST_READ.requirements) {
    return labels;
  }
  return Object.fromEntries(keys.slice(0, MOST_READ.requirements).map((key) => [key, getOwn(labels, key)]));
}

const selectorReader =
  (
    kept: (labels: Labels) => Labels,
    requirements: FieldReader<readonly LabelRequirement[]>,
  ): FieldReader<LabelSelector | null> =>
  (from, key) =>
    mapOptional(optionalObjectIn(from, key), (selector) => ({
      matchLabels: kept(labelsIn(selector, 'matchLabels')),
      matchExpressions: requirements(selector, 'matchExpressions'),
    }));

/** Reads a `LabelSelector`; `null` for an absent selector, which is not the same as an empty selector. */
export const selectorIn = selectorReader((labels) => labels, requirementsIn);

/** The same for a pod's spec, only up to the size beyond which it is too large to be followed. */
export const podSelectorIn = selectorReader(someLabels, podRequirementsIn);

const nodeTermReader =
  (requirements: FieldReader<readonly NodeRequirement[]>): SectionReader<NodeSelectorTerm> =>
  (from) => ({
    matchExpressions: requirements(from, 'matchExpressions'),
    matchFields: requirements(from, 'matchFields'),
  });

/** Reads a term of a pod's node affinity, only up to the size beyond which it is too large to be followed. */
export const readPodNodeSelectorTerm = nodeTermReader(podRequirementsIn);

const nodeSelectorReader =
  (termsIn: FieldReader<readonly NodeSelectorTerm[]>): FieldReader<readonly NodeSelectorTerm[] | null> =>
  (from, key) =>
    mapOptional(optionalObjectIn(from, key), (selector) => termsIn(selector, 'nodeSelectorTerms'));

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
