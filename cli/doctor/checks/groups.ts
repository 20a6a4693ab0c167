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
import { discoveryOf } from '../facts/aws.ts';
import type { PartlyTagged } from '../facts/partly-tagged.ts';
import type { Facts, ResourceGroup } from '../facts/facts.ts';
import { type Check, failure, type Finding, known, passed, regionOf, some, unknown, warning } from './check.ts';

const namesOf = (groups: readonly ScalingGroup[]): readonly string[] => groups.map(({ name }) => name);

export const GROUPS: Check = {
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
      // The resources of Cluster API may be all that there is.
      return clusterApi !== null && groups.length === 0 ? { ...finding, status: 'warn' } : finding;
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
    return failure(
      `${counted(groups.length, 'group')} found; there is no Auto Scaling group ${some(lacking)}.`,
      'Correct discovery.nodes in outrigger.config.yaml. The groups of the region are:',
      `aws autoscaling describe-auto-scaling-groups --region ${regionOf(facts)} --query 'AutoScalingGroups[].AutoScalingGroupName'`,
    );
  }
  const unusable = groups.filter(({ problem }) => problem !== null);
  return unusable.length > 0
    ? warning(
        `${counted(groups.length, 'group')} found; of these cannot be used: ${some(unusable.map(({ name, problem }) => `${name} (${problem})`))}.`,
        'Correct these groups, or remove their tags.',
      )
    : (partlyTagged(facts, groups) ?? passed(`${counted(groups.length, 'group')} found: ${some(namesOf(groups))}.`));
}

/** The finding of groups with one of the two tags; tags of `discovery` may well be on other groups, too. */
function partlyTagged(facts: Facts, groups: readonly ScalingGroup[]): Finding | null {
  const partly = facts.settings.discovery === null ? partlyOf(facts) : [];
  return partly.length === 0
    ? null
    : warning(
        `${counted(groups.length, 'group')} found. ${partlyText(partly)}`,
        'Add the tag where a group is to be scaled, or remove the other one:',
        ...partly.map(({ name, lacking }) => tagCommand(facts, name, lacking)),
      );
}

const partlyOf = ({ partlyTagged: partly }: Facts): readonly PartlyTagged[] => (partly.ok ? partly.value : []);

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
    return failure(
      `There is no Auto Scaling group ${some(names)} in ${region}.`,
      'Correct discovery.nodes in outrigger.config.yaml. The groups of the region are:',
      `aws autoscaling describe-auto-scaling-groups --region ${region} --query 'AutoScalingGroups[].AutoScalingGroupName'`,
    );
  }
  const partly = partlyOf(facts);
  return failure(
    `No Auto Scaling group in ${region} has the tags ${tags.map(writeTag).join(' and ')}.${partly.length === 0 ? '' : ` ${partlyText(partly)}`}`,
    'Tag the groups that are to be scaled:',
    ...(partly.length === 0
      ? [tagCommand(facts, 'GROUP', tags)]
      : partly.map(({ name, lacking }) => tagCommand(facts, name, lacking))),
  );
}

export const RESOURCES: Check = {
  id: 'cluster-api-groups',
  title: 'Cluster API node groups',
  rule: 'With `clusterApi`: at least one resource has the annotations with its bounds. Fails otherwise; warns of resources that cannot be used.',
  why: 'Only resources with both annotations are scaled, and those of the cluster’s own discovery alone.',
  judge: ({ settings: { cluster, clusterApi }, resources }) =>
    clusterApi === null
      ? passed('Resources of Cluster API are no node groups (clusterApi is not set).')
      : known(resources, (groups) => judgeResources(cluster, clusterApi, groups)),
};

function judgeResources(
  cluster: string,
  { apiGroup, discovery, managementCluster }: ClusterApi,
  groups: readonly ResourceGroup[],
): Finding {
  const { minSize, maxSize } = keysOf(apiGroup);
  if (groups.length === 0) {
    const byDefault = managementCluster === null ? '' : ` of a Cluster named ${cluster}`;
    const where = discovery.length === 0 ? byDefault : ` of ${some(discovery.map(writeDiscoverySpec))}`;
    return failure(
      `No resource of ${apiGroup}${where} has the annotations with its bounds.`,
      'Annotate the resources that are to be scaled, or correct clusterApi in outrigger.config.yaml:',
      `kubectl annotate machinedeployments.${apiGroup} NAME ${minSize}=1 ${maxSize}=10`,
    );
  }
  const unusable = groups.filter(({ problem }) => problem !== null);
  return unusable.length > 0
    ? warning(
        `${counted(groups.length, 'group')} found; of these cannot be used: ${some(unusable.map(({ name, problem }) => `${name} (${problem})`))}.`,
        'Correct these resources, or remove their annotations.',
      )
    : passed(`${counted(groups.length, 'group')} found: ${some(groups.map(({ name }) => name))}.`);
}

