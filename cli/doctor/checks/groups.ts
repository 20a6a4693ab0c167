import type { DiscoveryTag } from '@outrigger/core/model/discovery.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import { defaultOptions, type Options } from '@outrigger/core/model/options.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { type ComparedTemplate, similarityFor } from '@outrigger/core/nodegroups/similar.ts';
import { CAPACITY_TYPE_LABELS } from '@outrigger/core/registry/shortages.ts';
import { membersOf, nodesByInstance } from '@outrigger/providers/aws/groups/instances.ts';
import { sampleNode } from '@outrigger/providers/node-groups/templates/live-node.ts';
import { keysOf } from '@outrigger/providers/clusterapi/api/resources.ts';
import type { ClusterApi } from '@outrigger/providers/schema/cluster-api.ts';
import { writeDiscoverySpec } from '@outrigger/providers/schema/cluster-api-discovery.ts';
import { writeTag } from '@outrigger/providers/schema/discovery.ts';
import { isRebalanced, retainedMembers, type ScalingGroup } from '@outrigger/providers/aws/groups/scaling-group.ts';
import { itemsIf, textIf } from '@outrigger/core/model/values/optional.ts';
import { PRICE_KEY } from '@outrigger/providers/node-groups/stated-price.ts';
import { discoveryOf } from '../facts/aws.ts';
import { factOr } from '../facts/fact.ts';
import type { PartlyTagged } from '../facts/partly-tagged.ts';
import type { Facts, ResourceGroup } from '../facts/facts.ts';
import {
  type Check,
  failure,
  type Finding,
  known,
  passed,
  passedIfNone,
  regionOf,
  some,
  unknown,
  warning,
} from './check.ts';

const namesOf = (groups: readonly { readonly name: string }[]): readonly string[] => groups.map(({ name }) => name);

const GROUPS: Check = {
  id: 'node-groups',
  title: 'Node groups',
  rule: 'At least one Auto Scaling group has the tags (or is among `discovery.nodes`). Fails otherwise, and with `clusterApi` warns; warns of groups that cannot be used, and of those with one of Cluster Autoscaler’s two tags alone.',
  why: 'Only these groups are scaled, and the roles of the functions allow no others to be changed.',
  judge: (facts) => {
    const { clusterApi } = facts.settings;
    if (clusterApi?.autoScalingGroups === false) {
      return passed('Auto Scaling groups are no node groups (clusterApi.autoScalingGroups: false).');
    }
    return known(facts.groups, (groups) => {
      const finding = judgeGroups(facts, groups);
      if (clusterApi !== null && groups.length === 0) {
        // The resources of Cluster API may be all that there is.
        return { ...finding, status: 'warn' };
      }
      return finding;
    });
  },
};

function judgeGroups(facts: Facts, groups: readonly ScalingGroup[]): Finding {
  const names = (facts.settings.discovery?.nodes ?? []).map(({ name }) => name);
  const lacking = names.filter((name) => !groups.some((group) => group.name === name));
  if (groups.length === 0) {
    return noGroups(facts, names);
  }
  if (lacking.length > 0) {
    const found = `${counted(groups.length, 'group')} found; there is no Auto Scaling group ${some(lacking)}.`;
    return wrongNames(facts, found);
  }
  return (
    unusableAmong(groups, 'Correct these groups, or remove their tags.') ??
    partlyTagged(facts, groups) ??
    passed(foundText(groups))
  );
}

/** The finding where `discovery.nodes` names groups that do not exist. */
const wrongNames = (facts: Facts, found: string): Finding =>
  failure(
    found,
    'Correct discovery.nodes in outrigger.config.yaml. The groups of the region are:',
    `aws autoscaling describe-auto-scaling-groups --region ${regionOf(facts)} --query 'AutoScalingGroups[].AutoScalingGroupName'`,
  );

const foundText = (groups: readonly ResourceGroup[]): string =>
  `${counted(groups.length, 'group')} found: ${some(namesOf(groups))}.`;

