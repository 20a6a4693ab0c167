import { present } from '@outrigger/core/model/values/present.ts';
import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import type { NodeChange } from '@outrigger/core/model/cluster/node-change.ts';
import { unlessEmpty } from '../manifest/fields.ts';

/** The fields of a Node that changes are made to. */
export interface RawNode {
  readonly metadata: {
    readonly uid: string;
    readonly resourceVersion: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly taints?: readonly RawTaint[]; readonly unschedulable?: boolean };
}

interface RawTaint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
  readonly timeAdded?: string;
}

/**
 * The merge patch for a change; `null` where the node needs none. A merge patch replaces the list of taints as a whole,
 * so it contains the resource version that it was computed from: where a taint was added meanwhile, the API server
 * refuses it.
 */
export function patchOf(node: RawNode, change: NodeChange): object | null {
  const taints = taintsAfter(node.spec?.taints ?? [], change);
  const labels = differing(node.metadata.labels, change.labels);
  const annotations = differing(node.metadata.annotations, change.annotations);
  const unschedulable = change.unschedulable === (node.spec?.unschedulable ?? false) ? null : change.unschedulable;
  const spec = unlessEmpty(present({ taints, unschedulable }));
  if (spec === null && labels === null && annotations === null) {
    return null;
  }
  const { uid, resourceVersion } = node.metadata;
  return { metadata: present({ uid, resourceVersion, labels, annotations }), ...present({ spec }) };
}

/**
 * The JSON patch that removes taints from a node with these taints: the API server refuses it if the node has other
 * taints in their places, or is another node. `null` where the change does more, or nothing.
 */
export function removalOf(uid: string, known: readonly Taint[], change: NodeChange): readonly object[] | null {
  const going = known.map((taint, at) => ({ ...taint, at })).filter((taint) => isRemoved(taint, change));
  if (going.length === 0 || !takesOnlyTaintsOff(change)) {
    return null;
  }
  // The last taint first: each removal moves the taints behind it.
  return [
    { op: 'test', path: '/metadata/uid', value: uid },
    ...going.toReversed().flatMap(({ key, effect, at }) => [
      { op: 'test', path: `/spec/taints/${at}/key`, value: key },
      { op: 'test', path: `/spec/taints/${at}/effect`, value: effect },
      { op: 'remove', path: `/spec/taints/${at}` },
    ]),
  ];
}

const takesOnlyTaintsOff = ({ addTaints, unschedulable, labels, annotations }: NodeChange): boolean =>
  addTaints.length === 0 &&
  unschedulable === null &&
  Object.keys(labels).length === 0 &&
  Object.keys(annotations).length === 0;

const isRemoved = (taint: Pick<Taint, 'key' | 'effect'>, { removeTaints }: Pick<NodeChange, 'removeTaints'>): boolean =>
  removeTaints.some(({ key, effect }) => key === taint.key && (effect === null || effect === taint.effect));

/** `null` where nothing changes. Taints that stay keep their place and their time. */
function taintsAfter(before: readonly RawTaint[], change: NodeChange): readonly RawTaint[] | null {
  const { addTaints } = change;
  const kept = before.filter((taint) => !isRemoved(taint, change));
  const changed = kept.map((taint) => {
    const wanted = addTaints.find(({ key, effect }) => key === taint.key && effect === taint.effect);
    return wanted === undefined || wanted.value === (taint.value ?? '') ? taint : { ...wanted };
  });
  const added = addTaints.filter(
    ({ key, effect }) => !kept.some((taint) => taint.key === key && taint.effect === effect),
  );
  const same = kept.length === before.length && added.length === 0 && changed.every((taint, at) => taint === kept[at]);
  return same ? null : [...changed, ...added];
}

function differing(
  before: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string | null>>,
): Readonly<Record<string, string | null>> | null {
  const changes = Object.entries(wanted).filter(([key, value]) => (before?.[key] ?? null) !== value);
  return unlessEmpty(Object.fromEntries(changes));
}