export const REBALANCED: Check = {
  id: 'az-rebalance',
  title: 'AZRebalance',
  rule: 'Suspended in self-managed groups of several zones. Warns otherwise.',
  why: 'AWS balances the zones by terminating instances without a drain: their pods are killed in spite of PodDisruptionBudgets.',
  judge: (facts) =>
    known(facts.groups, (groups) => {
      const rebalanced = groups.filter(isRebalanced);
      return rebalanced.length === 0
        ? passed('No self-managed group of several zones is rebalanced.')
        : warning(
            `Rebalanced by AWS: ${some(namesOf(rebalanced))}.`,
            'Suspend the process:',
            ...rebalanced.map(({ name }) => processCommand('suspend', name, 'AZRebalance', facts)),
          );
    }),
};

/** EKS sets Capacity Rebalancing in its Spot node groups, and drains their nodes. */
const replacesUndrained = ({ capacityRebalance, parsedTags }: ScalingGroup): boolean =>
  capacityRebalance && parsedTags.managedNodeGroup === null;

export const CAPACITY_REBALANCE: Check = {
  id: 'capacity-rebalance',
  title: 'Capacity Rebalancing',
  rule: 'Off in self-managed groups. Warns otherwise.',
  why: 'AWS launches a replacement at a rebalance recommendation and terminates the instance without a drain, unless a lifecycle hook has it drained. The option `rebalanceRecommendation` has no effect in such a group.',
  judge: (facts) =>
    known(facts.groups, (groups) => {
      const replaced = groups.filter(replacesUndrained);
      return replaced.length === 0
        ? passed('No self-managed group has it.')
        : warning(
            `On in ${some(namesOf(replaced))}.`,
            'Turn it off, and set the option rebalanceRecommendation; or have a lifecycle hook drain the nodes (docs/interruption-handling.md):',
            ...replaced.map(
              ({ name }) =>
                `aws autoscaling update-auto-scaling-group --region ${regionOf(facts)} --auto-scaling-group-name ${name} --no-capacity-rebalance`,
            ),
          );
    }),
};

export const INSTANCE_LIFETIME: Check = {
  id: 'max-instance-lifetime',
  title: 'Maximum instance lifetime',
  rule: 'Not set in self-managed groups. Warns otherwise.',
  why: 'AWS terminates instances of that age without a drain, unless a lifecycle hook has them drained. The option `expireAfter` drains nodes first.',
  judge: (facts) =>
    known(facts.groups, (groups) => {
      const aging = groups.filter(
        (group) => group.maxInstanceDays !== null && group.parsedTags.managedNodeGroup === null,
      );
      return aging.length === 0
        ? passed('Set in no self-managed group.')
        : warning(
            `Set in ${some(aging.map(({ name, maxInstanceDays }) => `${name} (${counted(maxInstanceDays ?? 0, 'day')})`))}.`,
            'Take it away, and set the option expireAfter; or have a lifecycle hook drain the nodes (docs/interruption-handling.md):',
            ...aging.map(
              ({ name }) =>
                `aws autoscaling update-auto-scaling-group --region ${regionOf(facts)} --auto-scaling-group-name ${name} --max-instance-lifetime 0`,
            ),
          );
    }),
};

export const PRICES: Check = {
  id: 'prices',
  title: 'Prices',
  rule: 'Each node group has a price, if the expander is `price` or consolidation is on. Warns otherwise.',
  why: 'The expander `price` drops groups without a price where others have one, and consolidation compares prices.',
  judge: (facts) =>
    known(facts.unpriced, (unpriced) => {
      if (unpriced === null) {
        return passed('No decision goes by prices.');
      }
      const { groups, why } = unpriced;
      const reasons = why.length === 0 ? '' : ` ${some(why, 3)}`;
      return groups.length === 0
        ? passed('Each group has one.')
        : warning(
            `None is known of ${some(groups)}.${reasons}`,
            'Set it by the option prices, or by a tag of each group, in USD per hour:',
            ...groups.map(
              (name) =>
                `aws autoscaling create-or-update-tags --region ${regionOf(facts)} --tags ResourceId=${name},ResourceType=auto-scaling-group,Key=outrigger.dev/price,Value=0.096,PropagateAtLaunch=false`,
            ),
          );
    }),
};

export const PLACEMENT: Check = {
  id: 'planned-placement',
  title: 'Planned placement',
  rule: 'Each node group gives its new nodes the taint `outrigger.dev/awaiting-pods`, if the option `plannedPlacement` is on. Warns otherwise.',
  why: 'Without the taint, kube-scheduler uses a new node before the pods that it was launched for are nominated to it.',
  judge: (facts) =>
    known(facts.untainted, (untainted) => {
      if (untainted === null) {
        return passed('The option plannedPlacement is off.');
      }
      return untainted.length === 0
        ? passed('New nodes of all groups wait for their pods.')
        : warning(
            `New nodes of ${some(untainted)} do not wait for their pods.`,
            'Give them the taint, or set the option to false for these groups:',
            `npx outrigger planned-placement add --cluster ${facts.settings.cluster} --region ${regionOf(facts)} --yes`,
          );
    }),
};

