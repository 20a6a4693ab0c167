import { quoted } from '../model/values/clip.ts';
import { mapOptional } from '../model/values/optional.ts';
import { err, ok, type Result } from '../model/values/result.ts';
import type { LabelRequirement, LabelSelector, Labels } from '../model/cluster/selectors.ts';
import { canonical } from '../model/snapshot/pod-kind.ts';
import { type LabelMatcher, matchRequirement, requirementError } from './requirement.ts';

/** A label selector, ready to match. */
export interface CompiledSelector {
  readonly matches: LabelMatcher;
  /** The selector has no requirement, so it matches everything. */
  readonly empty: boolean;
  /** Equal for selectors that ask for the same in whatever order. */
  readonly key: string;
  /** A label that all matching objects have; `null` where the selector requires none. */
  readonly required: RequiredLabel | null;
}

/** A label with one of these values; `null`: with any. */
export interface RequiredLabel {
  readonly key: string;
  readonly values: readonly string[] | null;
}

/** Matches nothing. */
export const NOTHING: CompiledSelector = {
  matches: () => false,
  empty: false,
  key: 'nothing',
  required: { key: '', values: [] },
};
const OPERATORS: ReadonlySet<string> = new Set(['In', 'NotIn', 'Exists', 'DoesNotExist']);

/**
 * Compiles a label selector: no selector matches nothing, an empty one everything. Follows
 * `metav1.LabelSelectorAsSelector`, 1.35.
 *
 * @param also labels to ask for besides; a selector that matches nothing still does.
 * @returns an error where Kubernetes would not accept the selector.
 */
export function compileSelector(selector: LabelSelector | null, also: Labels = {}): Result<CompiledSelector, string> {
  if (selector === null) {
    return ok(NOTHING);
  }
  const requirements: LabelRequirement[] = [
    ...equalities(selector.matchLabels),
    ...equalities(also),
    ...selector.matchExpressions,
  ];
  for (const requirement of requirements) {
    const error = OPERATORS.has(requirement.operator)
      ? requirementError(requirement)
      : `${quoted(requirement.operator)} is not a valid label selector operator`;
    if (error !== null) {
      return err(error);
    }
  }
  const matchers = requirements.map(matchRequirement);
  return ok({
    matches: allOf(matchers),
    empty: matchers.length === 0,
    key: canonical(requirements.map(canonical).sort()),
    required: requiredBy(requirements),
  });
}

const equalities = (labels: Labels): LabelRequirement[] =>
  Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] }));

function requiredBy(requirements: readonly LabelRequirement[]): RequiredLabel | null {
  const oneOf = requirements.find(({ operator }) => operator === 'In');
  const any = requirements.find(({ operator }) => operator === 'Exists');
  return (
    mapOptional(oneOf, ({ key, values }) => ({ key, values })) ??
    mapOptional(any, ({ key }) => ({ key, values: null })) ??
    null
  );
}

function allOf(matchers: readonly LabelMatcher[]): LabelMatcher {
  const [first] = matchers;
  if (first === undefined) {
    return () => true;
  }
  if (matchers.length === 1) {
    return first;
  }
  return (labels) => {
    for (const matches of matchers) {
      if (!matches(labels)) {
        return false;
      }
    }
    return true;
  };
}
