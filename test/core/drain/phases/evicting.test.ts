import { describe, expect, it } from 'vitest';
import { advanceDrain } from '../../../../core/drain/advance.ts';
import { NO_RESULTS } from '../../../../core/drain/effects.ts';
import { defaultOptions } from '../../../../core/model/options.ts';
import type { EvictOutcome } from '../../../../core/model/answers.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { boundClaim, claimVolumes } from '../../../builders.ts';
import {
  after,
  daemonPod,
  inPhase,
  NO_ROOM,
  oneNodeWorld,
  type OneNodeWorld,
  step,
  webPod,
} from '../one-node-world.ts';

const uid = (name: string) => `uid-default-${name}`;
const answers = (given: Readonly<Record<string, EvictOutcome>>) => ({
  evictions: Object.fromEntries(Object.entries(given).map(([name, outcome]) => [uid(name), outcome])),
});
const DONE: EvictOutcome = { kind: 'done' };
const refused = (retryAfterSeconds: number | null = null): EvictOutcome => ({
  kind: 'refused',
  message: 'budget web needs 2',
  retryAfterSeconds,
});
const throttled = (s: number | null = null) => ({ kind: 'throttled', message: 'busy', retryAfterSeconds: s }) as const;

/** A drain that has asked its first pods to go. */
function begun(...given: Parameters<typeof oneNodeWorld>) {
  const world = oneNodeWorld(...given);
  return { world, ...step(inPhase('Evicting', world), world, 0) };
}

const critical = { priority: 2_000_000_000 };