/** The finding of groups that have a problem; `null` where none has one. */
function unusableAmong(groups: readonly ResourceGroup[], remedy: string): Finding | null {
  const unusable = groups.filter(({ problem }) => problem !== null);
  if (unusable.length === 0) {
    return null;
  }
  const named = unusable.map(({ name, problem }) => `${name} (${problem})`);
  return warning(`${counted(groups.length, 'group')} found; of these cannot be used: ${some(named)}.`, remedy);
}

/** The finding of groups with one of the two tags; tags of `discovery` may well be on other groups, too. */
function partlyTagged(facts: Facts, groups: readonly ScalingGroup[]): Finding | null {
  const partly = factOr(facts.partlyTagged, []);
  if (facts.settings.discovery !== null || partly.length === 0) {
    return null;
  }
  return warning(
    `${counted(groups.length, 'group')} found. ${partlyText(partly)}`,
    'Add the tag where a group is to be scaled, or remove the other one:',
    ...partly.map(({ name, lacking }) => tagCommand(facts, name, lacking)),
  );
}

const partlyText = (partly: readonly PartlyTagged[]): string =>
  `Some of the tags alone: ${some(partly.map(({ name, lacking }) => `${name} (lacks ${lacking.map(writeTag).join(' and ')})`))}.`;

function tagCommand(facts: Facts, group: string, tags: readonly DiscoveryTag[]): string {
  const written = tags.map(
    ({ key, value }) =>
      `ResourceId=${group},ResourceType=auto-scaling-group,Key=${key},Value=${value ?? 'owned'},PropagateAtLaunch=false`,
  );
  return `aws autoscaling create-or-update-tags --region ${regionOf(facts)} --tags ${written.join(' ')}`;
}

function noGroups(facts: Facts, names: readonly string[]): Finding {
  const { tags } = discoveryOf(facts.settings);
  const region = regionOf(facts);
  if (tags.length === 0) {
    return wrongNames(facts, `There is no Auto Scaling group ${some(names)} in ${region}.`);
  }
  const found = `No Auto Scaling group in ${region} has the tags ${tags.map(writeTag).join(' and ')}.`;
  const remedy = 'Tag the groups that are to be scaled:';
  const partly = factOr(facts.partlyTagged, []);
  if (partly.length === 0) {
    return failure(found, remedy, tagCommand(facts, 'GROUP', tags));
  }
  const commands = partly.map(({ name, lacking }) => tagCommand(facts, name, lacking));
  return failure(`${found} ${partlyText(partly)}`, remedy, ...commands);
}

const RESOURCES: Check = {
  id: 'cluster-api-groups',
  title: 'Cluster API node groups',
  rule: 'With `clusterApi`: at least one resource has the annotations with its bounds. Fails otherwise; warns of resources that cannot be used.',
  why: 'Only resources with both annotations are scaled, and those of the cluster’s own discovery alone.',
  judge: ({ settings: { cluster, clusterApi }, resources }) => {
    if (clusterApi === null) {
      return passed('Resources of Cluster API are no node groups (clusterApi is not set).');
    }
    return known(resources, (groups) => judgeResources(cluster, clusterApi, groups));
  },
};

function judgeResources(
  cluster: string,
  { apiGroup, discovery, managementCluster }: ClusterApi,
  groups: readonly ResourceGroup[],
): Finding {
  const { minSize, maxSize } = keysOf(apiGroup);
  if (groups.length === 0) {
    const byDefault = textIf(managementCluster !== null, ` of a Cluster named ${cluster}`);
    const where = discovery.length === 0 ? byDefault : ` of ${some(discovery.map(writeDiscoverySpec))}`;
    return failure(
      `No resource of ${apiGroup}${where} has the annotations with its bounds.`,
      'Annotate the resources that are to be scaled, or correct clusterApi in outrigger.config.yaml:',
      `kubectl annotate machinedeployments.${apiGroup} NAME ${minSize}=1 ${maxSize}=10`,
    );
  }
  return unusableAmong(groups, 'Correct these resources, or remove their annotations.') ?? passed(foundText(groups));
}

