import { describe, expect, it } from 'vitest';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import type { Node, Taint } from '../../../core/model/cluster/node.ts';
import type { Pod, Toleration } from '../../../core/model/cluster/pod.ts';
import { changedNode } from '../../../core/model/cluster/node-change.ts';
import { candidateTaint } from '../../../core/model/cluster/removal-taints.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { softTaintChanges } from '../../../core/scaledown/soft-taints.ts';
import { daemonPod, inPhase, oneNodeWorld, step, webPod } from '../drain/one-node-world.ts';
import { ago, type ClusterGiven, decide, goes, replica, stays, workerNode } from '../scaledown/cluster.ts';

/** The taint is the proposal's where this is set; its annotation and Karpenter's names count always. */
const SHARED: Options = { ...defaultOptions(), nodeLifecycleTaints: true };

const written = ({ taints }: Node): readonly string[] =>
  taints.map(({ key, value, effect }) => `${key}=${value}:${effect}`);

/** Evicts pod after pod, each gone before the next step; what each step asks for. */
function evictionsOf(pods: readonly Pod[], options: Partial<Options> = SHARED): readonly (readonly string[])[] {
  const world = oneNodeWorld(pods);
  let drain = inPhase('Evicting', world, {}, { ...defaultOptions(), ...options });
  const asked: (readonly string[])[] = [];
  for (let time = 0; drain.phase === 'Evicting' && time < 100; time += 5) {
    const evictions = Object.fromEntries(pods.map(({ uid }) => [uid, { kind: 'done' } as const]));
    const result = step(drain, world, time, { evictions }, options);
    drain = result.drain;
    const evicted = result.does.flatMap((one) => /^evict (\S+)/.exec(one)?.[1] ?? []);
    world.pods = world.pods.filter(({ name }) => !evicted.includes(name));
    asked.push(...(evicted.length > 0 ? [evicted] : []));
  }
  return asked;
}

describe('the API alignment proposal: taints', () => {
  it('1. a candidate bears node-lifecycle.kubernetes.io/disruption=candidate:PreferNoSchedule', () => {
    const node = workerNode('n1');
    const [change] = softTaintChanges([node], { [node.name]: ago(1) }, SHARED);
    expect(written(changedNode(node, change!.change))).toEqual([
      'node-lifecycle.kubernetes.io/disruption=candidate:PreferNoSchedule',
    ]);
  });

  it('2. a node that is to go bears :NoSchedule before anything is evicted', () => {
    const world = oneNodeWorld([webPod('web-1')]);
    const { does } = step({ ...inPhase('Tainting', oneNodeWorld()) }, world, 0, {}, SHARED);
    expect(does).toEqual(['put marks on']);
    inPhase('Tainting', world, {}, SHARED);
    expect(written(world.node!)).toEqual(['node-lifecycle.kubernetes.io/disruption=disrupting:NoSchedule']);
  });

  it('4. :NoExecute comes once its pods are gone, and ends what is left; 5. then the instance is terminated', () => {
    const world = oneNodeWorld([]);
    let drain = inPhase('Terminating', world, {}, SHARED);
    const done: (readonly string[])[] = [];
    for (const time of [0, 1]) {
      const result = step(drain, world, time, { changeNode: time === 0 ? null : { kind: 'done' } }, SHARED);
      world.perform(result.effects, () => 'done', drain.createdAt);
      drain = result.drain;
      done.push(result.does);
    }
    expect(done).toEqual([['put marks on'], ['terminate i-1']]);
    expect(written(world.node!)).toContain('node-lifecycle.kubernetes.io/disruption=disrupting:NoExecute');
  });

  it.each([
    ['node-lifecycle.kubernetes.io/disruption', 'disrupting', true],
    ['node-lifecycle.kubernetes.io/disruption', 'candidate', false],
    ['ToBeDeletedByClusterAutoscaler', '', true],
    ['karpenter.sh/disrupted', '', true],
    ['karpenter.sh/disruption', 'disrupting', true],
  ])('%s=%s on a node says that another tool removes it: %j', (key, value, leaves) => {
    const taint: Taint = { key, value, effect: 'NoSchedule' };
    const decision = decide({ nodes: [workerNode('n1', { taints: [taint] }), workerNode('n2')], group: { min: 1 } });
    expect(stays(decision)['n1'] === 'CurrentlyBeingDeleted').toBe(leaves);
  });

  it.each([
    [30, true],
    [19, false],
    [0, false],
  ])(
    'a candidate of 20 minutes counts without stored state for nodeDeletionCandidateTtl of %i minutes: %j',
    (ttl, counts) => {
      const bare = workerNode('n1');
      const since = ago(20);
      const [change] = softTaintChanges([bare], { [bare.name]: since }, SHARED);
      const given: ClusterGiven = {
        nodes: [changedNode(bare, change!.change)],
        options: {
          nodeLifecycleTaints: true,
          scaleDownUnneededTime: minutes(10),
          nodeDeletionCandidateTtl: minutes(ttl),
        },
        state: { lastEvaluation: null },
      };
      expect(goes(decide(given))).toEqual(counts ? ['n1'] : []);
      expect(candidateTaint(SHARED, since).value).toBe('candidate');
    },
  );
});

