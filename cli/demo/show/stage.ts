import { getExisting } from '@outrigger/core/model/values/existing.ts';
import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import { isRemovalTaint } from '@outrigger/core/model/cluster/removal-taints.ts';
import {
  type TimelineEntry,
  handle,
  type Handlers,
  type RecordingGroup,
} from '@outrigger/simulation/recording/recording.ts';

/** The cluster at one moment of a recording. */
export interface Stage {
  readonly groups: ReadonlyMap<string, StagedGroup>;
  /** `null` for an unknown node. */
  readonly node: (name: string) => StagedNode | null;
  /** Takes the next entry of the recording. */
  readonly advance: (entry: TimelineEntry) => void;
}

export interface StagedNode {
  readonly group: string;
  ready: boolean;
  /** The node is being removed. */
  leaving: boolean;
  /** Pods of workloads; pods of DaemonSets are left out. */
  readonly pods: Set<string>;
}

export interface StagedGroup {
  readonly group: RecordingGroup;
  readonly desired: number;
  readonly ready: number;
  /** Nodes that are being removed. */
  readonly leaving: number;
}

/** The stage as it is before the first entry. */
export function createStage(groups: readonly RecordingGroup[]): Stage {
  const staged: StagedGroups = new Map(
    groups.map((group) => [group.name, { group, desired: group.desiredSize, ready: group.nodes.length, leaving: 0 }]),
  );
  const nodes: StagedNodes = new Map(
    groups.flatMap(({ name, nodes: there }) => there.map((node) => [node, stagedNode(name, true)])),
  );
  const onEntry = { ...podEntries(nodes), ...nodeEntries(nodes, staged) };
  return {
    groups: staged,
    node: (name) => nodes.get(name) ?? null,
    advance: (entry) => void handle(onEntry, entry),
  };
}

type StagedGroups = Map<string, { -readonly [Field in keyof StagedGroup]: StagedGroup[Field] }>;
type StagedNodes = Map<string, StagedNode>;

const stagedNode = (group: string, ready: boolean): StagedNode => ({ group, ready, leaving: false, pods: new Set() });

/** Keeps each pod on its node. */
function podEntries(nodes: StagedNodes): Handlers<void> {
  const homes = new Map<string, StagedNode>();
  const leave = (pod: string): void => {
    homes.get(pod)?.pods.delete(pod);
    homes.delete(pod);
  };
  return {
    PodBound: ({ pod, node: name }) => {
      const node = nodes.get(name);
      if (node !== undefined) {
        node.pods.add(pod);
        homes.set(pod, node);
      }
    },
    PodFinished: ({ pod }) => leave(pod),
    PodDeleted: ({ pod }) => leave(pod),
  };
}

/** Keeps the nodes, and the counts of their groups. */
function nodeEntries(nodes: StagedNodes, staged: StagedGroups): Handlers<void> {
  const setLeaving = (name: string, taint: Taint, leaving: boolean): void => {
    const node = nodes.get(name);
    if (node !== undefined && node.leaving !== leaving && isRemovalTaint(taint)) {
      node.leaving = leaving;
      getExisting(staged, node.group).leaving += leaving ? 1 : -1;
    }
  };
  return {
    SizeSet: ({ group, to }) => {
      getExisting(staged, group).desired = to;
    },
    NodeRegistered: ({ group, node }) => void nodes.set(node, stagedNode(group, false)),
    NodeReady: ({ group, node: name }) => {
      getExisting(nodes, name).ready = true;
      getExisting(staged, group).ready += 1;
    },
    NodeTainted: ({ node, taint }) => setLeaving(node, taint, true),
    NodeUntainted: ({ node, taint }) => setLeaving(node, taint, false),
    NodeGone: ({ group, node: name }) => {
      const node = getExisting(nodes, name);
      nodes.delete(name);
      getExisting(staged, group).ready -= Number(node.ready);
      getExisting(staged, group).leaving -= Number(node.leaving);
    },
  };
}