/** A check that no Auto Scaling group is set up in a way, with a command for each that is. */
interface GroupFault extends Omit<Check, 'judge'> {
  readonly isIn: (group: ScalingGroup) => boolean;
  /** The finding where no group has the fault. */
  readonly none: string;
  /** The finding of groups that have it. */
  readonly found: (groups: readonly ScalingGroup[]) => string;
  readonly remedy: string;
  readonly command: (group: string, region: string) => string;
}

const faultCheck = ({ isIn, none, found, remedy, command, ...check }: GroupFault): Check => ({
  ...check,
  judge: (facts) =>
    known(facts.groups, (groups) =>
      passedIfNone(groups.filter(isIn), none, (faulty) =>
        warning(found(faulty), remedy, ...faulty.map(({ name }) => command(name, regionOf(facts)))),
      ),
    ),
});

const REBALANCED = faultCheck({
  id: 'az-rebalance',
  title: 'AZRebalance',
  rule: 'Suspended in self-managed groups of several zones. Warns otherwise.',
  why: 'AWS balances the zones by terminating instances without a drain: their pods are killed in spite of PodDisruptionBudgets.',
  isIn: isRebalanced,
  none: 'No self-managed group of several zones is rebalanced.',
  found: (groups) => `Rebalanced by AWS: ${some(namesOf(groups))}.`,
  remedy: 'Suspend the process:',
  command: (group, region) =>
    `aws autoscaling suspend-processes --region ${region} --auto-scaling-group-name ${group} --scaling-processes AZRebalance`,
});

const CAPACITY_REBALANCE = faultCheck({
  id: 'capacity-rebalance',
  title: 'Capacity Rebalancing',
  rule: 'Off in self-managed groups. Warns otherwise.',
  why: 'AWS launches a replacement at a rebalance recommendation and terminates the instance without a drain, unless a lifecycle hook has it drained. The option `rebalanceRecommendation` has no effect in such a group.',
  // EKS sets Capacity Rebalancing in its Spot node groups, and drains their nodes.
  isIn: ({ capacityRebalance, parsedTags }) => capacityRebalance && parsedTags.managedNodeGroup === null,
  none: 'No self-managed group has it.',
  found: (groups) => `On in ${some(namesOf(groups))}.`,
  remedy:
    'Turn it off, and set the option rebalanceRecommendation; or have a lifecycle hook drain the nodes (docs/interruption-handling.md):',
  command: (group, region) =>
    `aws autoscaling update-auto-scaling-group --region ${region} --auto-scaling-group-name ${group} --no-capacity-rebalance`,
});

const INSTANCE_LIFETIME = faultCheck({
  id: 'max-instance-lifetime',
  title: 'Maximum instance lifetime',
  rule: 'Not set in self-managed groups. Warns otherwise.',
  why: 'AWS terminates instances of that age without a drain, unless a lifecycle hook has them drained. The option `expireAfter` drains nodes first.',
  isIn: ({ maxInstanceDays, parsedTags }) => maxInstanceDays !== null && parsedTags.managedNodeGroup === null,
  none: 'Set in no self-managed group.',
  found: (groups) =>
    `Set in ${some(groups.map(({ name, maxInstanceDays }) => `${name} (${counted(maxInstanceDays ?? 0, 'day')})`))}.`,
  remedy:
    'Take it away, and set the option expireAfter; or have a lifecycle hook drain the nodes (docs/interruption-handling.md):',
  command: (group, region) =>
    `aws autoscaling update-auto-scaling-group --region ${region} --auto-scaling-group-name ${group} --max-instance-lifetime 0`,
});

