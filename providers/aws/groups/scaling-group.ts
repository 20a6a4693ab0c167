import type {
  AutoScalingGroup,
  InstanceRequirements,
  LaunchTemplateOverrides,
  LaunchTemplateSpecification,
  MixedInstancesPolicy,
} from '@aws-sdk/client-auto-scaling';
import { type CloudAction, actionsUnderWay } from '@outrigger/core/model/cloud-action.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { type GroupName, groupName } from '@outrigger/core/model/values/names.ts';
import { type WarmPool, WARM_POOL_STATES } from '@outrigger/core/model/node-group.ts';
import type { Range } from '@outrigger/core/model/options.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import { launchedFrom } from './launched-from.ts';
import type { MemberInstance } from './instances.ts';
import { type GroupTags, isTemplateTag, type Tags, parseTags } from './tags.ts';

/** The used fields of an Auto Scaling group. */
export interface ScalingGroup {
  readonly name: GroupName;
  readonly min: number;
  readonly max: number;
  readonly desired: number;
  /** In AWS' order. */
  readonly zones: readonly string[];
  readonly members: readonly MemberInstance[];
  readonly tags: Tags;
  readonly parsedTags: GroupTags;
  /** Template tags that are ignored because they are malformed. */
  readonly malformedTags: readonly RejectedObject[];
  /** Launches of the group, in order of preference; empty where the group contains no known kind of launch. */
  readonly launches: readonly Launch[];
  /** Has a mixed instances policy: the type of the next instance may differ from that of the last one. */
  readonly mixed: boolean;
  readonly market: Market;
  /** For a market of `mixed`: which instances are on demand. */
  readonly onDemand: OnDemandShare;
  /**
   * Processes (`Launch`, `Terminate`, `AZRebalance` …) that are suspended, by a user or by AWS after a day of failures.
   */
  readonly suspended: readonly string[];
  /** `null` where the group has no warm pool, or the pool is being deleted. */
  readonly warmPool: WarmPool | null;
  /** `null` where AWS does not say. */
  readonly arn: string | null;
  /** Registered with ARC zonal shift: traffic may be shifted away from a zone of the group alone. */
  readonly zonalShift: boolean;
  /** AWS itself replaces its Spot instances at a rebalance recommendation. */
  readonly capacityRebalance: boolean;
  /** Age at which AWS itself replaces instances, in days; `null` where it does not. */
  readonly maxInstanceDays: number | null;
  /** Why the group cannot be used, in words; `null` where it can. */
  readonly problem: string | null;
}

/** The purchase option of instances; `mixed` where one group has both on-demand and spot. */
export type Market = 'on-demand' | 'spot' | 'capacity-block' | 'mixed';

interface OnDemandShare {
  /** The number of instances that are on demand first. */
  readonly base: number;
  /** The percentage on demand of those beyond. */
  readonly percentageAboveBase: number;
}

/** A way in which a group launches instances. */
export type Launch =
  | {
      readonly kind: 'template';
      /** `ID:VERSION` or `NAME:VERSION`; the version may be `$Default` or `$Latest`. */
      readonly template: string;
      /** Overrides the launch template's own. */
      readonly instanceType: string | null;
      /** Types are chosen by attributes, not by name. Overrides the launch template's own. */
      readonly requirements: InstanceRequirements | null;
    }
  | { readonly kind: 'configuration'; readonly name: string };

/** The parts of `ID:VERSION` or `NAME:VERSION`. */
export function splitKey(key: string): { readonly template: string; readonly version: string } {
  const at = key.lastIndexOf(':');
  return { template: key.slice(0, at), version: key.slice(at + 1) };
}

/**
 * Reads one group of `DescribeAutoScalingGroups`. A group that cannot be read has a `problem`, and the other groups are
 * listed beside it.
 */
export function toScalingGroup(group: AutoScalingGroup): ScalingGroup {
  try {
    return read(group);
  } catch (error) {
    const { AutoScalingGroupName, MinSize, MaxSize, DesiredCapacity, AvailabilityZones, Instances, Tags } = group;
    const bare = { AutoScalingGroupName, MinSize, MaxSize, DesiredCapacity, AvailabilityZones, Instances };
    const ownTags = Tags?.filter(({ Key = '' }) => !isTemplateTag(Key));
    return {
      ...read({ ...bare, Tags: ownTags } as AutoScalingGroup),
      problem: `it cannot be read: ${clip(messageOf(error))}`,
    };
  }
}

function read(group: AutoScalingGroup): ScalingGroup {
  const tags = Object.fromEntries((group.Tags ?? []).map(({ Key = '', Value = '' }) => [Key, Value]));
  const parsed = parseTags(tags);
  const { MinSize: min, MaxSize: max, DesiredCapacity: desired } = group;
  const onDemand = onDemandShare(group.MixedInstancesPolicy);
  const isSized = min !== undefined && max !== undefined && desired !== undefined;
  const problem = isSized ? problemOf(group) : 'AWS did not report its sizes';
  return {
    name: groupName(group.AutoScalingGroupName ?? ''),
    min: min ?? 0,
    max: max ?? 0,
    desired: desired ?? 0,
    zones: group.AvailabilityZones ?? [],
    members: (group.Instances ?? []).map((instance) => ({
      id: instance.InstanceId ?? '',
      zone: instance.AvailabilityZone ?? null,
      lifecycleState: instance.LifecycleState ?? '',
      launchedFrom: launchedFrom(instance),
    })),
    tags,
    parsedTags: parsed.tags,
    malformedTags: parsed.malformed,
    launches: launchesOf(group),
    mixed: group.MixedInstancesPolicy !== undefined,
    market: marketOf(onDemand),
    onDemand,
    suspended: (group.SuspendedProcesses ?? []).map(({ ProcessName }) => ProcessName ?? ''),
    warmPool: warmPoolOf(group),
    arn: group.AutoScalingGroupARN ?? null,
    zonalShift: group.AvailabilityZoneImpairmentPolicy?.ZonalShiftEnabled === true,
    capacityRebalance: group.CapacityRebalance === true,
    // 0 takes the limit away.
    maxInstanceDays: group.MaxInstanceLifetime ? group.MaxInstanceLifetime / 86_400 : null,
    problem,
  };
}

