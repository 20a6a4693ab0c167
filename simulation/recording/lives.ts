import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import { isRemovalTaint } from '@outrigger/core/model/cluster/removal-taints.ts';
import { handle, type Handlers, type Recording, type TimelineEntry } from './recording.ts';

/** The life of one instance, in seconds from the start. */
export interface Life {
  readonly group: string;
  /** Name of the instance's node; `null` before its registration. */
  readonly node: string | null;
  readonly instance: string | null;
  /** `null`: it existed at the start. */
  readonly launched: number | null;
  /** `null`: it never became ready. */
  readonly ready: number | null;
  readonly gone: number | null;
  /** When it had pods of workloads, when it was unneeded, and when it was being removed. */
  readonly used: readonly LifeStretch[];
  readonly unneeded: readonly LifeStretch[];
  readonly leaving: readonly LifeStretch[];
  /** How Outrigger removed it. `pods` had to move. */
  readonly removal: { readonly kind: 'empty' | 'drain'; readonly pods: number } | null;
}

/** From a time up to, but not including, another. */
export interface LifeStretch {
  readonly from: number;
  readonly to: number;
}

type RecordedLives = Pick<Recording, 'nodeGroups' | 'timeline'>;

interface Open {
  readonly since: number | null;
  readonly over: LifeStretch[];
}

const CLOSED = (): Open => ({ since: null, over: [] });

const opened = (one: Open, at: number): Open => (one.since === null ? { ...one, since: at } : one);

const closed = ({ since, over }: Open, at: number): Open => ({
  since: null,
  over: since === null || since === at ? over : [...over, { from: since, to: at }],
});

interface OpenLife {
  readonly group: string;
  node: string | null;
  readonly instance: string | null;
  readonly launched: number | null;
  ready: number | null;
  gone: number | null;
  readonly pods: Set<string>;
  used: Open;
  unneeded: Open;
  leaving: Open;
  removal: Life['removal'];
}

/**
 * Follows the instances of a recording: those of the start first, by group, then the others in the order of their launch.
 *
 * @param end when the recording ends, in seconds; what still lasts then is cut off there.
 */
export function livesOf({ nodeGroups, timeline }: RecordedLives, end: number): readonly Life[] {
  const followed = followedAtStart(nodeGroups);
  const onEntry = { ...instanceEntries(followed), ...podEntries(followed), ...removalEntries(followed) };
  for (const entry of timeline) {
    handle(onEntry, entry);
  }
  return followed.all.map((one) => lifeOf(one, end));
}

interface LifeIndex {
  readonly all: OpenLife[];
  readonly byNode: Map<string, OpenLife>;
  readonly byInstance: Map<string, OpenLife>;
  /** The instance that each pod of a workload is on. */
  readonly homes: Map<string, OpenLife>;
}

function followedAtStart(nodeGroups: RecordedLives['nodeGroups']): LifeIndex {
  const start = nodeGroups.flatMap(({ name, nodes }) => nodes.map((node) => born(name, { node, ready: 0 })));
  return {
    all: [...start],
    byNode: new Map(start.map((one) => [one.node!, one])),
    byInstance: new Map(),
    homes: new Map(),
  };
}

function instanceEntries({ all, byNode, byInstance, homes }: LifeIndex): Handlers<void> {
  return {
    InstanceLaunched: ({ group, instance, at }) => {
      const one = born(group, { instance, launched: at });
      all.push(one);
      byInstance.set(instance, one);
    },
    NodeRegistered: ({ instance, node }) => {
      const one = byInstance.get(instance);
      if (one !== undefined) {
        one.node = node;
        byNode.set(node, one);
      }
    },
    NodeReady: ({ node, at }) => {
      const one = byNode.get(node);
      if (one !== undefined) {
        one.ready ??= at;
      }
    },
    NodeGone: ({ node, instance, at }) => {
      const one = byNode.get(node) ?? byInstance.get(instance);
      if (one !== undefined) {
        one.gone = at;
        for (const pod of one.pods) {
          leave(homes, pod, at);
        }
        one.unneeded = closed(one.unneeded, at);
        one.leaving = closed(one.leaving, at);
      }
    },
  };
}

const podEntries = ({ byNode, homes }: LifeIndex): Handlers<void> => ({
  PodBound: ({ pod, node, at }) => {
    const one = byNode.get(node);
    if (one !== undefined) {
      homes.set(pod, one);
      one.pods.add(pod);
      one.used = opened(one.used, at);
    }
  },
  PodFinished: ({ pod, at }) => leave(homes, pod, at),
  PodDeleted: ({ pod, at }) => leave(homes, pod, at),
});

function leave(homes: LifeIndex['homes'], pod: string, at: number): void {
  const home = homes.get(pod);
  homes.delete(pod);
  if (home?.pods.delete(pod) === true && home.pods.size === 0) {
    home.used = closed(home.used, at);
  }
}

type TaintEntry = Extract<TimelineEntry, { readonly taint: Taint }>;

function removalEntries({ byNode }: LifeIndex): Handlers<void> {
  const setLeaving = ({ node, taint, at }: TaintEntry, change: typeof opened): void => {
    const one = byNode.get(node);
    if (one !== undefined && isRemovalTaint(taint)) {
      one.leaving = change(one.leaving, at);
    }
  };
  return {
    ScaleDown: ({ unneeded, removals, at }) => {
      const now = new Set(unneeded);
      for (const one of byNode.values()) {
        one.unneeded = now.has(one.node!) ? opened(one.unneeded, at) : closed(one.unneeded, at);
      }
      for (const { node, kind, pods } of removals) {
        const one = byNode.get(node);
        if (one !== undefined) {
          one.removal = { kind, pods: pods.length };
        }
      }
    },
    NodeTainted: (entry) => setLeaving(entry, opened),
    NodeUntainted: (entry) => setLeaving(entry, closed),
  };
}

const born = (
  group: string,
  { node = null, instance = null, launched = null, ready = null }: Partial<OpenLife>,
): OpenLife => ({
  group,
  node,
  instance,
  launched,
  ready,
  gone: null,
  pods: new Set(),
  used: CLOSED(),
  unneeded: CLOSED(),
  leaving: CLOSED(),
  removal: null,
});

const lifeOf = ({ pods: _pods, ...one }: OpenLife, end: number): Life => ({
  ...one,
  used: closed(one.used, end).over,
  unneeded: closed(one.unneeded, end).over,
  leaving: closed(one.leaving, end).over,
  // A removal that was decided but not carried out is not one.
  removal: one.gone === null ? null : one.removal,
});
