import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advanceDrain, type PhaseChange } from '../../../core/drain/advance.ts';
import { type DrainEffect, NO_RESULTS } from '../../../core/drain/effects.ts';
import { EXCLUDE_LABEL } from '../../../core/drain/marks.ts';
import { TRANSITIONS } from '../../../core/drain/transitions.ts';
import { type Drain, hasEnded } from '../../../core/model/drain.ts';
import type { Node } from '../../../core/model/node.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import { isDaemon, isFinished, isMirror, type Pod } from '../../../core/model/pod.ts';
import { isBeingRemoved } from '../../../core/model/removal-taints.ts';
import { addTime, durationMs, type EpochMs, seconds } from '../../../core/model/time.ts';
import { aDrain, daemonPod, type Fate, marksOn, oneNodeWorld, type OneNodeWorld, webPod } from './one-node-world.ts';

/** What may happen between two steps, besides what the drain has asked for. */
const DISTURBANCES = {
  nothing: () => {},
  'a pod arrives': (world, n) => world.pods.push(webPod(`late-${n}`)),
  'a DaemonSet pod arrives': (world, n) => world.pods.push(daemonPod(`agent-${n}`)),
  'a pod of nobody arrives': (world, n) => world.pods.push(webPod(`bare-${n}`, { owner: '', controller: null })),
  'a pod is annotated': (world) => {
    world.pods = world.pods.map((pod, i) =>
      i === 0 ? { ...pod, annotations: { ...pod.annotations, 'karpenter.sh/do-not-disrupt': 'true' } } : pod,
    );
  },
  'the node is annotated': (world) => annotate(world, 'cluster-autoscaler.kubernetes.io/scale-down-disabled'),
  'its end is delayed': (world) => annotate(world, DELAY),
  'a pod cannot be read': (world) => {
    world.unreadable = ['Pod default/odd'];
  },
  'all pods can be read': (world) => {
    world.unreadable = [];
  },
  'the cloud is silent': (world) => {
    world.cloudAnswers = false;
  },
  'the cloud answers': (world) => {
    world.cloudAnswers = true;
  },
  'the group is at its minimum': (world) => {
    world.min = world.target;
  },
  'somebody takes the taint off': (world) => {
    world.node = world.node === null ? null : { ...world.node, taints: [] };
  },
  'the node goes': (world) => {
    world.node = null;
  },
  'the machine goes': (world) => {
    world.machine = 'gone';
    world.node = null;
  },
  'the machine ends': (world) => {
    world.machine = world.machine === 'in group' ? 'ending' : world.machine;
  },
  'pods end': (world) => endPods(world),
  'what is late comes true': (world) => world.settle(),
} satisfies Record<string, (world: OneNodeWorld, n: number) => void>;

const annotate = (world: OneNodeWorld, key: string): void => {
  world.node =
    world.node === null ? null : { ...world.node, annotations: { ...world.node.annotations, [key]: 'true' } };
};

const endPods = (world: OneNodeWorld): void => {
  world.pods = world.pods.filter(({ deletedAt }) => deletedAt === null);
};

const rarely = <T>(value: T) => ({ arbitrary: fc.constant(value), weight: 1 });
const fate: fc.Arbitrary<Fate> = fc.oneof(
  { arbitrary: fc.constant<Fate>('done'), weight: 10 },
  rarely<Fate>('lost'),
  rarely<Fate>('silent'),
  rarely<Fate>('late'),
  rarely<Fate>('failed'),
  rarely<Fate>('throttled'),
  rarely<Fate>('refused'),
);

const beat = fc.record({
  disturbance: fc.oneof(
    { arbitrary: fc.constant<keyof typeof DISTURBANCES>('nothing'), weight: 100 },
    { arbitrary: fc.constant<keyof typeof DISTURBANCES>('pods end'), weight: 25 },
    { arbitrary: fc.constantFrom(...(Object.keys(DISTURBANCES) as (keyof typeof DISTURBANCES)[])), weight: 8 },
  ),
  fates: fc.array(fate, { minLength: 1, maxLength: 4 }),
  /** The driver is killed before it makes anything, before it stores the answers, or not at all. */
  killed: fc.oneof({ arbitrary: fc.constant('no'), weight: 12 }, rarely('before effects'), rarely('before answers')),
  delay: fc.oneof({ arbitrary: fc.constant(0), weight: 5 }, fc.nat(150_000)),
});

const pods: fc.Arbitrary<readonly Pod[]> = fc.subarray([
  webPod('web-1'),
  webPod('web-2', { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } }),
  webPod('critical', { spec: { priority: 2_000_000_000 } }),
  webPod('slow', { spec: { terminationGracePeriodSeconds: 3_600 } }),
  webPod('done', { phase: 'Succeeded' }),
  daemonPod('agent'),
  webPod('static', { owner: '', controller: null, annotations: { 'kubernetes.io/config.mirror': 'x' } }),
]);

const options: fc.Arbitrary<Options> = fc
  .record({
    nodeLifecycleTaints: fc.boolean(),
    cordonNodeBeforeTerminating: fc.boolean(),
    daemonsetEvictionForEmptyNodes: fc.boolean(),
    daemonsetEvictionForOccupiedNodes: fc.boolean(),
    drainPriorityConfig: fc.constantFrom(
      [],
      [
        { priority: 0, graceSeconds: 20 },
        { priority: 1_000, graceSeconds: 90 },
      ],
    ),
  })
  .map((given) => ({ ...defaultOptions(), ...given }));

