import { hasDevices, withoutDevicePlugin } from '../model/accelerators.ts';
import { readable } from '../model/fault.ts';
import type { Node } from '../model/cluster/node.ts';
import { groupOption, type NodeGroup, type NodeTemplate } from '../model/node-group.ts';
import type { Scenario } from '../model/scenario.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import type { NodeName } from '../model/values/names.ts';
import { isReady, isStarting } from '../registry/readiness.ts';

/**
 * The scenario in which a group of which no node announces devices launches nodes without devices, once one of them has
 * had the time to start. EC2 describes the devices of an instance; without a device plugin pods cannot request them,
 * and a DRA driver gives them to other pods. Pods with requests would start node after node, in vain.
 */
export function withAnnouncedDevices(scenario: Scenario): Scenario {
  const { nodeGroups, objects } = scenario;
  if (!nodeGroups.some((group) => readable(() => declaresDevices(group), false))) {
    return scenario;
  }
  const nodes = new Map(objects.nodes.map((node) => [node.name, node]));
  return {
    ...scenario,
    nodeGroups: nodeGroups.map((group) =>
      readable(() => (declaresDevices(group) && announcesNone(group, nodes, scenario) ? bare(group) : group), group),
    ),
  };
}

const declaresDevices = ({ template, nodes }: NodeGroup): boolean =>
  template !== null && nodes.length > 0 && hasDevices(template.node);

function announcesNone(
  group: NodeGroup,
  nodes: ReadonlyMap<NodeName, Node>,
  { options, now }: Pick<Scenario, 'options' | 'now'>,
): boolean {
  const own = group.nodes.flatMap((name) => nodes.get(name) ?? []);
  const startupTime = groupOption(options, group, 'maxNodeStartupTime');
  return (
    own.some((node) => isReady(node, options) && !isStarting(node, startupTime, now)) &&
    !own.some((node) => hasDevices(node))
  );
}

const bare = (group: NodeGroup): NodeGroup => ({
  ...group,
  template: group.template && bareTemplate(group.template),
  alternatives: group.alternatives.map(bareTemplate),
});

/** The same for the same: what is made of a template is remembered by it. */
const bareTemplate = rememberedOf((template: NodeTemplate): NodeTemplate => ({
  ...template,
  node: withoutDevicePlugin(template.node),
}));