const PRICES: Check = {
  id: 'prices',
  title: 'Prices',
  rule: 'Each node group has a price, if the expander is `price`, consolidation is on or `maxCostPerHour` is set. Warns otherwise.',
  why: 'The expander `price` drops groups without a price where others have one, and consolidation compares prices. `maxCostPerHour` counts Spot nodes without a price up to three times too high.',
  judge: (facts) =>
    known(facts.unpriced, (unpriced) =>
      known(facts.resources, (resources) => {
        const ofClusterApi = namesOf(resources.filter(({ lacksPrice }) => lacksPrice));
        if (unpriced === null && ofClusterApi.length === 0) {
          return passed('No decision goes by prices.');
        }
        const { groups = [], why = [] } = unpriced ?? {};
        const apiGroup = facts.settings.clusterApi?.apiGroup;
        const reasons = textIf(why.length > 0, ` ${some(why, 3)}`);
        return passedIfNone([...groups, ...ofClusterApi], 'Each group has one.', (all) =>
          warning(
            `None is known of ${some(all)}.${reasons}`,
            'Set it by the option prices, or by a tag or an annotation of each group, in USD per hour:',
            ...groups.map((name) => tagCommand(facts, name, [{ key: PRICE_KEY, value: '0.096' }])),
            ...itemsIf(ofClusterApi.length > 0, [
              `kubectl annotate machinedeployments.${apiGroup} NAME ${PRICE_KEY}=0.096`,
            ]),
          ),
        );
      }),
    ),
};

const PLACEMENT: Check = {
  id: 'planned-placement',
  title: 'Planned placement',
  rule: 'Each node group gives its new nodes the taint `outrigger.dev/awaiting-pods`, if the option `plannedPlacement` is on. Warns otherwise.',
  why: 'Without the taint, kube-scheduler uses a new node before the pods that it was launched for are nominated to it.',
  judge: (facts) =>
    known(facts.untainted, (untainted) => {
      if (untainted === null) {
        return passed(
          'The option plannedPlacement is off. With it bursts take up to a tenth fewer nodes: docs/planned-placement.md',
        );
      }
      return passedIfNone(untainted, 'New nodes of all groups wait for their pods.', () =>
        warning(
          `New nodes of ${some(untainted)} do not wait for their pods.`,
          'Give them the taint, or set the option to false for these groups:',
          `npx outrigger planned-placement add --cluster ${facts.settings.cluster} --region ${regionOf(facts)} --yes`,
        ),
      );
    }),
};

const SUSPENDED = faultCheck({
  id: 'launch-suspended',
  title: 'Launch process',
  rule: 'Suspended in no group. Warns otherwise.',
  why: 'A group whose process Launch is suspended accepts a new size and starts no instance. AWS suspends the process after a day of failed launches.',
  isIn: ({ suspended }) => suspended.includes('Launch'),
  none: 'Suspended in no group.',
  found: (groups) => `Suspended in ${some(namesOf(groups))}.`,
  remedy: 'Find the reason, and resume the process:',
  command: (group, region) =>
    `aws autoscaling resume-processes --region ${region} --auto-scaling-group-name ${group} --scaling-processes Launch`,
});

const RETAINED: Check = {
  id: 'retained-instances',
  title: 'Retained instances',
  rule: 'No group has any. Warns otherwise.',
  why: 'Where a lifecycle hook was abandoned, an instance lifecycle policy may retain the instance: it no longer counts toward the size of its group, and is paid for until it is terminated.',
  judge: (facts) =>
    known(facts.groups, (groups) => {
      const retained = groups.flatMap((group) => retainedMembers(group).map(({ id }) => ({ id, group: group.name })));
      return passedIfNone(retained, 'No group has any.', () =>
        warning(
          `Retained: ${some(retained.map(({ id, group }) => `${id} (${group})`))}.`,
          'Look at them, and terminate them:',
          ...retained.map(
            ({ id }) =>
              `aws autoscaling terminate-instance-in-auto-scaling-group --region ${regionOf(facts)} --instance-id ${id} --no-should-decrement-desired-capacity`,
          ),
        ),
      );
    }),
};

/** Spot and on-demand groups are meant to differ in these labels, as `onlyDifference` names them. */
const PURCHASE_OPTIONS: ReadonlySet<string> = new Set(CAPACITY_TYPE_LABELS.map((label) => `label ${label}`));