describe('evictions', () => {
  it('go group by group, each once the one before it is gone', () => {
    const world = oneNodeWorld([
      daemonPod('agent'),
      webPod('dns', { spec: critical }),
      webPod('web-2'),
      webPod('web-1', { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '5' } }),
    ]);
    const asked: (readonly string[])[] = [];
    let drain = inPhase('Evicting', world);
    for (const time of [0, 5, 10, 15]) {
      const result = step(drain, world, time, answers({ agent: DONE, dns: DONE, 'web-1': DONE, 'web-2': DONE }));
      asked.push(result.does);
      drain = result.drain;
      const gone = new Set(result.does.map((one) => one.split(' ')[1]));
      world.pods = world.pods.filter(({ name }) => !gone.has(name));
    }
    expect(asked).toEqual([['evict web-2', 'evict web-1'], ['evict dns'], ['evict agent'], ['terminate i-1']]);
    expect(drain.phase).toBe('Terminating');
    expect(drain.evictions.map(({ pod, goneAt }) => [pod, goneAt])).toEqual([
      ['default/web-2', after(5)],
      ['default/web-1', after(5)],
      ['default/dns', after(10)],
      ['default/agent', after(15)],
    ]);
  });

  it('leave a pod its grace period by the clock of the drain, where the clock of the API server is behind', () => {
    const { world, drain: asked } = begun([webPod('web-1')]);
    world.pods = world.pods.map((pod) => ({ ...pod, deletedAt: after(30 - 300) }));
    const ending = step(asked, world, 5, answers({ 'web-1': DONE })).drain;
    expect([ending.phase, step(ending, world, 10).drain.phase]).toEqual(['Evicting', 'Evicting']);
  });

  it('of pods smaller than one of a StatefulSet wait until that one is gone, where the cloud does not end the node', () => {
    const sized = (cpu: number) => ({
      containers: [{ name: 'main', requests: { cpu }, hostPorts: [], restartable: false }],
    });
    const database = webPod('db-0', { owner: 'StatefulSet/db', spec: sized(1_000) });
    const pods = [
      webPod('small', { spec: sized(500) }),
      database,
      webPod('as-large', { spec: sized(1_000) }),
      webPod('larger', { spec: sized(1_500) }),
    ];
    const { world, ...first } = begun(pods, { allocatable: { cpu: 4_000 } });
    expect(first.does).toEqual(['evict larger', 'evict as-large', 'evict db-0']);
    world.pods = world.pods
      .filter(({ name }) => name === 'small' || name === 'db-0')
      .map((one) => (one === database ? { ...one, deletedAt: after(1) } : one));
    const second = step(first.drain, world, 20, answers({ larger: DONE, 'as-large': DONE, 'db-0': DONE }));
    expect(second.does).toEqual([]);
    // A pod that takes its time is not waited for.
    expect(step(second.drain, world, 60).does).toEqual([]);
    expect(step(second.drain, world, 61).does).toEqual(['evict small']);
    world.pods = world.pods.filter(({ name }) => name === 'small');
    expect(step(second.drain, world, 25).does).toEqual(['evict small']);
  });

  it('go by priority with drainPriorityConfig, DaemonSet pods after the others of theirs', () => {
    const options = {
      drainPriorityConfig: [
        { priority: 0, graceSeconds: 20 },
        { priority: 1_000, graceSeconds: 600 },
      ],
    };
    const world = oneNodeWorld([daemonPod('agent'), webPod('low'), webPod('high', { spec: { priority: 5_000 } })]);
    const first = step(inPhase('Evicting', world), world, 0, {}, options);
    expect(first.does).toEqual(['evict low (20)']);
    world.pods = world.pods.filter(({ name }) => name !== 'low');
    // The DaemonSet's pod holds up no other.
    const second = step(first.drain, world, 2, answers({ low: DONE }), options);
    expect(second.does).toEqual(['evict agent (20)', 'evict high']);
  });

  describe('of pods that tolerate the shared taint of a node that is being removed', () => {
    const options = { ...defaultOptions(), nodeLifecycleTaints: true };
    const tolerations = [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }];
    const tolerant = (name: string, extra: Parameters<typeof webPod>[1] = {}) =>
      webPod(name, { labels: { app: 'web' }, spec: { tolerations }, ...extra });
    const begin = (world: OneNodeWorld, given = options) =>
      step(inPhase('Evicting', world, {}, given), world, 0, {}, given);

    it('are not asked for: they end with the instance', () => {
      const world = oneNodeWorld([tolerant('stays'), webPod('goes'), daemonPod('agent', { spec: { tolerations } })]);
      const first = begin(world);
      expect(first.does).toEqual(['evict goes']);
      world.pods = world.pods.filter(({ name }) => name !== 'goes');
      expect(step(first.drain, world, 2, answers({ goes: DONE }), options).drain.phase).toBe('Terminating');
    });

    it('are asked for where Cluster Autoscaler’s taint is used', () => {
      const world = oneNodeWorld([tolerant('goes')]);
      expect(begin(world, defaultOptions()).does).toEqual(['evict goes']);
    });

    it('are waited for while their budget has no room, and keep the node in the end', () => {
      const world = oneNodeWorld([tolerant('stays')]);
      world.budgets = [NO_ROOM];
      const first = begin(world);
      expect(first.does).toEqual([]);
      expect(first.drain.evictions[0]?.refusal).toContain('it tolerates the taint of the node');
      expect(step(first.drain, world, 130, {}, options).drain.outcome).toMatchObject({ failure: 'FailedToEvictPods' });
    });

    it('keep the node where any other pod would', () => {
      const world = oneNodeWorld([tolerant('kept', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })]);
      expect(begin(world).drain.outcome).toMatchObject({ failure: 'NoLongerRemovable', pod: 'default/kept' });
    });
  });

  it('tell the API server a shorter grace where the pod has a longer one', () => {
    const world = oneNodeWorld([webPod('slow', { spec: { terminationGracePeriodSeconds: 3_600 } })]);
    expect(step(inPhase('Evicting', world), world, 0).does).toEqual(['evict slow (600)']);
  });

  it('leave mirror pods, finished pods and the DaemonSet pods of an empty node alone', () => {
    const world = oneNodeWorld([
      webPod('static', { owner: 'Node/n1', annotations: { 'kubernetes.io/config.mirror': 'x' } }),
      webPod('done', { phase: 'Succeeded' }),
      daemonPod('agent'),
    ]);
    const { drain, does } = step(inPhase('Evicting', world, { kind: 'empty' }), world, 0);
    expect(does).toEqual(['terminate i-1']);
    expect(drain.phase).toBe('Terminating');
  });

  it('of pods that their DaemonSet has put back are not tried again', () => {
    const { world, drain } = begun([daemonPod('agent-1')]);
    world.pods = [daemonPod('agent-2')];
    expect(step(drain, world, 5, answers({ 'agent-1': DONE })).does).toEqual(['terminate i-1']);
  });
});

