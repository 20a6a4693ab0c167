import { describe, expect, test } from 'vitest';
import type { ClusterObservation, ClusterReader } from '../../core/ports/cluster.ts';
import type { StateStore } from '../../core/ports/state-store.ts';
import { type GroupName, podKey } from '../../core/model/values/names.ts';
import { isDaemon } from '../../core/model/cluster/pod.ts';
import { addTime, type DurationMs, minutes } from '../../core/model/values/time.ts';
import { DELETE_MACHINE, type ScalableObject } from '../../providers/simulated/cluster-api/objects.ts';
import type { NodeGroups } from '../../core/ports/node-groups.ts';
import type { AwsWorld, ClusterApiWorld, SimulatedWorld } from '../../providers/simulated/world.ts';
import { unsearchable } from '../core/isolation/poison.ts';
import { type Broken, reading, withLoad } from './broken.ts';
import { budgetsKept } from './invariants/budgets-kept.ts';
import { drainsEnd } from './invariants/drains-end.ts';
import { effectOnce } from './invariants/effect-once.ts';
import { endedWithCare } from './invariants/ended-with-care.ts';
import { limitsKept } from './invariants/limits-kept.ts';
import { loweredWithCare } from './invariants/lowered-with-care.ts';
import { noBugs } from './invariants/no-bugs.ts';
import { givenUp } from './invariants/given-up.ts';
import { marksTakenBack } from './invariants/marks-taken-back.ts';
import { onlyMarkedGo } from './invariants/only-marked-go.ts';
import { recovers } from './invariants/recovers.ts';
import { shrinks } from './invariants/shrinks.ts';
import { sizesInBounds } from './invariants/sizes-in-bounds.ts';
import { stateBounded } from './invariants/state-bounded.ts';
import { run, type Tamper } from './run.ts';

const withStore = (change: (store: StateStore) => Partial<StateStore>): Tamper => ({
  store: (store) => ({ ...store, ...change(store) }),
});
const withGroups = (change: (groups: NodeGroups, world: AwsWorld) => Partial<NodeGroups>): Tamper => ({
  world: (world) => ({ ...world, groups: { ...world.groups, ...change(world.groups, world as AwsWorld) } }),
});

const withReader = (change: (reader: ClusterReader, world: SimulatedWorld) => Partial<ClusterReader>): Tamper => ({
  world: (world) => ({ ...world, reader: { ...world.reader, ...change(world.reader, world) } }),
});

/** Ends machines of Cluster API in another way. */
const terminating = (
  change: (store: ClusterApiWorld['scaling']['store'], terminate: NodeGroups['terminate']) => NodeGroups['terminate'],
): Tamper =>
  withGroups((groups, world: SimulatedWorld) => ({
    terminate: change((world as ClusterApiWorld).scaling.store, (...request) => groups.terminate(...request)),
  }));

/** Throws what only a mistake throws, from a while after the start on. */
const mistakenAfter = (clock: SimulatedWorld['clock'], wait: DurationMs): (() => void) => {
  const from = addTime(clock.now(), wait);
  return () => {
    if (clock.now() > from) {
      throw new TypeError('Cannot read properties of undefined');
    }
  };
};
/** Pods that have a node, DaemonSets' excepted, are left out. */
const withoutPods = (seen: ClusterObservation): ClusterObservation => ({
  ...seen,
  objects: { ...seen.objects, pods: seen.objects.pods.filter((pod) => pod.nodeName === null || isDaemon(pod)) },
});