const SIMILAR: Check = {
  id: 'similar-groups',
  title: 'Similar groups',
  rule: 'No two groups differ in one label or resource alone, by a node of each. Warns otherwise, but not of the purchase option.',
  why: 'New nodes are balanced over groups that are similar. One label that names the group, or one resource more, keeps a group out of that.',
  judge: (facts) =>
    known(facts.groups, (groups) =>
      known(facts.kubernetes.nodes, (nodes) => {
        const options: Options = { ...defaultOptions(), ...facts.settings.options };
        const templates = options.balanceSimilarNodeGroups ? templatesOf(groups, nodes, facts.now) : [];
        const { onlyDifference } = similarityFor(options, 'aws');
        const nearly: string[] = [];
        for (const [i, [name, its]] of templates.entries()) {
          for (const [other, template] of templates.slice(i + 1)) {
            const difference = onlyDifference(its, template);
            if (difference !== null && !PURCHASE_OPTIONS.has(difference)) {
              nearly.push(`${name} and ${other} (${difference})`);
            }
          }
        }
        return passedIfNone(nearly, 'No two groups differ in one label or resource alone.', () =>
          warning(
            `Not balanced, though nearly similar: ${some(nearly)}.`,
            'Make the label or resource the same, or have the label ignored (option balancingIgnoreLabel), where the groups are to share new nodes.',
          ),
        );
      }),
    ),
};

/** For each group that has one, a node that represents the group's nodes. */
function templatesOf(
  groups: readonly ScalingGroup[],
  nodes: readonly Node[],
  now: EpochMs,
): readonly (readonly [string, ComparedTemplate])[] {
  const index = nodesByInstance(nodes);
  const templates: [string, ComparedTemplate][] = [];
  for (const { name, members } of groups) {
    const node = sampleNode(membersOf(members, index).nodes, now);
    if (node !== null) {
      templates.push([name, { node, pods: [], capacityType: null }]);
    }
  }
  return templates;
}

const MANAGED: Check = {
  id: 'managed-node-groups',
  title: 'Managed node groups',
  rule: 'All ACTIVE. Warns of UPDATING, DEGRADED and other states, and of node auto repair where the option `nodeRepair` is `replace`.',
  why: 'An update replaces nodes and needs its surge of new ones; no node of such a group is removed meanwhile. Where EKS repairs nodes, Outrigger does not.',
  judge: (facts) =>
    known(facts.groups, () => {
      const unread = facts.nodeGroups.map(({ seen }) => seen).find((seen) => !seen.ok);
      const statuses = facts.nodeGroups.map(({ name, seen }) => ({ name, status: factOr(seen, null)?.status }));
      const unsettled = statuses.filter(({ status }) => status !== undefined && status !== 'ACTIVE');
      if (unsettled.length > 0) {
        return warning(
          `${some(unsettled.map(({ name, status }) => `${name} is ${status}`))}.`,
          'Wait for updates to finish; for other states see the health of the node group:',
          ...unsettled.map(
            ({ name }) =>
              `aws eks describe-nodegroup --cluster-name ${facts.settings.cluster} --region ${regionOf(facts)} --nodegroup-name ${name} --query nodegroup.health`,
          ),
        );
      }
      const repaired = facts.nodeGroups.filter(
        ({ seen, repairWanted }) => repairWanted && seen.ok && seen.value.repairs,
      );
      if (repaired.length > 0) {
        return warning(
          `EKS repairs the nodes of ${some(namesOf(repaired))} (node auto repair): the option nodeRepair has no effect there.`,
          'Set nodeRepair to off for these groups, or turn node auto repair off:',
          ...repaired.map(
            ({ name }) =>
              `aws eks update-nodegroup-config --cluster-name ${facts.settings.cluster} --region ${regionOf(facts)} --nodegroup-name ${name} --node-repair-config enabled=false`,
          ),
        );
      }
      if (unread !== undefined) {
        return unknown(unread.error);
      }
      return passedIfNone(facts.nodeGroups, 'None among the groups.', ({ length }) => passed(`${length}, all ACTIVE.`));
    }),
};

/** The checks of the node groups, in the order in which they are shown. */
export const GROUP_CHECKS: readonly Check[] = [
  GROUPS,
  RESOURCES,
  MANAGED,
  SUSPENDED,
  REBALANCED,
  CAPACITY_REBALANCE,
  INSTANCE_LIFETIME,
  PRICES,
  PLACEMENT,
  RETAINED,
  SIMILAR,
];