describe('the API alignment proposal: do-not-disrupt, and the names that it takes the place of', () => {
  const FORMS: readonly (readonly [string, string, boolean])[] = [
    ['node-lifecycle.kubernetes.io/do-not-disrupt', 'true', true],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', '2h', true],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', '30m', false],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', 'false', false],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', '', false],
    ['node-lifecycle.kubernetes.io/do-not-disrupt', '-2h', false],
    ['karpenter.sh/do-not-disrupt', 'true', true],
    ['karpenter.sh/do-not-disrupt', '2h', true],
    ['karpenter.sh/do-not-disrupt', '30m', false],
  ];
  const POD_FORMS: readonly (readonly [string, string, boolean])[] = [
    ['karpenter.sh/do-not-evict', 'true', true],
    ['karpenter.sh/do-not-evict', 'false', false],
    ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'false', true],
    ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'on-completion', true],
    ['cluster-autoscaler.kubernetes.io/safe-to-evict', 'true', false],
  ];
  const started = { startedAt: ago(60) };
  const n1With = (key: string, value: string) =>
    workerNode('n1', { annotations: { [key]: value }, createdAt: ago(60) });
  const n2 = workerNode('n2');
  const fills = (on: string) => replica('fills', on, { requests: { cpu: '3' } });

  it.each([...FORMS, ...POD_FORMS])('pod, started an hour ago: %s: %j keeps its node: %j', (key, value, keeps) => {
    const moves = replica('moves', 'n1', { annotations: { [key]: value }, ...started });
    expect(goes(decide({ nodes: [workerNode('n1'), n2], pods: [moves, fills('n2')] }))).toEqual(keeps ? [] : ['n1']);
  });

  it.each(FORMS)('node, an hour old: %s: %j keeps it: %j', (key, value, keeps) => {
    expect(goes(decide({ nodes: [n1With(key, value), n2], pods: [fills('n2')] }))).toEqual(keeps ? [] : ['n1']);
  });

  it('says nothing on a node in the form that pods alone have', () => {
    const nodes = [n1With('karpenter.sh/do-not-evict', 'true'), n2];
    expect(goes(decide({ nodes, pods: [fills('n2')] }))).toEqual(['n1']);
  });
});

describe('the API alignment proposal: 3. the drain', () => {
  const toleration = (extra: Partial<Toleration>): Toleration => ({
    key: 'node-lifecycle.kubernetes.io/disruption',
    operator: 'Exists',
    value: '',
    effect: '',
    tolerationSeconds: null,
    ...extra,
  });
  const priority = (value: number) => ({ spec: { priority: value } });

  it.each<[string, Toleration, boolean]>([
    ['the taint whatever its value', toleration({}), false],
    ['everything', toleration({ key: '' }), false],
    ['disrupting', toleration({ operator: 'Equal', value: 'disrupting', effect: 'NoSchedule' }), false],
    ['candidate', toleration({ operator: 'Equal', value: 'candidate' }), true],
    ['the taint’s last stage alone', toleration({ effect: 'NoExecute' }), true],
    ['another taint', toleration({ key: 'dedicated' }), true],
  ])('evicts pods that do not tolerate disrupting:NoSchedule: one that tolerates %s', (_, tolerated, evicted) => {
    const tolerant = webPod('tolerant', { spec: { tolerations: [tolerated] } });
    expect(evictionsOf([tolerant]).flat()).toEqual(evicted ? ['tolerant'] : []);
  });

  it('evicts pods of lower priority first', () => {
    const pods = [
      webPod('high', priority(1_000)),
      webPod('low', priority(-5)),
      webPod('none'),
      webPod('two', priority(2)),
    ];
    expect(evictionsOf(pods)).toEqual([['low', 'none', 'two', 'high']]);
  });

  it('waits for those that are not critical before it evicts critical ones', () => {
    const pods = [webPod('dns', priority(2_000_000_000)), webPod('high', priority(1_000)), webPod('none')];
    expect(evictionsOf(pods)).toEqual([['none', 'high'], ['dns']]);
  });

  it('evicts workloads before DaemonSets of the same priority', () => {
    const pods = [
      daemonPod('agent'),
      webPod('web'),
      daemonPod('net', { owner: 'DaemonSet/net', ...priority(2_000_001_000) }),
      webPod('dns', priority(2_000_001_000)),
    ];
    expect(evictionsOf(pods)).toEqual([['web'], ['agent', 'dns'], ['net']]);
  });

  it('does the same with priorities of its own, each after the one below', () => {
    const options: Partial<Options> = {
      nodeLifecycleTaints: true,
      drainPriorityConfig: [
        { priority: 0, graceSeconds: 60 },
        { priority: 1_000, graceSeconds: 20 },
      ],
    };
    const pods = [webPod('high', priority(1_000)), webPod('zero'), webPod('low', priority(-5)), daemonPod('ds')];
    expect(evictionsOf(pods, options)).toEqual([
      ['low', 'zero'],
      ['ds', 'high'],
    ]);
  });

  it('keeps Cluster Autoscaler’s order where its taints are used: all workloads before any DaemonSet', () => {
    const pods = [daemonPod('agent'), webPod('web'), webPod('dns', priority(2_000_000_000))];
    expect(evictionsOf(pods, defaultOptions())).toEqual([['web'], ['dns'], ['agent']]);
  });
});
