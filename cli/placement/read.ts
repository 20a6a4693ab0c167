import {
  type AutoScalingGroup,
  type LaunchTemplateSpecification,
  paginateDescribeAutoScalingGroups,
} from '@aws-sdk/client-auto-scaling';
import { DescribeLaunchTemplateVersionsCommand } from '@aws-sdk/client-ec2';
import { DescribeNodegroupCommand, type Nodegroup } from '@aws-sdk/client-eks';
import pMap from 'p-map';
import type { Discovery } from '../../core/model/discovery.ts';
import { messageOf } from '../../core/model/values/error-message.ts';
import { present } from '../../core/model/values/present.ts';
import { callFailed } from '../../providers/aws/api/call-problem.ts';
import type { AwsClients } from '../../providers/aws/api/clients.ts';
import { discoverGroups } from '../../providers/aws/groups/discovery.ts';
import { PAGE } from '../../providers/aws/groups/membership.ts';
import type { ManagedNodeGroupName } from '../../providers/aws/groups/tags.ts';

export type Clients = Pick<AwsClients, 'autoScaling' | 'ec2' | 'eks'>;

/** A launch template that a node group names, and the version that it launches from now. */
export interface NamedTemplate {
  readonly id: string;
  readonly name: string;
  /** As the group names it: a number, `$Latest` or `$Default`. */
  readonly named: string;
  readonly version: number;
  readonly isLatest: boolean;
  readonly userData: string | null;
}

/** A node group, and what its nodes are launched from. */
export interface GroupLaunch {
  readonly group: AutoScalingGroup;
  readonly managed: { readonly name: ManagedNodeGroupName; readonly nodegroup: Nodegroup } | null;
  /** The launch templates that the group names; for a managed node group the one that is given to EKS, if any. */
  readonly templates: readonly NamedTemplate[];
  /** Why the rest is not known; `null` where it is. */
  readonly unreadable: string | null;
}

/** How many groups are read at once: AWS throttles the descriptions of launch templates. */
const CONCURRENCY = 4;

/**
 * Reads the node groups of a cluster. Where a launch template or managed node group cannot be read, its group says so.
 *
 * @param wanted names of node groups; none: all.
 * @throws where the groups cannot be listed
 */
export async function readLaunches(
  clients: Clients,
  cluster: string,
  discovery: Discovery,
  wanted: readonly string[],
): Promise<readonly GroupLaunch[]> {
  const found = await discoverGroups(clients.autoScaling, cluster, discovery);
  const asked = found.filter(({ name }) => wanted.length === 0 || wanted.includes(name));
  const described = await describe(
    clients,
    asked.map(({ name }) => name),
  );
  return await pMap(
    asked.flatMap(({ name, parsedTags }) => {
      const group = described.get(name);
      return group === undefined ? [] : [{ group, name: parsedTags.managedNodeGroup }];
    }),
    ({ group, name }) => readLaunch(clients, group, name),
    { concurrency: CONCURRENCY },
  );
}

async function readLaunch(
  clients: Clients,
  group: AutoScalingGroup,
  name: ManagedNodeGroupName | null,
): Promise<GroupLaunch> {
  try {
    const nodegroup = name === null ? null : await nodegroupOf(clients, name);
    const specifications = nodegroup === null ? specificationsOf(group) : ownTemplate(nodegroup);
    const templates: NamedTemplate[] = [];
    for (const one of specifications) {
      templates.push(await templateOf(clients, one));
    }
    const managed = name === null || nodegroup === null ? null : { name, nodegroup };
    return { group, managed, templates, unreadable: null };
  } catch (error) {
    return {
      group,
      managed: null,
      templates: [],
      unreadable: messageOf(callFailed('the description of its launches', error)),
    };
  }
}

async function describe(
  { autoScaling }: Clients,
  names: readonly string[],
): Promise<ReadonlyMap<string, AutoScalingGroup>> {
  const groups = new Map<string, AutoScalingGroup>();
  for (let from = 0; from < names.length; from += PAGE) {
    const asked = { AutoScalingGroupNames: names.slice(from, from + PAGE) };
    for await (const { AutoScalingGroups = [] } of paginateDescribeAutoScalingGroups(
      { client: autoScaling, pageSize: PAGE },
      asked,
    )) {
      AutoScalingGroups.forEach((group) => groups.set(group.AutoScalingGroupName ?? '', group));
    }
  }
  return groups;
}

async function nodegroupOf({ eks }: Clients, { cluster, name }: ManagedNodeGroupName): Promise<Nodegroup | null> {
  const { nodegroup } = await eks.send(new DescribeNodegroupCommand({ clusterName: cluster, nodegroupName: name }));
  return nodegroup ?? null;
}

function ownTemplate({ launchTemplate }: Nodegroup): readonly LaunchTemplateSpecification[] {
  if (launchTemplate === undefined) {
    return [];
  }
  const { id: LaunchTemplateId, name: LaunchTemplateName, version: Version } = launchTemplate;
  return [present({ LaunchTemplateId, LaunchTemplateName, Version })];
}

/** The launch templates that a group names: for all instances, for mixed instances, and for single instance types. */
export function specificationsOf({
  LaunchTemplate,
  MixedInstancesPolicy,
}: AutoScalingGroup): readonly LaunchTemplateSpecification[] {
  const { LaunchTemplateSpecification: main, Overrides = [] } = MixedInstancesPolicy?.LaunchTemplate ?? {};
  return [LaunchTemplate, main, ...Overrides.map((one) => one.LaunchTemplateSpecification)].filter(
    (one) => one !== undefined,
  );
}

async function templateOf(
  { ec2 }: Clients,
  { LaunchTemplateId: id, LaunchTemplateName: name, Version: named = '$Default' }: LaunchTemplateSpecification,
): Promise<NamedTemplate> {
  const template = id === undefined ? { LaunchTemplateName: name } : { LaunchTemplateId: id };
  const { LaunchTemplateVersions: versions = [] } = await ec2.send(
    new DescribeLaunchTemplateVersionsCommand({ ...template, Versions: [...new Set([named, '$Latest', '$Default'])] }),
  );
  const latest = Math.max(...versions.map(({ VersionNumber = 0 }) => VersionNumber));
  const isNamed = (version: (typeof versions)[number]): boolean => {
    if (named === '$Default') {
      return version.DefaultVersion === true;
    }
    return String(version.VersionNumber) === (named === '$Latest' ? String(latest) : named);
  };
  const found = versions.find(isNamed);
  if (found?.VersionNumber === undefined) {
    throw new Error(`Launch template ${id ?? name} has no version ${named}`);
  }
  return {
    id: found.LaunchTemplateId ?? id ?? '',
    name: found.LaunchTemplateName ?? name ?? '',
    named,
    version: found.VersionNumber,
    isLatest: found.VersionNumber === latest,
    userData: found.LaunchTemplateData?.UserData ?? null,
  };
}