const DELAY = 'delay-deletion.cluster-autoscaler.kubernetes.io/backup';

const before: fc.Arbitrary<Partial<Node>> = fc
  .record({ unschedulable: fc.boolean(), excluded: fc.boolean(), delayed: fc.boolean() })
  .map(({ unschedulable, excluded, delayed }) => ({
    unschedulable,
    labels: excluded ? { [EXCLUDE_LABEL]: 'by-hand' } : {},
    annotations: delayed ? { [DELAY]: 'yes' } : {},
  }));

/** Pods that must not be lost with their machine, by another way of counting than the drain's own. */
const mustMove = (found: readonly Pod[], now: EpochMs): readonly Pod[] =>
  found.filter(
    (pod) =>
      !isDaemon(pod) &&
      !isMirror(pod) &&
      !isFinished(pod) &&
      (pod.deletedAt === null || now <= pod.deletedAt + (pod.spec.terminationGracePeriodSeconds + 30) * 1_000),
  );

const clean = (found: Node, given: Partial<Node>): readonly string[] =>
  marksOn(found).filter(
    (mark) =>
      !(mark === 'cordon' && given.unschedulable === true) && !(mark === 'label' && EXCLUDE_LABEL in given.labels!),
  );

const seen = new Map<string, number>();
const note = ({ from, to }: PhaseChange): void => {
  seen.set(`${from} → ${to}`, (seen.get(`${from} → ${to}`) ?? 0) + 1);
};

/** Benign worlds let a drain end in far fewer steps than this. */
const ENOUGH = 600;

describe('a drain, whatever happens to it', () => {
  it('ends nothing that is in use, leaves nothing behind, and comes to an end', () => {
    fc.assert(
      fc.property(
        pods,
        fc.array(beat, { maxLength: 60, size: 'max' }),
        options,
        before,
        fc.constantFrom<Drain['kind']>('empty', 'drain'),
        fc.oneof({ arbitrary: fc.constant(false), weight: 9 }, fc.boolean()),
        (onNode, beats, given, node, kind, lies) => {
          const world = oneNodeWorld(onNode, node);
          world.lies = lies;
          let drain = aDrain(kind);
          let now = drain.createdAt;
          let results = NO_RESULTS;
          const taintAsked: EpochMs[] = [];

          for (let n = 0; n < beats.length + ENOUGH && !hasEnded(drain); n++) {
            const { disturbance, fates, killed, delay } = beats[n] ?? {
              disturbance: 'pods end' as const,
              fates: ['done' as const],
              killed: 'no',
              delay: 0,
            };
            now = addTime(drain.nextAt, durationMs(delay));
            if (n >= beats.length) {
              world.cloudAnswers = true;
              world.unreadable = [];
            }
            // Drivers give up an answer after 40 seconds; so old a change has come true, or never will.
            if (now - (taintAsked.at(-1) ?? now) > 40_000 || n >= beats.length + 5) {
              world.settle();
            }
            DISTURBANCES[disturbance](world, n);

            const observation = world.observe(results);
            const advanced = advanceDrain(drain, observation, now, given);
            const { cluster } = observation;
            const shuffled = {
              ...observation,
              cluster: { ...cluster, pods: cluster.pods.toReversed(), controllers: cluster.controllers.toReversed() },
            };
            expect(advanceDrain(drain, observation, now, given)).toEqual(advanced);
            expect(advanceDrain(drain, shuffled, now, given).drain.phase).toBe(advanced.drain.phase);
            advanced.changes.forEach(note);

            for (const effect of advanced.effects) {
              if (effect.kind === 'terminate') {
                expect(mustMove(world.pods, now)).toEqual([]);
                expect(world.unreadable).toEqual([]);
                expect(world.target).toBeGreaterThan(world.min);
              }
              if (effect.kind === 'evict' || effect.kind === 'terminate') {
                expect(world.node).toSatisfy(isBeingRemoved);
              }
              if (effect.kind === 'changeNode') {
                taintAsked.push(now);
              }
            }
            expect(hasEnded(advanced.drain) || advanced.drain.nextAt >= now + seconds(1)).toBe(true);
            expect(advanced.effects.filter(({ kind }) => kind === 'terminate').length).toBeLessThanOrEqual(1);

            drain = advanced.drain;
            if (killed === 'before effects') {
              results = NO_RESULTS;
            } else {
              let turn = 0;
              const fateOf = (_: DrainEffect): Fate => fates[turn++ % fates.length]!;
              const made = world.perform(advanced.effects, fateOf, now);
              results = killed === 'before answers' ? NO_RESULTS : made;
            }
          }

          expect(hasEnded(drain)).toBe(true);
          world.settle();
          expect(lies || world.ended() <= 1).toBe(true);
          if (drain.phase === 'Removed') {
            expect(drain.outcome?.kind).toBe('removed');
            expect(lies || world.machine !== 'in group').toBe(true);
          } else {
            expect(drain.outcome?.kind).toBe('rolledBack');
            expect(lies || world.ended() === 0).toBe(true);
            if (world.node !== null && world.machine !== 'ending') {
              expect(clean(world.node, node)).toEqual([]);
              expect(world.node.unschedulable).toBe(node.unschedulable);
            }
          }
        },
      ),
      { numRuns: 3_000 },
    );
  });

  it('goes every way that there is, and no other', () => {
    expect([...seen.keys()].toSorted()).toEqual(TRANSITIONS.map(({ from, to }) => `${from} → ${to}`).toSorted());
  });
});