describe('what is broken on purpose is found', () => {
  const CASES: readonly Broken[] = [
    {
      name: 'an increase is made relative to the size, twice',
      tamper: withGroups((groups, { scaling }) => ({
        setSize: async (group, size, signal) => {
          const before = scaling.sizeOf(group)!.target;
          const outcome = await groups.setSize(group, size, signal);
          scaling.setDesired(group, size + size - before);
          return outcome;
        },
      })),
      found: effectOnce,
    },
    {
      name: 'nodes are shown as those of a virtual kubelet, whose cores and memory no limit counts',
      from: 32,
      tamper: reading(({ nodes }) => ({
        nodes: nodes.map((node) => ({ ...node, labels: { ...node.labels, type: 'virtual-kubelet' } })),
      })),
      found: limitsKept,
    },
    {
      name: 'groups are shown with a larger maximum than they have',
      tamper: withGroups((groups) => ({
        list: async (...call) =>
          (await groups.list(...call)).map((group) => ({ ...group, maxSize: group.maxSize + 5 })),
      })),
      found: sizesInBounds,
    },
    {
      name: 'intents are lost, though the state is kept',
      tamper: withStore((store) => ({
        commit: (cluster, given, signal) => store.commit(cluster, { ...given, intents: [] }, signal),
      })),
      found: recovers,
    },
    {
      name: 'the state grows with every evaluation',
      tamper: withLoad(({ version, state }) => {
        const times = { lastScaleUp: null, lastScaleDownDelete: null, lastScaleDownFailure: null };
        const gone = Array.from({ length: 20 }, (_, i) => [`gone-${version}-${i}` as GroupName, times]);
        return { state: { ...state, groups: { ...state.groups, ...Object.fromEntries(gone) } } };
      }),
      found: stateBounded,
    },
    {
      name: 'every drain ends two instances',
      tamper: withGroups((groups, { scaling }) => ({
        terminate: async (group, instance, decrement, signal) => {
          const outcome = await groups.terminate(group, instance, decrement, signal);
          const { instances } = scaling.groups().find((one) => one.group.name === group)!;
          const other = instances.find(({ id, state }) => id !== instance && state !== 'Deleting');
          if (decrement && other !== undefined) {
            scaling.terminate(group, other.id, true);
          }
          return outcome;
        },
      })),
      found: effectOnce,
    },
    {
      name: 'pods are evicted whatever their budgets say',
      from: 63,
      tamper: {
        world: (world) => ({
          ...world,
          writer: {
            ...world.writer,
            evict: async (pod, ...more) => {
              const outcome = await world.writer.evict(pod, ...more);
              if (outcome.kind === 'refused') {
                const deletedAt = world.clock.now();
                world.api.updatePod(podKey(pod.namespace, pod.name), (before) => ({
                  ...before,
                  ready: false,
                  deletedAt,
                }));
                return { kind: 'done' };
              }
              return outcome;
            },
          },
        }),
      },
      found: budgetsKept,
    },
    {
      name: 'drains do not see the pods of their nodes',
      tamper: withReader((reader) => ({ readNode: async (...call) => withoutPods(await reader.readNode(...call)) })),
      found: endedWithCare,
    },
    {
      name: 'instances are ended with the pods that their drains do not see, whatever their budgets say',
      from: 46,
      tamper: withReader((reader) => ({ readNode: async (...call) => withoutPods(await reader.readNode(...call)) })),
      found: budgetsKept,
    },
    {
      name: 'drains whose driver has died are not looked up',
      tamper: { drains: (store) => ({ ...store, list: async () => [] }) },
      found: drainsEnd,
    },
    {
      name: 'clocks of unneeded nodes begin anew each time',
      tamper: withLoad(({ state }) => ({ state: { ...state, unneededSince: {} } })),
      found: shrinks,
    },
    {
      name: 'clocks of instances that have not registered begin anew each time',
      from: 20,
      tamper: withLoad(({ state }) => ({ state: { ...state, unregisteredSince: {} } })),
      found: givenUp,
    },
    {
      name: 'instances that are ended by a repair are replaced',
      from: 2,
      tamper: withGroups((groups) => ({
        terminate: async (group, instance, _decrement, signal) =>
          await groups.terminate(group, instance, false, signal),
      })),
      found: givenUp,
    },
    {
      name: 'instances that are no nodes yet are not counted',
      tamper: withGroups((groups) => ({
        readSize: async (...call) => {
          const size = await groups.readSize(...call);
          return size === null ? null : { ...size, held: 0 };
        },
        list: async (...call) =>
          (await groups.list(...call)).map((group) => ({
            ...group,
            instances: group.instances.filter(({ node }) => node !== null),
          })),
      })),
      found: loweredWithCare,
    },
    {
      name: 'actuation has a mistake',
      tamper: withGroups((groups, { clock }) => {
        const fail = mistakenAfter(clock, minutes(10));
        return {
          readSize: async (group, signal) => {
            fail();
            return await groups.readSize(group, signal);
          },
        };
      }),
      found: noBugs,
    },
    {
      name: 'an evaluation has a mistake, catches it and goes on',
      tamper: withReader((reader, { clock }) => {
        const fail = mistakenAfter(clock, minutes(10));
        return {
          read: async (signal) => {
            fail();
            return await reader.read(signal);
          },
        };
      }),
      found: noBugs,
    },
    {
      name: 'pods are set aside by evaluations, which go on',
      tamper: withReader((reader) => ({
        read: async (signal) => {
          const seen = await reader.read(signal);
          const pods = seen.objects.pods.map((pod) => ({
            ...pod,
            spec: { ...pod.spec, tolerations: unsearchable(pod.spec.tolerations) },
          }));
          return { ...seen, objects: { ...seen.objects, pods } };
        },
      })),
      found: noBugs,
    },
    {
      name: 'a step of a drain has a mistake, catches it and goes on',
      tamper: withReader(() => ({
        readNode: async () => {
          throw new TypeError('Cannot read properties of undefined');
        },
      })),
      found: noBugs,
    },
    {
      name: 'machines on Cluster API are terminated by a lower size alone',
      provider: 'clusterapi',
      tamper: terminating((store) => async (group) => {
        const [kind, namespace, name] = group.split('/');
        const resource = store.get(kind as ScalableObject['kind'], namespace!, name!)!;
        store.update<ScalableObject['kind']>(resource, ({ spec, ...rest }) => ({
          ...rest,
          spec: { ...spec, replicas: spec.replicas - 1 },
        }));
        return { kind: 'terminated' };
      }),
      found: onlyMarkedGo,
    },
    {
      name: 'a machine on Cluster API that is not terminated after all stays marked',
      from: 13,
      provider: 'clusterapi',
      tamper: terminating((store, terminate) => async (group, instance, ...more) => {
        const outcome = await terminate(group, instance, ...more);
        const machine = store.list('Machine').find(({ metadata }) => `default/${metadata.name}` === instance);
        if (outcome.kind === 'failed' && machine !== undefined) {
          store.update<'Machine'>(machine, ({ metadata, ...rest }) => ({
            ...rest,
            metadata: { ...metadata, annotations: { ...metadata.annotations, [DELETE_MACHINE]: '' } },
          }));
        }
        return outcome;
      }),
      found: marksTakenBack,
    },
  ];

  test.each(CASES)('$name', async ({ tamper, found, from = 1, provider = 'aws' }) => {
    const violations: string[] = [];
    for (let seed = from; seed < from + 40 && !violations.includes(found.name); seed += 1) {
      // On its own: what is broken may break other things first.
      const { violation } = await run({ seed, provider, tamper, invariants: [found] });
      if (violation !== null) {
        violations.push(violation.invariant);
      }
    }
    expect(violations).toContain(found.name);
  });
});