/** Instances whose termination was abandoned, and which the group's policy keeps: nothing counts them, and nothing ends them. */
export const retainedMembers = ({ members }: ScalingGroup): readonly MemberInstance[] =>
  members.filter(({ lifecycleState }) => lifecycleState === 'Terminating:Retained');

/**
 * Does AWS terminate instances without a drain to even zones out? EKS drains instances of its managed node groups however they are
 * terminated, and its updates rely on the process.
 */
export const isRebalanced = ({ zones, suspended, parsedTags: { managedNodeGroup } }: ScalingGroup): boolean =>
  zones.length > 1 && managedNodeGroup === null && !suspended.includes('AZRebalance');

/** Actions of AWS on the instances of the group, as far as the description has them. */
export function cloudActionsOf(group: ScalingGroup): readonly CloudAction[] {
  return actionsUnderWay({
    CapacityRebalance: group.capacityRebalance,
    MaxInstanceLifetime: group.maxInstanceDays !== null,
    ZonesRebalanced: isRebalanced(group),
    InstancesRetained: retainedMembers(group).length > 0,
  });
}

/** A group's description has its warm pool's configuration and size, so that `DescribeWarmPool` is not needed. */
function warmPoolOf({ WarmPoolConfiguration: pool, WarmPoolSize: size }: AutoScalingGroup): WarmPool | null {
  if (pool === undefined || pool.Status === 'PendingDelete') {
    return null;
  }
  return {
    size: size ?? 0,
    // A state of later days is taken for the one that takes longest.
    state: WARM_POOL_STATES.find((state) => state === pool.PoolState) ?? 'Stopped',
    reuse: pool.InstanceReusePolicy?.ReuseOnScaleIn ?? false,
  };
}

/**
 * A group within bounds of the configuration. Cluster Autoscaler takes these alone, and AWS refuses a size outside of the
 * group's own; here a size stays within both.
 */
export function withBounds(group: ScalingGroup, { min, max }: Range): ScalingGroup {
  const bounds = { min: Math.max(group.min, min), max: Math.min(group.max, max) };
  if (bounds.min <= bounds.max) {
    return { ...group, ...bounds };
  }
  const problem = `its sizes, ${group.min} to ${group.max}, and those that discovery.nodes gives it, ${min} to ${max}, have none in common`;
  return { ...group, problem: group.problem ?? problem };
}

/** Sizes must count nodes. With weights or vCPUs a size of 8 may be 4 nodes, and every decision would be wrong. */
function problemOf(group: AutoScalingGroup): string | null {
  const { Status: status, DesiredCapacityType: unit, MixedInstancesPolicy: policy } = group;
  if (status !== undefined) {
    return `AWS reports the status ${JSON.stringify(status)}: it is being deleted`;
  }
  if (unit !== undefined && unit !== 'units') {
    return `its desired capacity counts ${unit}, not instances; set DesiredCapacityType to "units"`;
  }
  const weighted = policy?.LaunchTemplate?.Overrides?.find(({ WeightedCapacity: weight = '1' }) => weight !== '1');
  if (weighted === undefined) {
    return null;
  }
  const { InstanceType: type = 'an override', WeightedCapacity: weight } = weighted;
  return `its desired capacity counts weights, not instances (${type} weighs ${weight}); remove the weights from the mixed instances policy`;
}

function launchesOf(group: AutoScalingGroup): readonly Launch[] {
  const policy = group.MixedInstancesPolicy?.LaunchTemplate;
  if (policy !== undefined) {
    const overrides = policy.Overrides ?? [];
    return (overrides.length === 0 ? [{}] : overrides).flatMap((override: LaunchTemplateOverrides) =>
      fromTemplate(override.LaunchTemplateSpecification ?? policy.LaunchTemplateSpecification, override),
    );
  }
  if (group.LaunchTemplate !== undefined) {
    return fromTemplate(group.LaunchTemplate, {});
  }
  const name = group.LaunchConfigurationName;
  return name === undefined ? [] : [{ kind: 'configuration', name }];
}

function fromTemplate(
  specification: LaunchTemplateSpecification | undefined,
  { InstanceType, InstanceRequirements }: LaunchTemplateOverrides,
): readonly Launch[] {
  const template = specification?.LaunchTemplateId ?? specification?.LaunchTemplateName;
  if (template === undefined) {
    return [];
  }
  return [
    {
      kind: 'template',
      template: `${template}:${specification?.Version ?? '$Default'}`,
      instanceType: InstanceType ?? null,
      requirements: InstanceRequirements ?? null,
    },
  ];
}

/** AWS' defaults: no base, all on demand. Groups without a policy leave it to their launch template. */
function onDemandShare(policy: MixedInstancesPolicy | undefined): OnDemandShare {
  const { OnDemandBaseCapacity: base = 0, OnDemandPercentageAboveBaseCapacity: percentageAboveBase = 100 } =
    policy?.InstancesDistribution ?? {};
  return { base, percentageAboveBase };
}

function marketOf({ base, percentageAboveBase }: OnDemandShare): Market {
  if (percentageAboveBase === 100) {
    return 'on-demand';
  }
  return percentageAboveBase === 0 && base === 0 ? 'spot' : 'mixed';
}
