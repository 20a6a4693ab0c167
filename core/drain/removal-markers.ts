import { present } from '../model/values/present.ts';
import type { Drain } from '../model/drain.ts';
import { type Node, TO_BE_DELETED_TAINT } from '../model/cluster/node.ts';
import { NO_CHANGE, type NodeChange } from '../model/cluster/node-change.ts';
import type { Options } from '../model/options.ts';
import { DISRUPTION_TAINT, isBeingRemoved, LAST_TAINT, removalTaint } from '../model/cluster/removal-taints.ts';
import type { DrainEffect } from './effects.ts';

/** Says by its value which drain has marked the node: what a lost one has left can be distinguished from the markers of others. */
export const REMOVAL_ANNOTATION = 'outrigger.dev/removal';
/** Says that the node was not cordoned before: only then is it uncordoned when it stays. */
export const CORDONED_ANNOTATION = 'outrigger.dev/cordoned';
/** Load balancers send no new connections to a node with this label, whatever its value. */
export const EXCLUDE_LABEL = 'node.kubernetes.io/exclude-from-external-load-balancers';
/** The label's value where Outrigger has set it. */
const EXCLUDED_BY_US = 'outrigger';

/** Whose removal markers a node bears. */
type MarkerOwner = 'none' | 'this drain' | 'another drain' | 'another autoscaler';

export function markerOwnerOf(node: Node, drain: Drain): MarkerOwner {
  const id = node.annotations[REMOVAL_ANNOTATION];
  if (id === drain.id) {
    return 'this drain';
  }
  if (id !== undefined) {
    return 'another drain';
  }
  return isBeingRemoved(node) ? 'another autoscaler' : 'none';
}

/** Does the node bear the marker of a drain that was decided later? IDs of drains begin with the version of that state. */
export function isMarkedLater(node: Node, drain: Drain): boolean {
  const id = node.annotations[REMOVAL_ANNOTATION];
  return id !== undefined && versionOf(id) > versionOf(drain.id);
}

const versionOf = (id: string): number => Number(/^\d+/.exec(id)?.[0] ?? 0);

/** Does the node bear all that `putMarkersOn` puts on? */
export const hasMarkers = (node: Node, drain: Drain): boolean =>
  markerOwnerOf(node, drain) === 'this drain' && isBeingRemoved(node);

/**
 * Taint, cordon, label and annotation, in one change: the node has all or none of them. What another drain has left on
 * it is taken over.
 */
export function putMarkersOn(node: Node, drain: Drain, options: Options): DrainEffect {
  const cordons = options.cordonNodeBeforeTerminating && !node.unschedulable;
  return changeNode(drain, {
    ...NO_CHANGE,
    addTaints: [removalTaint(options, drain.createdAt)],
    unschedulable: cordons ? true : null,
    labels: EXCLUDE_LABEL in node.labels ? {} : { [EXCLUDE_LABEL]: EXCLUDED_BY_US },
    annotations: present({ [REMOVAL_ANNOTATION]: drain.id, [CORDONED_ANNOTATION]: cordons ? 'true' : null }),
  });
}

/** The last stage of the shared taint. */
export const putLastTaintOn = (drain: Drain): DrainEffect =>
  changeNode(drain, { ...NO_CHANGE, addTaints: [LAST_TAINT] });

export const hasLastTaint = ({ taints }: Node): boolean =>
  taints.some(({ key, effect }) => key === LAST_TAINT.key && effect === LAST_TAINT.effect);

/** All of it off again; what was on the node before stays. */
export const takeMarkersOff = (node: Node, drain: Drain): DrainEffect => changeNode(drain, withoutMarkers(node));

/** The change that frees a node from the markers of drains, whichever they were. */
export const withoutMarkers = (node: Node): NodeChange => ({
  addTaints: [],
  removeTaints: [
    { key: TO_BE_DELETED_TAINT, effect: null },
    { key: DISRUPTION_TAINT, effect: null },
  ],
  unschedulable: CORDONED_ANNOTATION in node.annotations ? false : null,
  labels: node.labels[EXCLUDE_LABEL] === EXCLUDED_BY_US ? { [EXCLUDE_LABEL]: null } : {},
  annotations: { [REMOVAL_ANNOTATION]: null, [CORDONED_ANNOTATION]: null },
});

const changeNode = ({ node, nodeUid: uid }: Drain, change: NodeChange): DrainEffect => ({
  kind: 'changeNode',
  node,
  uid,
  change,
});
