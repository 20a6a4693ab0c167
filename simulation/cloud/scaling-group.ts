import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { type GroupName, type NodeName, nodeName } from '@outrigger/core/model/values/names.ts';
import {
  HOSTNAME_LABEL,
  INSTANCE_TYPE_LABEL,
  type Node,
  REGION_LABEL,
  type Taint,
  ZONE_LABEL,
} from '@outrigger/core/model/cluster/node.ts';
import type { GroupOptions } from '@outrigger/core/model/options.ts';
import { MEMORY, type Resources } from '@outrigger/core/model/values/resources.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { NodeTemplate, WarmPool } from '@outrigger/core/model/node-group.ts';
import { rememberedOf } from '@outrigger/core/model/values/remembered.ts';
import { chanceFor } from '../chance.ts';
import type { Span } from '@outrigger/core/model/values/random.ts';
import type { LifecycleHook } from './hooks.ts';
import { conditionsOf } from '../cluster/node-readiness.ts';

/** An Auto Scaling group of the simulated cloud: one instance type, one or more zones. */
export interface SimulatedScalingGroup {
  readonly name: GroupName;
  readonly zones: readonly string[];
  readonly instanceType: string;
  readonly minSize: number;
  readonly maxSize: number;
  /** Size at the start, when all instances are ready. */
  readonly desiredSize: number;
  readonly capacity: Resources;
  readonly allocatable: Resources;
  /** Bytes by which the memory of a node, or of the template, differs from this at most, as on EC2; absent: none. */
  readonly memoryJitter?: number;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly options: Partial<GroupOptions>;
  /** Capacity type of its instances, where no label of them says so; absent: unknown. */
  readonly capacityType?: string | null;
  /** USD per hour of one instance; `null` where it is not known. */
  readonly price: number | null;
  /** From the launch of an instance to its registration as a node. */
  readonly boot: Span;
  /** From registration to Ready. */
  readonly ready: Span;
  /** The cloud's total capacity of instances for this group; further launches fail. */
  readonly available: number;
  /** Instances that wait beside the group, and join it before a new one is launched; absent: none. */
  readonly warmPool?: SimulatedWarmPool | undefined;
  /** Resources that a node of the group has only once its device plugin has announced them; absent: none. */
  readonly devices?: LateDevices;
  /** From the termination of an instance to the end of its node; absent: as on EC2. */
  readonly shutdown?: Span;
  /** The group's terminating lifecycle hooks; absent: none. */
  readonly hooks?: readonly LifecycleHook[];
}

/** The size is the number of instances at which Auto Scaling keeps the pool. */
interface SimulatedWarmPool extends WarmPool {
  /** From the start of an instance that waited to its registration as a node; absent: as of a new one. */
  readonly boot?: Span;
  /** From the time that one has joined the group until another waits in its place; absent: as long as a start takes. */
  readonly prepared?: Span;
}

/** Resources of a node that come after it is ready. */
interface LateDevices {
  readonly names: readonly string[];
  /** From Ready to their announcement. */
  readonly announced: Span;
}

/** Amounts without those of devices. */
export const withoutAmounts = (amounts: Resources, devices: LateDevices | undefined): Resources =>
  Object.fromEntries(Object.entries(amounts).filter(([name]) => devices?.names.includes(name) !== true));

/** A node of the group: without a time it is ready, and a template. */
export function simulatedNode(
  group: SimulatedScalingGroup,
  zone: string,
  name: NodeName,
  life: { readonly createdAt: EpochMs; readonly uid: string; readonly providerId: string } | null,
): Node {
  const most = group.memoryJitter ?? 0;
  const jitter = chanceFor(most, name).within({ min: -most, max: most });
  const jittered = (amounts: Resources): Resources =>
    jitter === 0 ? amounts : { ...amounts, [MEMORY]: (amounts[MEMORY] ?? 0) + jitter };
  return {
    name,
    uid: life?.uid ?? '',
    labels: {
      'kubernetes.io/os': 'linux',
      'kubernetes.io/arch': 'amd64',
      [INSTANCE_TYPE_LABEL]: group.instanceType,
      [REGION_LABEL]: zone.slice(0, -1),
      [ZONE_LABEL]: zone,
      'topology.ebs.csi.aws.com/zone': zone,
      ...group.labels,
      [HOSTNAME_LABEL]: name,
    },
    annotations: {},
    createdAt: life?.createdAt ?? null,
    deletedAt: null,
    providerId: life?.providerId ?? null,
    unschedulable: false,
    taints: group.taints,
    capacity: jittered(group.capacity),
    allocatable: jittered(group.allocatable),
    conditions: conditionsOf(true, life?.createdAt ?? null),
  };
}

/** The template of the group's new nodes. */
export const templateOf = rememberedOf((group: SimulatedScalingGroup): NodeTemplate => ({
  node: simulatedNode(group, firstItem(group.zones), nodeName(`template-node-for-${group.name}`), null),
  pods: [],
}));
