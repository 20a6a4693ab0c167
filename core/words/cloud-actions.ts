import type { CloudAction } from '../model/cloud-action.ts';
import type { Words } from './words.ts';

/** Actions of the cloud itself on the nodes of a group. The short text says what Outrigger makes of it. */
export const CLOUD_ACTION_WORDS: Readonly<Record<CloudAction, Words>> = {
  Updating: {
    short: 'updated by EKS or Cluster API',
    sentence:
      'EKS is updating the managed node group, or Cluster API is rolling out the resource, or one of its Machines is paused: no node of it is removed meanwhile.',
  },
  InstanceRefresh: {
    short: 'an instance refresh is under way',
    sentence:
      'An instance refresh is replacing the instances of the Auto Scaling group: no node of it is removed meanwhile.',
  },
  NodeRepair: {
    short: 'EKS repairs its nodes',
    sentence: 'EKS replaces or reboots unhealthy nodes (node auto repair): the option nodeRepair has no effect.',
  },
  CapacityRebalance: {
    short: 'AWS replaces Spot instances at risk',
    sentence:
      'AWS replaces Spot instances at a rebalance recommendation (Capacity Rebalancing): the option rebalanceRecommendation has no effect.',
  },
  MaxInstanceLifetime: {
    short: 'AWS replaces instances of an age',
    sentence: 'AWS replaces instances that reach the maximum instance lifetime of the group.',
  },
  ZonesRebalanced: {
    short: 'AWS rebalances its zones',
    sentence: 'The Auto Scaling group evens out its zones by itself, and terminates instances that were not drained.',
    advice: 'Suspend its process AZRebalance.',
  },
  InstancesRetained: {
    short: 'instances are retained',
    sentence:
      'Instances of the group stayed when a lifecycle hook was abandoned, and are paid for until they are terminated.',
    advice: 'Terminate them: outrigger doctor has the commands.',
  },
};
