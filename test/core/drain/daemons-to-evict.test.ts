import { expect, test } from 'vitest';
import { daemonsToEvict } from '../../../core/drain/daemons-to-evict.ts';
import { withRequest, newEviction } from '../../../core/drain/evictions.ts';
import type { Drain, Eviction } from '../../../core/model/drain.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { PodOptions } from '../../builders.ts';
import { after, daemonPod, webPod } from './one-node-world.ts';

const OPTIONS: Options = defaultOptions();
const OCCUPIED: Partial<Options> = { daemonsetEvictionForOccupiedNodes: true, daemonsetEvictionForEmptyNodes: false };
const EMPTY: Partial<Options> = { daemonsetEvictionForOccupiedNodes: false, daemonsetEvictionForEmptyNodes: true };
const says = (value: string): PodOptions => ({
  annotations: { 'cluster-autoscaler.kubernetes.io/enable-ds-eviction': value },
});
const tolerations = [{ key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }];
const agent = (extra: PodOptions = {}): Pod =>
  daemonPod('agent', { spec: { terminationGracePeriodSeconds: 30 }, ...extra });
const likeOne = webPod('like-one', {
  controller: null,
  annotations: { 'cluster-autoscaler.kubernetes.io/daemonset-pod': 'true' },
});

/** An eviction that was asked for at first, ten seconds before it is given up. */
const eviction = (pod: Pod, extra: Partial<Eviction> = {}): Eviction => ({
  ...withRequest(newEviction(pod, { now: after(0), options: OPTIONS } as Parameters<typeof newEviction>[1]), after(0)),
  ...extra,
});

interface Given {
  readonly pod?: Pod;
  readonly kind?: Drain['kind'];
  readonly options?: Partial<Options>;
  readonly known?: readonly Eviction[];
  /** In seconds. */
  readonly time?: number;
}

test.each<readonly [what: string, given: Given, goes: boolean]>([
  ['of a node that is drained', { options: OCCUPIED }, true],
  ['of a node that is drained, by the option', { options: EMPTY }, false],
  ['of an empty node', { kind: 'empty', options: EMPTY }, true],
  ['of an empty node, by the option', { kind: 'empty', options: OCCUPIED }, false],
  ['that requests it itself', { pod: agent(says('true')), options: EMPTY }, true],
  ['that does not want it itself', { pod: agent(says('false')), options: OCCUPIED }, false],
  ['that says neither', { pod: agent(says('yes')), options: OCCUPIED }, true],
  ['that tolerates a taint', { pod: agent({ spec: { tolerations } }) }, true],
  ['that stays to the end', { pod: agent({ spec: { tolerations } }), options: { nodeLifecycleTaints: true } }, false],
  ['that goes by itself', { pod: agent({ deletedAt: after(0) }) }, false],
  ['of no controller', { pod: likeOne }, true],
  ['of no controller, like one that went', { pod: likeOne, known: [eviction({ ...likeOne, uid: 'u' })] }, true],
  ['beside one of another DaemonSet', { known: [eviction(daemonPod('x', { owner: 'DaemonSet/other' }))] }, true],
  ['in place of one that was asked', { known: [eviction(daemonPod('before'))] }, false],
  ['that was asked and not answered', { known: [eviction(agent())], time: 9.999 }, true],
  ['that was asked for too long', { known: [eviction(agent())], time: 10 }, false],
  ['that ends', { known: [eviction(agent(), { evictedAt: after(5) })], time: 34.999 }, true],
  ['that ends for too long', { known: [eviction(agent(), { evictedAt: after(5) })], time: 35 }, false],
  [
    'that ends and shows it',
    { pod: agent({ deletedAt: after(5) }), known: [eviction(agent(), { evictedAt: after(5) })], time: 20 },
    true,
  ],
])('a DaemonSet pod %s is still to go, or not', (_, given, goes) => {
  const { pod = agent(), kind = 'drain', known = [], time = 0 } = given;
  const options = { ...OPTIONS, ...OCCUPIED, ...given.options };
  const facts = { now: after(time), options, daemons: [pod] };
  expect(daemonsToEvict({ kind }, facts, new Map(known.map((one) => [one.uid, one])))).toEqual(goes ? [pod] : []);
});