export const SUSPENDED: Check = {
  id: 'launch-suspended',
  title: 'Launch process',
  rule: 'Suspended in no group. Warns otherwise.',
  why: 'A group whose process Launch is suspended accepts a new size and starts no instance. AWS suspends the process after a day of failed launches.',
  judge: (facts) =>
    known(facts.groups, (groups) => {
      const suspended = groups.filter((group) => group.suspended.includes('Launch'));
      return suspended.length === 0
        ? passed('Suspended in no group.')
        : warning(
            `Suspended in ${some(namesOf(suspended))}.`,
            'Find the reason, and resume the process:',
            ...suspended.map(({ name }) => processCommand('resume', name, 'Launch', facts)),
          );
    }),
};

export const RETAINED: Check = {
  id: 'retained-instances',
  title: 'Retained instances',
  rule: 'No group has any. Warns otherwise.',
  why: 'Where a lifecycle hook was abandoned, an instance lifecycle policy may retain the instance: it no longer counts toward the size of its group, and is paid for until it is terminated.',
  judge: (facts) =>
    known(facts.groups, (groups) => {
      const retained = groups.flatMap((group) => retainedMembers(group).map(({ id }) => ({ id, group: group.name })));
      return retained.length === 0
        ? passed('No group has any.')
        : warning(
            `Retained: ${some(retained.map(({ id, group }) => `${id} (${group})`))}.`,
            'Look at them, and terminate them:',
            ...retained.map(
              ({ id }) =>
                `aws autoscaling terminate-instance-in-auto-scaling-group --region ${regionOf(facts)} --instance-id ${id} --no-should-decrement-desired-capacity`,
            ),
          );
    }),
};

const processCommand = (verb: string, group: string, process: string, facts: Facts): string =>
  `aws autoscaling ${verb}-processes --region ${regionOf(facts)} --auto-scaling-group-name ${group} --scaling-processes ${process}`;

/** Spot and on-demand groups are meant to differ in these labels, as `onlyDifference` names them. */
const PURCHASE_OPTIONS: ReadonlySet<string> = new Set(CAPACITY_TYPE_LABELS.map((label) => `label ${label}`));

export const SIMILAR: Check = {
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
        const nearly = templates.flatMap(([name, its], i) =>
          templates.slice(i + 1).flatMap(([other, template]) => {
            const difference = onlyDifference(its, template);
            return difference === null || PURCHASE_OPTIONS.has(difference)
              ? []
              : [{ names: `${name} and ${other}`, difference }];
          }),
        );
        return nearly.length === 0
          ? passed('No two groups differ in one label or resource alone.')
          : warning(
              `Not balanced, though nearly similar: ${some(nearly.map(({ names, difference }) => `${names} (${difference})`))}.`,
              'Make the label or resource the same, or have the label ignored (option balancingIgnoreLabel), where the groups are to share new nodes.',
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
  return groups.flatMap(({ name, members }) => {
    const node = sampleNode(membersOf(members, index).nodes, now);
    return node === null ? [] : [[name, { node, pods: [], capacityType: null }] as const];
  });
}

/** Statuses in which a managed node group is left alone. */
const SETTLED = new Set(['ACTIVE']);

export const MANAGED: Check = {
  id: 'managed-node-groups',
  title: 'Managed node groups',
  rule: 'All ACTIVE. Warns of UPDATING, DEGRADED and other states, and of node auto repair where the option `nodeRepair` is `replace`.',
  why: 'An update replaces nodes and needs its surge of new ones; no node of such a group is removed meanwhile. Where EKS repairs nodes, Outrigger does not.',
  judge: (facts) =>
    known(facts.groups, () => {
      const [missing] = facts.nodeGroups.flatMap(({ seen }) => (seen.ok ? [] : [seen.error]));
      const unsettled = facts.nodeGroups.flatMap(({ name, seen }) =>
        seen.ok && !SETTLED.has(seen.value.status) ? [{ name, status: seen.value.status }] : [],
      );
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
          `EKS repairs the nodes of ${some(repaired.map(({ name }) => name))} (node auto repair): the option nodeRepair has no effect there.`,
          'Set nodeRepair to off for these groups, or turn node auto repair off:',
          ...repaired.map(
            ({ name }) =>
              `aws eks update-nodegroup-config --cluster-name ${facts.settings.cluster} --region ${regionOf(facts)} --nodegroup-name ${name} --node-repair-config enabled=false`,
          ),
        );
      }
      if (missing !== undefined) {
        return unknown(missing);
      }
      return passed(
        facts.nodeGroups.length === 0 ? 'None among the groups.' : `${facts.nodeGroups.length}, all ACTIVE.`,
      );
    }),
};
