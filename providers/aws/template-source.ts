import type { NodeTemplate } from '../../core/model/node-group.ts';
import { type Result, err, ok } from '../../core/model/result.ts';
import type { EpochMs } from '../../core/model/time.ts';
import type { AwsClients } from './clients.ts';
import { type InstanceType, createInstanceTypes } from './instance-types.ts';
import { createLaunchConfigurations } from './launch-configurations.ts';
import type { LaunchData } from './launch-data.ts';
import { createLaunchTemplates } from './launch-templates.ts';
import type { Found } from './lookup.ts';
import { type ManagedNodeGroup, createManagedNodeGroups, managedKey } from './managed-node-groups.ts';
import type { ScalingGroup } from './scaling-group.ts';
import { buildTemplate } from './template.ts';

/** Templates of groups that no live node shows, or why there is none, in words. */
export interface TemplateSource {
  build(
    groups: readonly ScalingGroup[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<ScalingGroup, Result<NodeTemplate, string>>>;
}

/** Builds templates for groups that no live node shows, from what AWS knows of their launches. */
export function createTemplateSource(clients: AwsClients, region: string, now: () => EpochMs): TemplateSource {
  const launchTemplates = createLaunchTemplates(clients.ec2, now);
  const launchConfigurations = createLaunchConfigurations(clients.autoScaling, now);
  const instanceTypes = createInstanceTypes(clients.ec2, now);
  const managedNodeGroups = createManagedNodeGroups(clients.eks, now);

  return {
    async build(groups, signal) {
      const launches = groups.map(({ launches: [first] }) => first);
      const [byTemplate, byConfiguration, managed] = await Promise.all([
        launchTemplates.get(
          launches.flatMap((launch) => (launch?.kind === 'template' ? [launch.template] : [])),
          signal,
        ),
        launchConfigurations.get(
          launches.flatMap((launch) => (launch?.kind === 'configuration' ? [launch.name] : [])),
          signal,
        ),
        managedNodeGroups.get(
          groups.flatMap(({ parsedTags: { managedNodeGroup: name } }) => (name === null ? [] : [managedKey(name)])),
          signal,
        ),
      ]);
      const resolved = new Map(groups.map((group) => [group, resolveLaunch(group, byTemplate, byConfiguration)]));
      const types = await instanceTypes.get(
        [...resolved.values()].flatMap((launch) => (launch.ok ? [launch.value.type] : [])),
        signal,
      );
      return new Map(
        groups.map((group) => [group, assemble(group, region, resolved.get(group)!, types, managed)] as const),
      );
    },
  };
}

interface ResolvedLaunch {
  readonly data: LaunchData;
  readonly type: string;
}

/** The first way in which the group starts instances, with its instance type. */
function resolveLaunch(
  { launches: [launch] }: ScalingGroup,
  byTemplate: ReadonlyMap<string, Found<LaunchData>>,
  byConfiguration: ReadonlyMap<string, Found<LaunchData>>,
): Result<ResolvedLaunch, string> {
  if (launch === undefined) {
    return err('it has neither a launch template nor a launch configuration');
  }
  const isTemplate = launch.kind === 'template';
  const what = isTemplate ? `launch template ${launch.template}` : `launch configuration ${launch.name}`;
  const found = isTemplate ? byTemplate.get(launch.template)! : byConfiguration.get(launch.name)!;
  if (!found.ok) {
    return err(`${what} could not be read (${found.error.class}, ${found.error.code}): ${found.error.message}`);
  }
  const type = (isTemplate ? launch.instanceType : null) ?? found.value.instanceType;
  if (type !== null) {
    return ok({ data: found.value, type });
  }
  return err(
    found.value.byRequirements || (isTemplate && launch.byRequirements)
      ? 'it chooses instance types by attributes, and no ready node shows what they look like; name an instance type first'
      : `${what} names no instance type`,
  );
}

function assemble(
  group: ScalingGroup,
  region: string,
  launch: Result<ResolvedLaunch, string>,
  types: ReadonlyMap<string, Found<InstanceType>>,
  managed: ReadonlyMap<string, Found<ManagedNodeGroup>>,
): Result<NodeTemplate, string> {
  if (!launch.ok) {
    return launch;
  }
  const type = types.get(launch.value.type)!;
  if (!type.ok) {
    const { class: failureClass, code, message } = type.error;
    return err(`instance type ${launch.value.type} could not be read (${failureClass}, ${code}): ${message}`);
  }
  const [zone] = group.zones;
  if (zone === undefined) {
    return err('it has no availability zone');
  }
  const { managedNodeGroup } = group.parsedTags;
  const description = managedNodeGroup === null ? null : managed.get(managedKey(managedNodeGroup))!;
  return ok(
    buildTemplate({
      group,
      region,
      zone,
      type: type.value,
      launch: launch.value.data,
      // Without EKS' word the group's tags must do, as they did before EKS could be asked.
      managed: description?.ok === true ? description.value : null,
    }),
  );
}
