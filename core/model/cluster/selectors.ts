/** Labels or annotations. */
export type Labels = Readonly<Record<string, string>>;

export const NO_LABELS: Labels = Object.freeze({});

/** A requirement of a `LabelSelector`. An operator that Kubernetes does not know is kept as it was written. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: string; // In | NotIn | Exists | DoesNotExist
  readonly values: readonly string[];
}

/** A `LabelSelector`; `null` where the manifest has none (which matches nothing), `{}` matches everything. */
export interface LabelSelector {
  readonly matchLabels: Labels;
  readonly matchExpressions: readonly LabelRequirement[];
}

/** A requirement of a node selector term. */
export interface NodeRequirement {
  readonly key: string;
  readonly operator: string; // In | NotIn | Exists | DoesNotExist | Gt | Lt
  readonly values: readonly string[];
}

/** Terms are ORed, the requirements inside a term ANDed; a term without requirements matches nothing. */
export interface NodeSelectorTerm {
  readonly matchExpressions: readonly NodeRequirement[];
  readonly matchFields: readonly NodeRequirement[];
}