describe('a pod that comes back though the node is marked', () => {
  const back = (extra: Parameters<typeof webPod>[1] = {}) =>
    webPod('web-2', { createdAt: after(4), ready: true, labels: { app: 'web' }, ...extra });
  const evicted = (pods: readonly Pod[], budgets: OneNodeWorld['budgets'] = []) => {
    const { world, drain } = begun([webPod('web-1')]);
    const agreed = step(drain, world, 3, answers({ 'web-1': DONE }));
    world.pods = [...pods];
    world.budgets = budgets;
    return step(agreed.drain, world, 6).does;
  };

  it.each([4, 0])('is not evicted again, when it came %i s after the other one was asked to go', (seconds) => {
    expect(evicted([back({ createdAt: after(seconds) })])).toEqual(['terminate i-1']);
  });

  it.each<[string, Pod]>([
    ['was there before', back({ createdAt: after(-1) })],
    [
      'is to be waited for',
      back({ annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'on-completion' } }),
    ],
    [
      'is of another controller',
      back({ controller: { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'uid-other' } }),
    ],
  ])('is treated like any other where it %s', (_, pod) => {
    expect(evicted([pod])).toEqual(expect.not.arrayContaining(['terminate i-1']));
  });

  it('is not taken for one when it was asked together with the other one', () => {
    const { world, drain } = begun([webPod('web-1'), back({ createdAt: after(0) })]);
    const refusal = { kind: 'refused', retryAfterSeconds: null, message: 'no room' } as const;
    const answered = step(drain, world, 3, answers({ 'web-1': DONE, 'web-2': refusal }));
    world.pods = [back({ createdAt: after(0) })];
    expect(step(answered.drain, world, 30).does).toEqual(['evict web-2']);
  });

  describe('and whose budget has no room', () => {
    const budget = { ...NO_ROOM, disruptionsAllowed: 0 };
    const room = { ...budget, disruptionsAllowed: 1 };

    it('is not evicted either, but waited for', () => {
      expect(evicted([back()], [budget])).toEqual([]);
      expect(evicted([back()], [room])).toEqual(['terminate i-1']);
      expect(evicted([back(), { ...back(), name: 'web-3', uid: 'x' }], [room])).toEqual([]);
    });

    it('ends with the instance once there is room, though the eviction of the other one was not answered', () => {
      const { world, drain } = begun([webPod('web-1')]);
      world.pods = [back()];
      world.budgets = [budget];
      const waits = step(drain, world, 6);
      expect(waits.does).toEqual([]);
      world.budgets = [room];
      expect(step(waits.drain, world, 40).does).toEqual(['terminate i-1']);
    });

    it('keeps the node in the end, and says why', () => {
      const { world, drain } = begun([webPod('web-1')]);
      const agreed = step(drain, world, 3, answers({ 'web-1': DONE }));
      world.pods = [back()];
      world.budgets = [budget];
      const waits = step(agreed.drain, world, 6);
      expect(step(waits.drain, world, 6 + 119).drain.phase).toBe('Evicting');
      expect(step(waits.drain, world, 6 + 120).drain).toMatchObject({
        phase: 'RollingBack',
        outcome: {
          failure: 'FailedToEvictPods',
          message: expect.stringMatching(/put it back on the node, and its budget has no room/),
        },
      });
    });
  });
});

