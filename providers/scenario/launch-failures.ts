import { type Instance, LAUNCH_FAILURE_PREFIX, type NodeGroup } from '@outrigger/core/model/node-group.ts';

const isFailedLaunch = (one: Instance): one is Instance & { readonly error: NonNullable<Instance['error']> } =>
  one.state === 'Creating' && one.node === null && one.error !== null && one.id.startsWith(LAUNCH_FAILURE_PREFIX);

/**
 * Takes failed launches out of a group's instances. A document lists a failed launch as an instance with an `error` and
 * an ID that begins with `i-placeholder-`.
 */
export const splitLaunchFailures = (group: NodeGroup): NodeGroup => ({
  ...group,
  instances: group.instances.filter((instance) => !isFailedLaunch(instance)),
  launchFailures: group.instances.filter(isFailedLaunch).map(({ id, zone, error }) => ({ id, zone, ...error })),
});

/** A group's instances and failed launches, as a document lists them. */
export const joinLaunchFailures = ({
  instances,
  launchFailures,
}: Pick<NodeGroup, 'instances' | 'launchFailures'>): Instance[] => [
  ...instances,
  ...launchFailures.map(({ id, zone, ...error }): Instance => ({ id, node: null, zone, state: 'Creating', error })),
];
