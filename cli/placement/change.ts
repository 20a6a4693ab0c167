import {
  type AutoScalingGroup,
  DescribeAutoScalingGroupsCommand,
  type LaunchTemplateSpecification,
  UpdateAutoScalingGroupCommand,
} from '@aws-sdk/client-auto-scaling';
import { CreateLaunchTemplateVersionCommand, ModifyLaunchTemplateCommand } from '@aws-sdk/client-ec2';
import { UpdateNodegroupConfigCommand } from '@aws-sdk/client-eks';
import { AWAITING_PODS_TAINT } from '@outrigger/core/model/cluster/node.ts';
import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { callFailed } from '@outrigger/providers/aws/api/call-problem.ts';
import type { Action, GroupPlan } from './plan.ts';
import type { Clients, NamedTemplate } from './read.ts';

/** A node group after its plan was carried out, or was only shown. */
export interface ChangedGroup extends GroupPlan {
  /** Why the changes failed; `null`: they did not, or were only planned. */
  readonly error: string | null;
}

const TAINT = { key: AWAITING_PODS_TAINT, effect: 'NO_SCHEDULE' } as const;

/** Carries plans out, one after the other. A node group that fails does not stop the others. */
export async function changeGroups(
  clients: Clients,
  action: Action,
  plans: readonly GroupPlan[],
): Promise<readonly ChangedGroup[]> {
  /** New versions by the launch template: node groups may share one. */
  const made = new Map<string, string>();
  const changed: ChangedGroup[] = [];
  for (const plan of plans) {
    try {
      await changeGroup(clients, action, plan, made);
      changed.push({ ...plan, error: null });
    } catch (error) {
      changed.push({ ...plan, error: messageOf(callFailed(`the change of ${plan.group}`, error)) });
    }
  }
  return changed;
}

async function changeGroup(
  clients: Clients,
  action: Action,
  { group, changes }: GroupPlan,
  made: Map<string, string>,
): Promise<void> {
  for (const change of changes) {
    if (change.kind === 'NodeGroup') {
      const { cluster: clusterName, name: nodegroupName } = change.of;
      const taints = action === 'add' ? { addOrUpdateTaints: [TAINT] } : { removeTaints: [TAINT] };
      await clients.eks.send(new UpdateNodegroupConfigCommand({ clusterName, nodegroupName, taints }));
    } else {
      await changeTemplate(clients, change.template, change.userData, made);
    }
  }
  const numbered = changes
    .filter((change) => change.kind === 'LaunchTemplate')
    .map(({ template }) => template)
    .filter(({ named }) => !named.startsWith('$'));
  if (numbered.length > 0) {
    const asked = new DescribeAutoScalingGroupsCommand({ AutoScalingGroupNames: [group] });
    const { AutoScalingGroups: [now] = [] } = await clients.autoScaling.send(asked);
    if (now === undefined) {
      throw new Error(`Auto Scaling group ${group} does not exist any more`);
    }
    await clients.autoScaling.send(new UpdateAutoScalingGroupCommand(withVersions(now, numbered, made)));
  }
}

/** Makes a version with other user data, once, and the default where the group launches from the default. */
async function changeTemplate(
  { ec2 }: Clients,
  { id, named, version }: NamedTemplate,
  userData: string,
  made: Map<string, string>,
): Promise<void> {
  if (!made.has(id)) {
    const { LaunchTemplateVersion: created } = await ec2.send(
      new CreateLaunchTemplateVersionCommand({
        LaunchTemplateId: id,
        SourceVersion: String(version),
        VersionDescription: 'outrigger planned-placement',
        LaunchTemplateData: { UserData: userData },
      }),
    );
    made.set(id, String(created?.VersionNumber));
  }
  if (named === '$Default') {
    await ec2.send(new ModifyLaunchTemplateCommand({ LaunchTemplateId: id, DefaultVersion: getExisting(made, id) }));
  }
}

/** The group with the new versions in the place of those that it names by their numbers. */
function withVersions(
  { AutoScalingGroupName, LaunchTemplate, MixedInstancesPolicy: mixed }: AutoScalingGroup,
  templates: readonly NamedTemplate[],
  made: ReadonlyMap<string, string>,
) {
  const next = (of: LaunchTemplateSpecification | undefined): LaunchTemplateSpecification | undefined => {
    const template = templates.find(({ id, name }) => id === of?.LaunchTemplateId || name === of?.LaunchTemplateName);
    if (template === undefined || !/^\d+$/.test(of?.Version ?? '')) {
      return of;
    }
    return { LaunchTemplateId: template.id, Version: getExisting(made, template.id) };
  };
  if (mixed === undefined) {
    return { AutoScalingGroupName, LaunchTemplate: next(LaunchTemplate) };
  }
  const { LaunchTemplateSpecification: main, Overrides } = mixed.LaunchTemplate ?? {};
  return {
    AutoScalingGroupName,
    MixedInstancesPolicy: {
      ...mixed,
      LaunchTemplate: {
        LaunchTemplateSpecification: next(main),
        Overrides: Overrides?.map((one) => ({
          ...one,
          LaunchTemplateSpecification: next(one.LaunchTemplateSpecification),
        })),
      },
    },
  };
}