describe('an eviction', () => {
  it('of a pod that is gone counts as made, with or without an answer: its controller will create it again', () => {
    const { world, drain } = begun([webPod('web-1')]);
    world.pods = [];
    expect(step(drain, world, 5).drain.evictions).toMatchObject([{ evictedAt: after(5), goneAt: after(5) }]);
  });

  it('is not made when the driver that has evicted nothing resumes, and much later', () => {
    const { world, drain: asked } = begun([webPod('web-1')]);
    const resumed = (seconds: number) =>
      advanceDrain(asked, world.observe(NO_RESULTS), after(seconds), defaultOptions()).drain.phase;
    expect([200, 400].map(resumed)).toEqual(['Evicting', 'RollingBack']);
    world.pods = world.pods.map((pod) => ({ ...pod, deletedAt: after(1) }));
    expect(resumed(400)).not.toBe('RollingBack');
  });
});

describe('an eviction that is not answered with yes', () => {
  it.each<[string, EvictOutcome | null, number]>([
    ['by a budget', refused(), 10],
    ['by a budget, with a time', refused(25), 25],
    ['by a budget, at once', refused(0), 1],
    ['with an error', { kind: 'failed', code: '500', message: 'several budgets' }, 10],
    ['for too many calls', throttled(), 1],
    ['for too many calls, with a time', throttled(7), 7],
    ['without an answer', null, 4],
  ])('%s is tried again', (_, answer, later) => {
    const { world: here, ...first } = begun([webPod('web-1')]);
    const results = answer === null ? {} : answers({ 'web-1': answer });
    const early = step(first.drain, here, 1, results);
    const late = step(early.drain, here, 1 + later);
    const [before, then] = later <= 1 ? [early, late] : [step(early.drain, here, later), late];
    expect(before.does).toEqual([]);
    expect(then.does).toEqual(['evict web-1']);
    expect(then.drain.evictions[0]!.tries).toBe(2);
  });

  it('waits longer each time that the API server is too busy, up to half a minute', () => {
    const { world: here, ...first } = begun([webPod('web-1')]);
    let { drain } = first;
    const waits: number[] = [];
    let time = 1;
    for (let n = 0; n < 7; n++) {
      ({ drain } = step(drain, here, time, answers({ 'web-1': throttled() })));
      const wait = (drain.evictions[0]!.nextTryAt - after(time)) / 1_000;
      waits.push(wait);
      time += wait;
      ({ drain } = step(drain, here, time));
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 30, 30]);
  });

  describe('of a large pod', () => {
    const SIZES = { large: 3, small: 1 };
    const twoPods = () => oneNodeWorld(Object.entries(SIZES).map(([name, cpu]) => webPod(name, { requests: { cpu } })));
    const after2 = (answer: EvictOutcome | null, small: EvictOutcome = throttled()) => {
      const here = twoPods();
      const first = step(inPhase('Evicting', here), here, 0);
      expect(first.does).toEqual(['evict large', 'evict small']);
      const given = answers({ ...(answer !== null && { large: answer }), small });
      return step(step(first.drain, here, 1, given).drain, here, 3).does;
    };

    it('holds up smaller ones while the API server is too busy for it, or silent', () => {
      expect(after2(throttled(7))).toEqual([]);
      expect(after2(null)).toEqual([]);
    });

    it('holds up none when a budget refuses it, or the API server fails', () => {
      expect(after2(refused())).toEqual(['evict small']);
      expect(after2({ kind: 'failed', code: '500', message: 'several budgets' })).toEqual(['evict small']);
    });
  });

  it('is given up after maxPodEvictionTime, with the refusal', () => {
    const { world: here, ...first } = begun([webPod('web-1')]);
    const late = step(first.drain, here, 119, answers({ 'web-1': refused() }));
    expect(late.drain.phase).toBe('Evicting');
    expect(step(late.drain, here, 120).drain).toMatchObject({
      phase: 'RollingBack',
      outcome: { failure: 'FailedToEvictPods', message: 'not evicted in 2m: budget web needs 2', pod: 'default/web-1' },
    });
  });

  it('has more time where the API server was too busy, and not for ever', () => {
    const { world: here, ...first } = begun([webPod('web-1')]);
    let { drain } = step(first.drain, here, 1, answers({ 'web-1': throttled(60) }));
    ({ drain } = step(drain, here, 130));
    expect(drain.phase).toBe('Evicting');
    for (let time = 131; time < 700 && drain.phase === 'Evicting'; time += 30) {
      ({ drain } = step(drain, here, time, answers({ 'web-1': throttled(60) })));
    }
    expect(drain.outcome).toMatchObject({ failure: 'FailedToEvictPods', message: 'not evicted in 7m11s: busy' });
    expect(drain.phaseSince).toBeLessThanOrEqual(after(120 + 300 + 30));
  });
});

