import { SetDesiredCapacityCommand } from '@aws-sdk/client-auto-scaling';
import type { ClusterName } from '../../core/model/names.ts';
import type { Node } from '../../core/model/node.ts';
import type { NodeGroup, NodeTemplate } from '../../core/model/node-group.ts';
import type { NodeGroups } from '../../core/model/ports.ts';
import type { Result } from '../../core/model/result.ts';
import type { EpochMs } from '../../core/model/time.ts';
import { withLaunchFailures } from './activities.ts';
import { type AwsClients, type AwsCredentials, abortable, createAwsClients } from './clients.ts';
import { describeGroup, discoverGroups } from './discovery.ts';
import { callFailed, failureOf } from './failures.ts';
import { type Membership, membersOf, namesOf, nodesByInstance } from './instances.ts';
import { anyNode, exemplaryNode, templateOfLiveNode } from './live-node.ts';
import { gone, held, refuse } from './resize.ts';
import type { ScalingGroup } from './scaling-group.ts';
import { terminateInstance } from './terminate.ts';
import { createTemplateSource } from './template-source.ts';

export interface AutoScalingGroupsSettings {
  /** Its groups carry the tag `k8s.io/cluster-autoscaler/<cluster>`. */
  readonly cluster: ClusterName;
  readonly region: string;
  readonly endpoint?: string;
  readonly credentials?: AwsCredentials;
  /** Clients to share with others, instead of own ones. */
  readonly clients?: AwsClients;
  readonly now: () => EpochMs;
}

/**
 * The Auto Scaling groups of one cluster as node groups. Keep the result for the life of the process: launch templates,
 * instance types and managed node groups are remembered in it.
 *
 * `list` makes one call per hundred groups. Groups with a ready node need nothing more; for the others it asks for what
 * it has not yet learnt: instance types by the hundred, launch configurations by the fifty, launch templates by the page
 * (see `createLaunchTemplates`), managed node groups one by one. A failure there costs only the groups concerned: their
 * template is `null`, and a group that has no instances either is `invalid` and says why.
 *
 * `readSize` and `setSize` take a group that has lost its discovery tags for gone.
 */
export function createAutoScalingGroups(settings: AutoScalingGroupsSettings): NodeGroups {
  const { cluster, region, now } = settings;
  const clients = settings.clients ?? createAwsClients(settings);
  const templates = createTemplateSource(clients, region, now);

  return {
    async list(nodes, signal) {
      const index = nodesByInstance(nodes);
      const discovered = await discoverGroups(clients.autoScaling, cluster, signal);
      const groups = discovered.map((group) => {
        const members = membersOf(group.members, index);
        return { group, members, live: exemplaryNode(members.nodes, now()) };
      });
      const built = await templates.build(
        groups.filter(({ group, live }) => group.problem === null && live === null).map(({ group }) => group),
        signal,
      );
      return groups.map(({ group, members, live }) => toNodeGroup(group, members, live, built.get(group) ?? null));
    },

    withLaunchFailures: (groups, asked, signal) => withLaunchFailures(clients.autoScaling, groups, asked, signal),

    terminate: (group, instance, decrement, signal) =>
      terminateInstance(clients.autoScaling, cluster, group, instance, decrement, signal),

    async readSize(name, signal) {
      try {
        const group = await describeGroup(clients.autoScaling, cluster, name, signal);
        return group === null ? null : { min: group.min, max: group.max, target: group.desired, held: held(group) };
      } catch (error) {
        throw callFailed(`DescribeAutoScalingGroups for ${name}`, error);
      }
    },

    async setSize(name, size, signal) {
      try {
        const group = await describeGroup(clients.autoScaling, cluster, name, signal);
        const refusal = group === null ? gone(name, cluster) : refuse(group, size);
        if (refusal !== null) {
          return refusal;
        }
        await clients.autoScaling.send(
          // Without the cooldown: it belongs to AWS' own scaling policies, and would make this call fail.
          new SetDesiredCapacityCommand({ AutoScalingGroupName: name, DesiredCapacity: size, HonorCooldown: false }),
          abortable(signal),
        );
        return { kind: 'set' };
      } catch (error) {
        const failure = failureOf(error);
        if (failure === null) {
          throw error;
        }
        return { kind: 'failed', ...failure };
      }
    },
  };
}

function toNodeGroup(
  group: ScalingGroup,
  { instances, nodes }: Membership,
  live: Node | null,
  built: Result<NodeTemplate, string> | null,
): NodeGroup {
  const template = group.problem === null ? chooseTemplate(group, nodes, live, built) : null;
  // Without a template a group cannot grow, but what it has must still be looked after. One that has nothing loses
  // nothing by being left out, and can then say why.
  const unused = group.desired === 0 && instances.length === 0;
  const templateProblem = template === null && built?.ok === false ? built.error : null;
  const problem = group.problem ?? (unused ? templateProblem : null);
  return {
    name: group.name,
    minSize: group.min,
    maxSize: group.max,
    targetSize: group.desired,
    options: group.parsedTags.options,
    template,
    templateProblem,
    alternatives: [],
    price: null,
    nodes: namesOf(nodes),
    instances,
    invalid: problem === null ? null : `Auto Scaling group ${group.name}: ${problem}`,
  };
}

/**
 * What the next node looks like: as a good live node, as AWS describes it, as any live node.
 *
 * @param built only where there is no good live node.
 */
function chooseTemplate(
  group: ScalingGroup,
  nodes: readonly Node[],
  live: Node | null,
  built: Result<NodeTemplate, string> | null,
): NodeTemplate | null {
  if (built?.ok === true) {
    return built.value;
  }
  const shown = live ?? anyNode(nodes);
  return shown === null ? null : templateOfLiveNode(group.name, shown, group.parsedTags.resources);
}
