import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { Options } from '../../../core/model/options.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { ClusterObjects, Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import { present } from '../../../core/model/values/present.ts';
import { durationMs, type EpochMs, minutes } from '../../../core/model/values/time.ts';
import type { Controller } from '../../../core/model/cluster/workloads.ts';
import { controller, node, pod, type PodOptions } from '../../builders.ts';
import { group, type GroupGiven, NOW, scenario } from '../../scenario-builders.ts';

export const ago = (length: number): EpochMs => (NOW - minutes(length)) as EpochMs;

/** Long before anything that a test is about: the evaluation is not the first, and no clock has begun. */
export const BEFORE: Partial<State> = { lastEvaluation: ago(1) };

/** Unneeded nodes go at once. */
export const AT_ONCE: Partial<Options> = { scaleDownUnneededTime: durationMs(0), scaleDownUnreadyTime: durationMs(0) };

/** The ReplicaSet that all pods of `replica` belong to. */
export const WEB: Controller = controller('ReplicaSet/web', { replicas: 100 });

/** A pod that runs on a node and may move: of half a cpu unless told otherwise. */
export const replica = (name: string, on: string, options: PodOptions = {}): Pod =>
  pod(name, { node: on, owner: 'ReplicaSet/web', requests: { cpu: '500m', memory: '1Gi' }, ...options });

const AGENT: Controller = { ...WEB, kind: 'DaemonSet', name: 'agent', uid: 'uid-DaemonSet/agent', replicas: null };

/** Options of a pod of a DaemonSet. */
export const DAEMON = { owner: 'DaemonSet/agent', requests: { cpu: '1' } } as const;

/** A ready node of 4 CPU and 16 GiB. */
export const workerNode = (name: string, extra: Partial<Node> = {}): Node =>
  node(name, { cpu: 4, memory: '16Gi' }, extra);

export const notReady = (name: string, extra: Partial<Node> = {}): Node =>
  workerNode(name, {
    conditions: [{ type: 'Ready', status: 'False', reason: 'KubeletNotReady', since: null }],
    ...extra,
  });

export interface ClusterGiven {
  readonly nodes: readonly Node[];
  readonly pods?: readonly Pod[];
  /** In place of one group, `web`, of all nodes. */
  readonly groups?: readonly NodeGroup[];
  readonly group?: GroupGiven;
  readonly options?: Partial<Options>;
  readonly state?: Partial<State>;
  readonly objects?: Partial<ClusterObjects>;
  readonly commitments?: Scenario['commitments'];
}

/** A single group of all nodes, whose unneeded ones go at once, unless told otherwise. */
export const clusterOf = (given: ClusterGiven): Scenario => ({
  ...scenario({
    groups: given.groups ?? [group('web', { nodes: given.nodes.map(({ name }) => name), ...given.group })],
    nodes: given.nodes,
    pods: given.pods ?? [],
    objects: { controllers: [WEB, AGENT], ...given.objects },
    options: { ...AT_ONCE, ...given.options },
    state: { ...BEFORE, ...given.state },
  }),
  ...present({ commitments: given.commitments }),
});

export const decide = (given: ClusterGiven): Decision => evaluate(clusterOf(given));

export const goes = ({ scaleDown }: Decision): readonly string[] => scaleDown.removals.map(({ node: name }) => name);

/** Reasons by node; several with a comma. */
export function stays({ scaleDown }: Decision): Readonly<Record<string, string>> {
  const reasons: Record<string, string> = {};
  for (const { node: name, reason, podReason } of scaleDown.unremovable) {
    const text = podReason === undefined ? reason : `${reason} ${podReason}`;
    reasons[name] = reasons[name] === undefined ? text : `${reasons[name]}, ${text}`;
  }
  return reasons;
}