describe('a pod that was evicted', () => {
  it.each([
    [30, 60],
    [0, 30],
    [3_600, 630],
  ])('of %i seconds of grace must be gone after %i', (terminationGracePeriodSeconds, limit) => {
    const { world, ...first } = begun([webPod('web-1', { spec: { terminationGracePeriodSeconds } })]);
    const { drain } = step(first.drain, world, 0, answers({ 'web-1': DONE }));
    expect(step(drain, world, limit - 1).drain.phase).toBe('Evicting');
    expect(step(drain, world, limit).drain.outcome).toMatchObject({
      failure: 'FailedToEvictPods',
      pod: 'default/web-1',
    });
  });

  it('counts as evicted when it is seen to end, though the eviction was not answered', () => {
    const { world, ...first } = begun([webPod('web-1')]);
    world.pods = world.pods.map((pod) => ({ ...pod, deletedAt: after(30) }));
    const { drain, does } = step(first.drain, world, 20);
    expect(does).toEqual([]);
    expect(drain.evictions[0]!.evictedAt).toBe(after(20));
  });

  it('may be protected afterwards: it goes all the same', () => {
    const { world, ...first } = begun([webPod('web-1')]);
    world.pods = [webPod('web-1', { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } })];
    expect(step(first.drain, world, 2, answers({ 'web-1': DONE })).drain.phase).toBe('Evicting');
    expect(step(first.drain, world, 2, answers({ 'web-1': refused() })).drain.outcome).toMatchObject({
      failure: 'NoLongerRemovable',
      pod: 'default/web-1',
    });
  });
});

describe('volumes', () => {
  const drained = () => {
    const { world, ...first } = begun([webPod('db', { spec: { volumes: claimVolumes('data') } })]);
    world.pods = [];
    world.attached = ['pv-1'];
    return { world, drain: step(first.drain, world, 5, answers({ db: DONE })).drain };
  };

  it('are waited for once their pods are gone', () => {
    const { world, drain } = drained();
    expect(drain).toMatchObject({ phase: 'Evicting', waitingFor: 'volume pv-1 is still attached' });
    world.attached = [];
    expect(step(drain, world, 10).does).toEqual(['terminate i-1']);
  });

  it('are waited for two minutes', () => {
    const { world, drain } = drained();
    expect(step(drain, world, 124).drain.phase).toBe('Evicting');
    expect(step(drain, world, 125).drain.phase).toBe('Terminating');
  });

  it('are not waited for on a node whose kubelet says nothing', () => {
    const { world, drain } = drained();
    world.node = { ...world.node!, conditions: [{ type: 'Ready', status: 'Unknown', reason: '', since: null }] };
    expect(step(drain, world, 10).drain.phase).toBe('Terminating');
  });

  it('of DaemonSet pods are not waited for', () => {
    const { world, drain } = drained();
    world.pods = [daemonPod('agent', { spec: { volumes: claimVolumes('cache') } })];
    const withClaims = {
      ...world,
      observe: (results: Parameters<typeof world.observe>[0]) => {
        const observation = world.observe(results);
        const persistentVolumeClaims = [boundClaim('cache', 'pv-1')];
        return { ...observation, cluster: { ...observation.cluster, persistentVolumeClaims } };
      },
    };
    expect(step(drain, withClaims, 10).does).toEqual(['evict agent']);
  });
});
