import type { ExcludedNode, ClusterObjects } from '../../core/model/scenario.ts';
import type { Node } from '../../core/model/cluster/node.ts';
import { keyOf, type Pod } from '../../core/model/cluster/pod.ts';
import type { NodeName } from '../../core/model/values/names.ts';
import { addTime, durationMs, type EpochMs, minutes, seconds } from '../../core/model/values/time.ts';
import type { ClusterObservation, ClusterReader, ClusterWriter, RejectedObject } from '../../core/ports/cluster.ts';
import type { SimulatedWorld } from '../../simulation/world.ts';
import type { FaultSource } from './fault-source.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** So often in a row a write of a node is made anew. More conflicts are a failure. */
const MOST_CONFLICTS = 8;
const TOUCHED = 'example.com/touched';

/**
 * A writer that meets other clients: they change a node between its being read and its being written, once or again and
 * again, or update a budget at the same time as an eviction.
 */
export function conflicting(
  writer: ClusterWriter,
  { clock, api }: Pick<SimulatedWorld, 'clock' | 'api'>,
  faults: FaultSource,
): ClusterWriter {
  const conflictsIn = (what: string, most: number): number =>
    faults.strike(
      'write conflict',
      0.2,
      (chance) => (chance.next() < 0.6 ? 1 : chance.within({ min: 2, max: most })),
      (times) => `another client comes ${times} times before ${what}`,
    ) ?? 0;
  return {
    ...writer,
    changeNode: async (name, uid, change, signal) => {
      const conflicts = conflictsIn(`the change of ${name}`, MOST_CONFLICTS + 2);
      for (let n = 0; n < Math.min(conflicts, MOST_CONFLICTS + 1); n += 1) {
        await clock.sleep(seconds(0.05), signal);
        const node = api.nodes.get(name);
        if (node !== undefined) {
          api.putNode({ ...node, labels: { ...node.labels, [TOUCHED]: String(clock.now()) } });
        }
      }
      return conflicts > MOST_CONFLICTS
        ? {
            kind: 'failed',
            code: 'Conflict',
            message: `node ${name} was changed by other clients ${MOST_CONFLICTS + 1} times in a row`,
          }
        : await writer.changeNode(name, uid, change, signal);
    },
    evict: async (pod, ...more) =>
      // The API server says so with 409, too.
      conflictsIn(`the eviction of ${pod.name}`, 2) > 0
        ? { kind: 'throttled', message: 'too many requests', retryAfterSeconds: null }
        : await writer.evict(pod, ...more),
  };
}

/** An object that cannot be read for a while. */
interface Unreadable {
  readonly object: { readonly kind: 'Node'; readonly name: NodeName } | { readonly kind: 'Pod'; readonly uid: string };
  readonly until: EpochMs;
}

const NONE: ReadonlySet<NodeName> = new Set();

/** A reader and what it cannot read now. */
export interface PartialReader {
  readonly reader: ClusterReader;
  /** The nodes that are excluded because they or pods on them cannot be read. */
  readonly excluded: () => ReadonlySet<NodeName>;
}

/**
 * A reader to which now and then a node or a pod makes no sense, for some minutes: what that means is as with the real one
 * (docs/unreadable-objects.md).
 */
export function readingInPart(
  reader: ClusterReader,
  { clock, api }: Pick<SimulatedWorld, 'clock' | 'api'>,
  { faultsUntil }: Pick<FaultScenario, 'faultsUntil'>,
  faults: FaultSource,
): PartialReader {
  let unreadable: readonly Unreadable[] = [];
  const now = (): readonly Unreadable[] => {
    if (unreadable.length > 0) {
      unreadable = unreadable.filter(({ until }) => until > clock.now());
    }
    return unreadable;
  };
  const isUnreadableNode = ({ name }: Node): boolean =>
    now().some(({ object }) => object.kind === 'Node' && object.name === name);
  const isUnreadablePod = ({ uid }: Pod): boolean =>
    now().some(({ object }) => object.kind === 'Pod' && object.uid === uid);
  const befall = ({ nodes, pods }: ClusterObjects): void => {
    const fault = faults.strike<Unreadable>(
      'unreadable object',
      0.02,
      (chance) => {
        const longest = faultsUntil - clock.now();
        const from = chance.next() < 0.4 ? nodes : pods;
        const one = from[chance.within({ min: 0, max: Math.max(0, from.length - 1) })];
        if (one === undefined || longest <= 0) {
          return null;
        }
        const until = addTime(
          clock.now(),
          durationMs(Math.min(longest, chance.within({ min: 5_000, max: Number(minutes(5)) }))),
        );
        const object =
          'spec' in one ? ({ kind: 'Pod', uid: one.uid } as const) : ({ kind: 'Node', name: one.name } as const);
        return { object, until };
      },
      ({ object, until }) =>
        `${object.kind} ${object.kind === 'Node' ? object.name : object.uid} cannot be read for ${until - clock.now()} ms`,
    );
    if (fault !== null) {
      unreadable = [...now(), fault];
    }
  };
  const asRead = ({ objects, rejected }: ClusterObservation): ClusterObservation => {
    const nodes = objects.nodes.filter(isUnreadableNode);
    const pods = objects.pods.filter(isUnreadablePod);
    if (nodes.length === 0 && pods.length === 0) {
      return { objects, rejected };
    }
    const unread = [...nodes.map(rejectedNode), ...pods.map(rejectedPod)];
    return {
      objects: {
        ...objects,
        nodes: objects.nodes.map((node) => (isUnreadableNode(node) ? { ...node, createdAt: null } : node)),
        pods: objects.pods.filter((pod) => !isUnreadablePod(pod)),
        excludedNodes: [...objects.excludedNodes, ...unread.flatMap(excludedBy)],
      },
      rejected: [...rejected, ...unread],
    };
  };
  return {
    reader: {
      ...reader,
      read: async (...how) => {
        const observed = await reader.read(...how);
        befall(observed.objects);
        return asRead(observed);
      },
      readNodes: async (...how) => asRead(await reader.readNodes(...how)),
      readNode: async (...which) => asRead(await reader.readNode(...which)),
    },
    excluded: () =>
      now().length === 0
        ? NONE
        : new Set([
            ...[...api.nodes.values()].filter(isUnreadableNode).map(({ name }) => name),
            ...[...api.pods.values()].filter(isUnreadablePod).flatMap(({ nodeName }) => nodeName ?? []),
          ]),
  };
}

const rejectedNode = ({ name }: Node): RejectedObject => ({
  place: `Node ${name}: metadata.creationTimestamp`,
  expected: 'a time',
  found: 'yesterday',
  excludes: { node: name, reason: 'UnreadableNode' },
});

const rejectedPod = (pod: Pod): RejectedObject => ({
  place: `Pod ${keyOf(pod)}: spec.containers[0].resources.requests.cpu`,
  expected: 'a quantity',
  found: '4 cores',
  ...(pod.nodeName !== null && { excludes: { node: pod.nodeName, reason: 'UnreadablePod' as const } }),
});

const excludedBy = ({ excludes, place, expected, found }: RejectedObject): readonly ExcludedNode[] =>
  excludes === undefined ? [] : [{ ...excludes, message: `${place}: expected ${expected}, found ${found}` }];
