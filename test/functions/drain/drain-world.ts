import { NO_RESULTS } from '../../../core/drain/effects.ts';
import type { Drain } from '../../../core/model/drain.ts';
import type { InstanceView } from '../../../core/model/node-group.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { NO_OBJECTS } from '../../../core/model/scenario.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { ClusterObservation } from '../../../core/ports/cluster.ts';
import type { ClusterEvent } from '../../../core/model/cluster/cluster-event.ts';
import type { InstanceId } from '../../../core/model/values/names.ts';
import { addTime, seconds } from '../../../core/model/values/time.ts';
import type { Executions } from '../../../core/ports/executions.ts';
import type { Cluster, Services } from '../../../functions/shared/services.ts';
import { aDrain, oneNodeWorld, type OneNodeWorld } from '../../core/drain/one-node-world.ts';
import { testWorld, type TestWorld, WEB } from '../test-world.ts';

export interface DrainWorld {
  readonly world: Services & Executions;
  readonly test: TestWorld;
  readonly node: OneNodeWorld;
  readonly drain: Drain;
  readonly events: ClusterEvent[];
  /** Asked before every call to the world; what it throws, the call does. */
  beforeCall: (what: string) => void;
  /** The same after every call, when it has come true. */
  afterCall: (what: string) => void;
  rejected: ClusterObservation['rejected'];
  /** How long evicted pods take to end, in milliseconds. */
  podsEndAfter: number;
  /** Instances beside that of the node. */
  readonly instances: Map<InstanceId, InstanceView>;
}

/** A cluster of one node, and a drain of it that has just been decided. Time passes with each sleep. */
export async function drainWorld(
  pods: readonly Pod[] = [],
  kind: Drain['kind'] = 'drain',
  extra: Partial<Drain> = {},
): Promise<DrainWorld> {
  const test = testWorld();
  const node = oneNodeWorld(pods);
  const drain = aDrain(kind, extra);
  const now = () => test.now();

  const call =
    <Given extends readonly unknown[], T>(what: string, act: (...given: Given) => T | Promise<T>) =>
    async (...given: Given): Promise<T> => {
      these.beforeCall(what);
      await new Promise(setImmediate);
      endPods();
      const result = await act(...given);
      these.afterCall(what);
      return result;
    };
  const endPods = (): void => {
    node.pods = node.pods.filter(({ deletedAt }) => deletedAt === null || now() < deletedAt + these.podsEndAfter);
  };
  const cluster: Cluster = {
    name: WEB,
    provider: 'aws',
    options: defaultOptions(),
    reader: {
      hasPendingPods: async () => false,
      summarize: async () => ({ waiting: false, nodes: 0, pods: 0 }),
      read: () => Promise.reject(new Error('a drain does not read the whole cluster')),
      readNodes: async () => ({ objects: NO_OBJECTS, rejected: [] }),
      readNode: async (_name, _signal, scope) =>
        await call(scope === 'alone' ? 'readNode alone' : 'readNode', () => {
          const { cluster: objects } = node.observe(NO_RESULTS);
          const nodes = these.rejected.some(({ place }) => place.startsWith('Node ')) ? [] : objects.nodes;
          const pods = scope === 'alone' ? [] : objects.pods;
          return { objects: { ...objects, nodes, pods }, rejected: these.rejected };
        })(),
      attachedVolumes: call('attachedVolumes', () => node.attached),
    },
    writer: {
      changeNode: call('changeNode', (name, uid, change) => {
        const effect = { kind: 'changeNode', node: name, uid, change } as const;
        return node.perform([effect], () => 'done', now()).changeNode!;
      }),
      // A drain nominates nothing.
      nominate: async () => ({ kind: 'gone' }),
      evict: call('evict', (pod, graceSeconds) => {
        const results = node.perform([{ kind: 'evict', pod, graceSeconds }], () => 'done', now());
        return results.evictions[pod.uid]!;
      }),
      recordEvent: call('recordEvent', (event) => void these.events.push(event)),
      writeStatus: async () => {},
      writeBufferStatus: async () => {},
      writeRequestStatus: async () => {},
      recordEvents: call('recordEvents', (events) => void these.events.push(...events)),
    },
    groups: {
      ...test.groups,
      readInstance: call('readInstance', (_group, id) => these.instances.get(id) ?? node.observe(NO_RESULTS).instance!),
      terminate: call('terminate', (group, instance, decrement) => {
        if (!decrement) {
          throw new Error('a drain takes the target down with the instance');
        }
        return node.perform([{ kind: 'terminate', group, instance, decrement }], () => 'done', now()).terminate!;
      }),
    },
  };
  const world: Services & Executions = {
    ...test,
    cluster: (name) => (name === WEB ? cluster : null),
    drains: {
      ...test.drains,
      load: call('load', (...given) => test.drains.load(...given)),
      save: call('save', (...given) => test.drains.save(...given)),
    },
    wake: call('wake', test.wake),
    startScaleDown: call('startScaleDown', test.startScaleDown),
  };
  const these: DrainWorld = {
    world,
    test,
    node,
    drain,
    events: [],
    beforeCall: () => {},
    afterCall: () => {},
    rejected: [],
    podsEndAfter: 3_000,
    instances: new Map(),
  };
  await test.drains.create(WEB, { drain, attempt: 1, drivenUntil: addTime(now(), seconds(60)) });
  return these;
}
