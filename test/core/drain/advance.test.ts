import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { advanceDrain, type PhaseChange } from '../../../core/drain/advance.ts';
import { NO_RESULTS } from '../../../core/drain/effects.ts';
import { EXCLUDE_LABEL } from '../../../core/drain/removal-markers.ts';
import { TRANSITIONS } from '../../../core/drain/transitions.ts';
import { type Drain, hasEnded } from '../../../core/model/drain.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import { isDaemon, isFinished, isMirror, type Pod } from '../../../core/model/cluster/pod.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import { addTime, durationMs, type EpochMs, seconds } from '../../../core/model/values/time.ts';
import { aDrain, daemonPod, type Fate, marksOn, oneNodeWorld, type OneNodeWorld, webPod } from './one-node-world.ts';

/** Events that may happen between two steps, besides what the drain has asked for. */
const DISTURBANCES = {
  nothing: () => {},
  'a pod arrives': (world, n) => world.pods.push(webPod(`late-${n}`)),
  'a DaemonSet pod arrives': (world, n) => world.pods.push(daemonPod(`agent-${n}`)),
  'a pod without a controller arrives': (world, n) =>
    world.pods.push(webPod(`bare-${n}`, { owner: '', controller: null })),
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
  'the taint is removed': (world) => {
    world.node = world.node === null ? null : { ...world.node, taints: [] };
  },
  'the node goes': (world) => {
    world.node = null;
  },
  'the instance goes': (world) => {
    world.instance = 'gone';
    world.node = null;
  },
  'the instance ends': (world) => {
    world.instance = world.instance === 'in group' ? 'ending' : world.instance;
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

interface Beat {
  readonly disturbance: keyof typeof DISTURBANCES;
  readonly fates: readonly Fate[];
  /** The driver is killed before it makes anything, before it stores the answers, or not at all. */
  readonly killed: 'no' | 'before effects' | 'before answers';
  readonly delay: number;
}

const beat: fc.Arbitrary<Beat> = fc.record({
  disturbance: fc.oneof(
    { arbitrary: fc.constant<keyof typeof DISTURBANCES>('nothing'), weight: 100 },
    { arbitrary: fc.constant<keyof typeof DISTURBANCES>('pods end'), weight: 25 },
    { arbitrary: fc.constantFrom(...(Object.keys(DISTURBANCES) as (keyof typeof DISTURBANCES)[])), weight: 8 },
  ),
  fates: fc.array(fate, { minLength: 1, maxLength: 4 }),
  killed: fc.oneof(
    { arbitrary: fc.constant<Beat['killed']>('no'), weight: 12 },
    rarely<Beat['killed']>('before effects'),
    rarely<Beat['killed']>('before answers'),
  ),
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

/** Pods that must not be lost with their instance, by another way of counting than the drain's own. */
const mustMove = (found: readonly Pod[], now: EpochMs): boolean =>
  found.some(
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
/** Drivers give up an answer after so long, in milliseconds: older changes have come true, or never will. */
const ANSWERED = 40_000;

interface Story {
  readonly onNode: readonly Pod[];
  readonly beats: readonly Beat[];
  readonly options: Options;
  readonly node: Partial<Node>;
  readonly kind: Drain['kind'];
  readonly lies: boolean;
}

const BENIGN: Beat = { disturbance: 'pods end', fates: ['done'], killed: 'no', delay: 0 };

/** Plays a story to its end, and says which laws were broken. */
function broken({ onNode, beats, options, node, kind, lies }: Story): readonly string[] {
  const complaints = new Set<string>();
  const law = (holds: boolean, text: string): void => void (holds || complaints.add(text));
  const world = oneNodeWorld(onNode, node);
  world.lies = lies;
  let drain = aDrain(kind);
  let now = drain.createdAt;
  let results = NO_RESULTS;
  let changedAt = now;

  for (let n = 0; n < beats.length + ENOUGH && !hasEnded(drain); n++) {
    const { disturbance, fates, killed, delay } = beats[n] ?? BENIGN;
    now = addTime(drain.nextAt, durationMs(delay));
    if (n >= beats.length) {
      world.cloudAnswers = true;
      world.unreadable = [];
    }
    if (now - changedAt > ANSWERED) {
      world.settle();
    }
    DISTURBANCES[disturbance](world, n);

    const observation = world.observe(results);
    const advanced = advanceDrain(drain, observation, now, options);
    const { cluster } = observation;
    const shuffled = { ...cluster, pods: cluster.pods.toReversed(), controllers: cluster.controllers.toReversed() };
    const again = advanceDrain(drain, { ...observation, cluster: shuffled }, now, options);
    law(isDeepStrictEqual(again, advanced), 'the same facts, in any order, give the same step');
    advanced.changes.forEach(note);

    for (const { kind: effect } of advanced.effects) {
      if (effect === 'changeNode') {
        changedAt = now;
      }
      if (effect === 'terminate') {
        law(!mustMove(world.pods, now), 'no instance is ended under a pod that must move');
        law(world.unreadable.length === 0, 'no instance is ended under a pod that cannot be read');
        law(world.target > world.min, 'no instance of a group at its minimum is ended');
      }
      if (effect === 'evict' || effect === 'terminate') {
        law(world.node !== null && isBeingRemoved(world.node), 'nothing is done to a node without the taint');
      }
    }
    law(advanced.effects.filter((effect) => effect.kind === 'terminate').length <= 1, 'one end is asked for at a time');
    law(hasEnded(advanced.drain) || advanced.drain.nextAt >= now + seconds(1), 'there is a second between steps');

    drain = advanced.drain;
    results = NO_RESULTS;
    if (killed !== 'before effects') {
      let turn = 0;
      const made = world.perform(advanced.effects, () => fates[turn++ % fates.length]!, now);
      results = killed === 'before answers' ? NO_RESULTS : made;
    }
  }

  world.settle();
  law(hasEnded(drain), 'it comes to an end');
  law(drain.outcome?.kind === (drain.phase === 'Removed' ? 'removed' : 'rolledBack'), 'it ends as it says');
  if (!lies) {
    law(world.ended() <= 1, 'no instance is ended twice');
    law(world.instance !== 'in group' || drain.phase !== 'Removed', 'an instance that was removed is ended');
    law(world.ended() === 0 || drain.phase === 'Removed', 'an instance that was ended is removed');
  }
  if (drain.phase === 'RolledBack' && world.node !== null && world.instance !== 'ending') {
    law(clean(world.node, node).length === 0, 'a node that stays bears no marks');
    law(world.node.unschedulable === node.unschedulable, 'a node that stays is as open as it was');
  }
  return [...complaints];
}

const story: fc.Arbitrary<Story> = fc.record({
  onNode: pods,
  beats: fc.array(beat, { maxLength: 60, size: 'max' }),
  options,
  node: before,
  kind: fc.constantFrom<Drain['kind']>('empty', 'drain'),
  lies: fc.oneof({ arbitrary: fc.constant(false), weight: 9 }, rarely(true)),
});

/** Transitions where the cloud ends the instance (deadline.test.ts). */
const FOR_NOTICES = new Set(['Terminating → Evicting', 'Evicting → Tainting', 'Terminating → Tainting']);

describe('a drain, whatever happens to it', () => {
  it('ends nothing that is in use, leaves nothing behind, and comes to an end', () => {
    fc.assert(
      fc.property(story, (one) => {
        expect(broken(one)).toEqual([]);
      }),
      { numRuns: 3_000 },
    );
  });

  it('goes every way that there is without a notice, and no other', () => {
    fc.sample(story, { numRuns: 3_000, seed: 1 }).forEach(broken);
    const ways = TRANSITIONS.map(({ from, to }) => `${from} → ${to}`).filter((way) => !FOR_NOTICES.has(way));
    expect([...seen.keys()].toSorted()).toEqual(ways.toSorted());
  });
});
