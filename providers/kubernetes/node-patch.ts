import type { NodeChange } from '../../core/model/cluster/node-change.ts';

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
  const cordon = change.unschedulable !== null && change.unschedulable !== (node.spec?.unschedulable ?? false);
  if (taints === null && labels === null && annotations === null && !cordon) {
    return null;
  }
  const { uid, resourceVersion } = node.metadata;
  return {
    metadata: {
      uid,
      resourceVersion,
      ...(labels === null ? {} : { labels }),
      ...(annotations === null ? {} : { annotations }),
    },
    ...(taints === null && !cordon
      ? {}
      : {
          spec: { ...(taints === null ? {} : { taints }), ...(cordon ? { unschedulable: change.unschedulable } : {}) },
        }),
  };
}

/** `null` where nothing changes. Taints that stay keep their place and their time. */
function taintsAfter(before: readonly RawTaint[], { addTaints, removeTaints }: NodeChange): readonly RawTaint[] | null {
  const kept = before.filter(
    (taint) =>
      !removeTaints.some(({ key, effect }) => key === taint.key && (effect === null || effect === taint.effect)),
  );
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
  return changes.length === 0 ? null : Object.fromEntries(changes);
}
