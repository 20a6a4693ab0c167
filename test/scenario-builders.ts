import { groupName, instanceId, nodeName } from '../core/model/values/names.ts';
import { type Node, REGION_LABEL, ZONE_LABEL } from '../core/model/cluster/node.ts';
import type { Instance, LaunchFailure, NodeGroup, WarmPool } from '../core/model/node-group.ts';
import { defaultOptions, type Options } from '../core/model/options.ts';
import type { SetSizeIntent } from '../core/model/intent.ts';
import type { Pod } from '../core/model/cluster/pod.ts';
import { type ClusterObjects, NO_OBJECTS, type Scenario } from '../core/model/scenario.ts';
import type { Notice } from '../core/model/notice.ts';
import {
  type Backoff,
  type DeletionInProgress,
  EMPTY_STATE,
  type ScaleUpRequest,
  type State,
} from '../core/model/state.ts';
import { addTime, epochMs, minutes } from '../core/model/values/time.ts';
import type { Labels } from '../core/model/cluster/selectors.ts';
import type { GroupTemplate } from '../core/nodegroups/node-templates.ts';
import { type Amounts, node } from './builders.ts';

export const NOW = epochMs(Date.UTC(2026, 0, 1, 12));

/** Parts of a group beside its defaults: min 0, max 10, a ready target of as many nodes as it lists. */
export interface GroupGiven {
  readonly min?: number;
  readonly max?: number;
  readonly target?: number;
  readonly node?: Amounts;
  readonly zone?: string;
  readonly labels?: Labels;
  readonly taints?: Node['taints'];
  readonly nodes?: readonly string[];
  readonly instances?: readonly Instance[];
  readonly launchFailures?: readonly LaunchFailure[];
  readonly templatePods?: readonly Pod[];
  readonly template?: null;
  readonly templateProblem?: string;
  readonly options?: NodeGroup['options'];
  readonly launchSuspended?: boolean;
  readonly paused?: string;
  readonly cloudActions?: NodeGroup['cloudActions'];
  readonly warmPool?: Partial<WarmPool>;
  readonly invalid?: string;
  readonly zonalShifts?: NodeGroup['zonalShifts'];
}

/** A node group of 4 cpu, 16 GiB nodes, unless told otherwise. */
export function group(name: string, given: GroupGiven = {}): NodeGroup {
  const nodes = (given.nodes ?? []).map(nodeName);
  return {
    name: groupName(name),
    minSize: given.min ?? 0,
    maxSize: given.max ?? 10,
    targetSize: given.target ?? nodes.length,
    options: given.options ?? {},
    template:
      given.template === null
        ? null
        : {
            node: node(`template-of-${name}`, given.node ?? { cpu: 4, memory: '16Gi' }, {
              labels: { ...zoneLabels(given.zone), ...given.labels },
              taints: given.taints ?? [],
            }),
            pods: given.templatePods ?? [],
          },
    templateProblem: given.templateProblem ?? null,
    capacityType: null,
    alternatives: [],
    price: null,
    ...(given.warmPool !== undefined && {
      warmPool: { size: 1, state: 'Stopped' as const, reuse: false, ...given.warmPool },
    }),
    nodes,
    instances: given.instances ?? nodes.map((of, i) => running(`i-${name}-${i}`, of)),
    launchFailures: given.launchFailures ?? [],
    launchSuspended: given.launchSuspended ?? false,
    paused: given.paused ?? null,
    invalid: given.invalid ?? null,
    ...(given.cloudActions !== undefined && { cloudActions: given.cloudActions }),
    ...(given.zonalShifts !== undefined && { zonalShifts: given.zonalShifts }),
  };
}

/** A template of a group, as of an empty node. */
export const templateOf = (of: Node, pods: readonly Pod[] = []): GroupTemplate => ({
  group: groupName('g'),
  node: of,
  pods,
  shapes: [],
  most: {},
  free: {},
  daemons: [],
  without: [],
  capacityType: null,
  prices: { template: of, saved: 0, mean: 0, covered: [], uncovered: 0 },
});

export const zoneLabels = (zone: string | undefined): Labels =>
  zone === undefined ? {} : { [ZONE_LABEL]: zone, [REGION_LABEL]: zone.slice(0, -1) };

export const running = (id: string, of: string | null): Instance => ({
  id: instanceId(id),
  node: of === null ? null : nodeName(of),
  zone: null,
  state: 'Running',
  error: null,
});

export interface ScenarioGiven {
  readonly groups?: readonly NodeGroup[];
  readonly nodes?: readonly Node[];
  readonly pods?: readonly Pod[];
  readonly objects?: Partial<ClusterObjects>;
  readonly options?: Partial<Options>;
  readonly state?: Partial<State>;
  readonly seed?: number;
}

export const scenario = (given: ScenarioGiven): Scenario => ({
  name: 'test',
  provider: 'aws',
  now: NOW,
  seed: given.seed ?? 1,
  options: { ...defaultOptions(), ...given.options },
  nodeGroups: given.groups ?? [],
  objects: { ...NO_OBJECTS, nodes: given.nodes ?? [], pods: given.pods ?? [], ...given.objects },
  state: { ...EMPTY_STATE, ...given.state },
});

/** `name-0` … `name-<n-1>`. */
export const times = <T>(count: number, make: (i: number) => T): readonly T[] =>
  Array.from({ length: count }, (_, i) => make(i));

/** To set a group's size, pending. */
export const sizeIntent = (
  group: string,
  from: number,
  to: number,
  given: Partial<SetSizeIntent> = {},
): SetSizeIntent => ({
  id: `1-${group}`,
  kind: 'SetSize',
  group: groupName(group),
  from,
  to,
  drained: [],
  createdAt: NOW,
  status: 'pending',
  attempts: 0,
  claimedUntil: null,
  outcome: null,
  ...given,
});

/** A backoff of five minutes, which begins with a failure. */
export const backoffSince = (lastFailure = NOW, extra: Partial<Backoff> = {}): Backoff => ({
  until: addTime(lastFailure, minutes(5)),
  duration: minutes(5),
  lastFailure,
  class: 'Quota',
  ...extra,
});

/** A request for nodes, which are to come within a quarter of an hour. */
export const scaleUpRequest = (of: string, increase: number, time = NOW): ScaleUpRequest => ({
  group: groupName(of),
  increase,
  time,
  expectedAddTime: addTime(time, minutes(15)),
});

/** A removal under way. */
export const removalOf = (
  of: string,
  inGroup: string,
  extra: Partial<DeletionInProgress> = {},
): DeletionInProgress => ({
  node: nodeName(of),
  group: groupName(inGroup),
  kind: 'drain',
  since: NOW,
  ...extra,
});

/** A notice that a Spot instance ends in two minutes. */
export const noticeOf = (instance: string, inGroup: string, extra: Partial<Notice> = {}): Notice => ({
  instance: instanceId(instance),
  group: groupName(inGroup),
  kind: 'SpotInterruption',
  receivedAt: NOW,
  endsAt: addTime(NOW, minutes(2)),
  hook: null,
  ...extra,
});
