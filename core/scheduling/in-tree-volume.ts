import { REGION_LABEL, ZONE_LABEL } from '../model/cluster/node.ts';
import type { Labels, NodeSelectorTerm } from '../model/cluster/selectors.ts';
import type { PersistentVolume } from '../model/cluster/storage.ts';

/** In-tree plugin of EBS volumes, and the label by which its successor knows zones. */
export const EBS_PLUGIN = 'kubernetes.io/aws-ebs';
const EBS_ZONE_LABEL = 'topology.ebs.csi.aws.com/zone';
const OLD_ZONE_LABEL = 'failure-domain.beta.kubernetes.io/zone';
const OLD_REGION_LABEL = 'failure-domain.beta.kubernetes.io/region';

/**
 * The node affinity of an in-tree EBS volume on a node where the CSI driver has taken over: zones go by the driver's own
 * label, and come from the volume's label where its affinity names none. Follows `TranslateInTreePVToCSI` of
 * k8s.io/csi-translation-lib, 0.35.
 */
export function migratedAffinity({ nodeAffinity, labels }: PersistentVolume): readonly NodeSelectorTerm[] | null {
  const terms = nodeAffinity ?? [];
  const old = speaksOldLabels(terms, labels);
  const zoneLabel = old ? OLD_ZONE_LABEL : ZONE_LABEL;
  const moved = hasValues(terms, zoneLabel)
    ? rename(terms, zoneLabel, EBS_ZONE_LABEL)
    : addZones(terms, labels[zoneLabel]);
  const renamed = old && hasValues(moved, OLD_REGION_LABEL) ? rename(moved, OLD_REGION_LABEL, REGION_LABEL) : moved;
  return nodeAffinity === null && renamed.length === 0 ? null : renamed;
}

function speaksOldLabels(terms: readonly NodeSelectorTerm[], labels: Labels): boolean {
  const named = (key: string): boolean =>
    terms.some(({ matchExpressions }) => matchExpressions.some((requirement) => requirement.key === key));
  if (named(ZONE_LABEL)) {
    return false;
  }
  return named(OLD_ZONE_LABEL) || (!(ZONE_LABEL in labels) && OLD_ZONE_LABEL in labels);
}

const hasValues = (terms: readonly NodeSelectorTerm[], key: string): boolean =>
  terms.some(({ matchExpressions }) =>
    matchExpressions.some((requirement) => requirement.key === key && requirement.values.length > 0),
  );

const rename = (terms: readonly NodeSelectorTerm[], from: string, to: string): readonly NodeSelectorTerm[] =>
  terms.map((term) => ({
    ...term,
    matchExpressions: term.matchExpressions.map((requirement) =>
      requirement.key === from ? { ...requirement, key: to } : requirement,
    ),
  }));

function addZones(terms: readonly NodeSelectorTerm[], label: string | undefined): readonly NodeSelectorTerm[] {
  const zones = (label ?? '')
    .split('__')
    .map((zone) => zone.trim())
    .filter((zone) => zone !== '');
  if (zones.length === 0) {
    return terms;
  }
  const requirement = { key: EBS_ZONE_LABEL, operator: 'In', values: zones };
  return (terms.length === 0 ? [{ matchExpressions: [], matchFields: [] }] : terms).map((term) => ({
    ...term,
    matchExpressions: [...term.matchExpressions, requirement],
  }));
}
