import type { NodeName } from '../../core/model/names.ts';
import { type Instance, type NodeGroup, placeholderId } from '../../core/model/node-group.ts';
import type { NodeGroups } from '../../core/model/ports.ts';
import type { ApiCalls } from './api-call.ts';
import type { AutoScaling, GroupView } from './auto-scaling.ts';
import { templateOf } from './scaling-group.ts';

/** The simulated Auto Scaling groups as node groups. */
export function createGroups(scaling: AutoScaling, calls: ApiCalls): NodeGroups {
  return {
    list: async (nodes, signal) => {
      await calls.make({ service: 'autoscaling', operation: 'DescribeAutoScalingGroups' }, signal);
      const registered = new Set(nodes.map(({ name }) => name));
      return scaling.groups().map((view) => nodeGroupOf(view, registered));
    },
    // `list` has them already.
    withLaunchFailures: async (groups) => groups,
    readSize: async (group, signal) => {
      await calls.make({ service: 'autoscaling', operation: 'DescribeAutoScalingGroups' }, signal);
      return scaling.sizeOf(group);
    },
    setSize: async (group, size, signal) => {
      await calls.make({ service: 'autoscaling', operation: 'SetDesiredCapacity' }, signal);
      return scaling.setDesired(group, size);
    },
    terminate: async (group, instance, decrement, signal) => {
      await calls.make({ service: 'autoscaling', operation: 'TerminateInstanceInAutoScalingGroup' }, signal);
      return scaling.terminate(group, instance, decrement);
    },
  };
}

function nodeGroupOf({ group, desired, machines, error }: GroupView, registered: ReadonlySet<NodeName>): NodeGroup {
  const instances: Instance[] = machines.map(({ id, zone, state, node }) => ({
    id,
    node: node !== null && registered.has(node) ? node : null,
    zone,
    state,
    error: null,
  }));
  const living = machines.filter(({ state }) => state !== 'Deleting').length;
  // Machines that were asked for and are not there: they have a place, and the reason why it is empty.
  const missing = Array.from({ length: Math.max(0, desired - living) }, (_, index): Instance => ({
    id: placeholderId(group.name, index),
    node: null,
    zone: group.zones[0]!,
    state: 'Creating',
    error,
  }));
  return {
    name: group.name,
    minSize: group.minSize,
    maxSize: group.maxSize,
    targetSize: desired,
    options: group.options,
    template: { node: templateOf(group), pods: [] },
    templateProblem: null,
    alternatives: [],
    price: group.price,
    nodes: instances.flatMap(({ node }) => node ?? []),
    instances: [...instances, ...missing],
    invalid: null,
  };
}
