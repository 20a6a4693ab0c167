import { present } from '@outrigger/core/model/values/present.ts';
import type { GroupName, InstanceId, NodeName } from '@outrigger/core/model/values/names.ts';
import {
  type GroupSize,
  type Instance,
  type InstanceView,
  launchFailureId,
  type NodeGroup,
} from '@outrigger/core/model/node-group.ts';
import type { CallFailed, TerminateOutcome } from '@outrigger/core/model/answers.ts';
import type { Commitment } from '@outrigger/core/model/commitment.ts';
import type { NodeGroups } from '@outrigger/core/ports/node-groups.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { ServiceError, type ApiCalls } from '../api-call.ts';
import type { AutoScaling } from './auto-scaling.ts';
import type { GroupView } from './group-view.ts';
import { templateOf } from './scaling-group.ts';

/**
 * The simulated Auto Scaling groups as node groups. As on AWS, a description may be outdated, and does not contain why
 * instances are missing; which Node an instance is, the Nodes say.
 *
 * @param lag age of the next description in milliseconds.
 * @param commitments capacity that is paid for in any case; `undefined`: Outrigger does not read them.
 */
export function createGroups(
  scaling: AutoScaling,
  calls: ApiCalls,
  lag: () => number,
  commitments: readonly Commitment[] | undefined,
): NodeGroups {
  const describe = { service: 'autoscaling', operation: 'DescribeAutoScalingGroups' } as const;
  return {
    list: async (nodes, signal) => {
      const views = await calls.make(describe, () => discovered(scaling, lag()), signal);
      const registered = new Map(nodes.map(({ name, providerId }) => [providerId?.split('/').at(-1), name]));
      return views.map((view) => nodeGroupOf(view, registered));
    },
    summarize: async (signal) => {
      const views = await calls.make(describe, () => discovered(scaling, lag()), signal);
      return views.map((view) => nodeGroupOf(view, new Map()));
    },
    ...present({
      commitments: commitments && (async () => commitments.map((one) => withUnused(one, scaling.groups()))),
    }),
    withCloudActions: async (groups) => groups,
    withLaunchFailures: async (groups, asked, signal) => {
      const completed: NodeGroup[] = [];
      for (const group of groups) {
        const since = asked.get(group.name);
        if (since === undefined || missing(group) === 0) {
          completed.push(group);
        } else {
          completed.push(await withFailures({ scaling, calls }, group, since, signal));
        }
      }
      return completed;
    },
    readSize: (group, signal) => calls.make(describe, () => sizeOf(scaling, group, lag()), signal),
    readInstance: (name, id, signal) =>
      calls.make(
        describe,
        () => {
          const age = lag();
          const view = discovered(scaling, age).find(({ group }) => group.name === name);
          return { state: stateIn(view, id), size: sizeOf(scaling, name, age) };
        },
        signal,
      ),
    setSize: (group, size, signal) =>
      calls
        .make(
          { service: 'autoscaling', operation: 'SetDesiredCapacity' },
          () => (isDiscovered(scaling, group) ? scaling.setDesired(group, size) : gone(group)),
          signal,
        )
        .catch(asOutcome),
    terminate: (group, instance, decrement, signal) =>
      calls
        .make(
          { service: 'autoscaling', operation: 'TerminateInstanceInAutoScalingGroup' },
          () => (isDiscovered(scaling, group) ? scaling.terminate(group, instance, decrement) : LEFT),
          signal,
        )
        .catch(asOutcome),
  };
}

/** A capacity reservation tells how many of its instances are unused; other commitments do not. */
function withUnused(commitment: Commitment, views: readonly GroupView[]): Commitment {
  if (!('available' in commitment) || commitment.available === null) {
    return commitment;
  }
  const { type, zone, count } = commitment;
  const using = views
    .filter(({ group }) => group.instanceType === type)
    .flatMap(({ instances }) => instances)
    .filter((instance) => instance.state !== 'Deleting' && (zone === null || instance.zone === zone));
  return { ...commitment, available: Math.max(0, count - using.length) };
}

