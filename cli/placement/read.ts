import type { Nodegroup } from '@aws-sdk/client-eks';
import pMap from 'p-map';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { callFailed } from '@outrigger/providers/aws/api/call-problem.ts';
import type { AwsClients } from '@outrigger/providers/aws/api/clients.ts';
import { describeNodeGroup, managedKey } from '@outrigger/providers/aws/groups/managed-node-groups.ts';
import { type ScalingGroup, splitKey } from '@outrigger/providers/aws/groups/scaling-group.ts';
import type { ManagedNodeGroupName } from '@outrigger/providers/aws/groups/tags.ts';
import { describeVersions } from '@outrigger/providers/aws/launches/launch-templates.ts';

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
  readonly group: ScalingGroup;
  readonly managed: { readonly name: ManagedNodeGroupName; readonly nodegroup: Nodegroup } | null;
  /** The launch templates that the group names; for a managed node group the one that is given to EKS, if any. */
  readonly templates: readonly NamedTemplate[];
  /** Why the rest is not known; `null` where it is. */
  readonly unreadable: string | null;
}

/** How many groups are read at once: AWS throttles the descriptions of launch templates. */
const CONCURRENCY = 4;

/** Reads what node groups launch from. Where a launch template or managed node group cannot be read, its group says so. */
export const readLaunches = (clients: Clients, groups: readonly ScalingGroup[]): Promise<readonly GroupLaunch[]> =>
  pMap(groups, (group) => readLaunch(clients, group), { concurrency: CONCURRENCY });

async function readLaunch({ ec2, eks }: Clients, group: ScalingGroup): Promise<GroupLaunch> {
  const name = group.parsedTags.managedNodeGroup;
  try {
    const nodegroup = await mapOptional(name, (given) => describeNodeGroup(eks, managedKey(given)));
    const managed = name !== null && nodegroup ? { name, nodegroup } : null;
    const templates: NamedTemplate[] = [];
    for (const key of managed === null ? templatesOf(group) : ownTemplate(managed.nodegroup)) {
      templates.push(await templateOf(ec2, key));
    }
    return { group, managed, templates, unreadable: null };
  } catch (error) {
    const unreadable = messageOf(callFailed('the description of its launches', error));
    return { group, managed: null, templates: [], unreadable };
  }
}

const templatesOf = ({ launches }: ScalingGroup): ReadonlySet<string> =>
  new Set(launches.filter((launch) => launch.kind === 'template').map(({ template }) => template));

const ownTemplate = ({ launchTemplate: of }: Nodegroup): readonly string[] =>
  of === undefined ? [] : [`${of.id ?? of.name}:${of.version ?? '$Default'}`];

async function templateOf(ec2: Clients['ec2'], key: string): Promise<NamedTemplate> {
  const { template, version: named } = splitKey(key);
  const versions = await describeVersions(ec2, template, [...new Set([named, '$Latest', '$Default'])]);
  const found = versions.find(({ names }) => names.includes(named));
  if (found?.version.VersionNumber === undefined) {
    throw new Error(`Launch template ${template} has no version ${named}`);
  }
  const { LaunchTemplateId, LaunchTemplateName, VersionNumber, LaunchTemplateData } = found.version;
  return {
    id: LaunchTemplateId ?? template,
    name: LaunchTemplateName ?? template,
    named,
    version: VersionNumber,
    isLatest: found.names.includes('$Latest'),
    userData: LaunchTemplateData?.UserData ?? null,
  };
}