/** As on AWS, a group without the tags is none of the cluster's, whatever it is asked for. */
const discovered = (scaling: AutoScaling, age = 0): readonly GroupView[] =>
  scaling.groups(age).filter(({ untagged }) => untagged !== true);

const isDiscovered = (scaling: AutoScaling, name: GroupName, age = 0): boolean =>
  discovered(scaling, age).some(({ group }) => group.name === name);

const sizeOf = (scaling: AutoScaling, name: GroupName, age: number): GroupSize | null =>
  isDiscovered(scaling, name, age) ? scaling.sizeOf(name, age) : null;

function stateIn(view: GroupView | undefined, id: InstanceId): InstanceView['state'] {
  const aside = view?.aside?.find((one) => one.id === id);
  const instance = aside ?? view?.instances.find((one) => one.id === id);
  if (instance === undefined) {
    return 'gone';
  }
  if (instance.state === 'Deleting') {
    return 'ending';
  }
  return instance === aside ? 'aside' : 'in group';
}

const LEFT: TerminateOutcome = { kind: 'gone' };

const gone = (name: GroupName): CallFailed => ({
  kind: 'failed',
  class: 'Configuration',
  code: 'GroupGone',
  message: `there is no Auto Scaling group ${name} that is discovered as one of the cluster`,
});

/** An error of the cloud is an outcome; any other error (an abort, a bug) is rethrown. */
export function asOutcome(error: unknown): CallFailed {
  if (error instanceof ServiceError) {
    return { kind: 'failed', class: error.class, code: error.code, message: error.message };
  }
  throw error;
}

const missing = ({ targetSize, instances }: NodeGroup): number =>
  targetSize - instances.filter(({ state }) => state !== 'Deleting').length;

/** Adds a failure for each instance that could not be launched since the scale-up request; best effort, as on AWS. */
async function withFailures(
  { scaling, calls }: { readonly scaling: AutoScaling; readonly calls: ApiCalls },
  group: NodeGroup,
  since: EpochMs,
  signal: AbortSignal | undefined,
): Promise<NodeGroup> {
  const view = await calls
    .make(
      { service: 'autoscaling', operation: 'DescribeScalingActivities' },
      () => scaling.groups().find((one) => one.group.name === group.name),
      signal,
    )
    .catch((error: unknown) => {
      if (error instanceof ServiceError) {
        return undefined;
      }
      throw error;
    });
  const error = view?.error ?? null;
  // Times of activities are whole seconds.
  if (error === null || error.at < Math.floor(since / 1_000) * 1_000) {
    return group;
  }
  const { zone, class: failure, code, message } = error;
  return {
    ...group,
    launchFailures: Array.from({ length: missing(group) }, (_, n) => ({
      id: launchFailureId(group.name, n),
      zone,
      class: failure,
      code,
      message,
    })),
  };
}

/**
 * A simulated group as a node group.
 *
 * @param registered names of Nodes by the IDs of their instances.
 */
export function nodeGroupOf(
  { group, desired, instances: described, paused = false, version: launched = 1, warm }: GroupView,
  registered: ReadonlyMap<string | undefined, NodeName>,
): NodeGroup {
  const { warmPool: pool } = group;
  const instances: Instance[] = described.map(({ id, zone, state, version = 1 }) => ({
    id,
    node: registered.get(id) ?? null,
    zone,
    state,
    error: null,
    drifted: version === launched ? undefined : `launch template version ${version}, not ${launched}`,
  }));
  return {
    name: group.name,
    minSize: group.minSize,
    maxSize: group.maxSize,
    targetSize: desired,
    options: group.options,
    template: templateOf(group),
    templateProblem: null,
    capacityType: group.capacityType ?? null,
    alternatives: [],
    price: group.price,
    nodes: instances.flatMap(({ node }) => node ?? []),
    instances,
    launchFailures: [],
    warmPool: warm && pool && { size: warm.length, state: pool.state, reuse: pool.reuse },
    launchSuspended: paused,
    paused: null,
    invalid: null,
  };
}
