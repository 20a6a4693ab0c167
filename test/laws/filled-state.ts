import type { Drain } from '../../core/model/drain.ts';
import { evictedPod } from '../../core/drain/evicted-pod.ts';
import { keyOf, type Pod } from '../../core/model/cluster/pod.ts';
import { removalTaint } from '../../core/model/cluster/removal-taints.ts';
import type { Options } from '../../core/model/options.ts';
import { nameOfPause, type Pause } from '../../core/model/pause.ts';
import type { State } from '../../core/model/state.ts';
import { AUTO } from '../../core/model/unneeded-time.ts';
import { groupName, instanceId, nodeName } from '../../core/model/values/names.ts';
import { addTime, durationMs, epochMs, minutes, seconds } from '../../core/model/values/time.ts';
import { clusterSnapshot } from '../../core/scheduling/cluster-snapshot.ts';
import { clusterObjects, pod } from '../builders.ts';
import { ago, replica, WEB as REPLICA_SET, workerNode } from '../core/scaledown/cluster.ts';
import { drainOf } from '../providers/drain-store.contract.ts';
import { group, NOW, running } from '../scenario-builders.ts';

/** Fills more than three quarters of a node, which is above the threshold of utilization. */
const LARGE = { requests: { cpu: '3100m', memory: '3Gi' } };
/** Label of the nodes of `drifting` and `spare` alone. */
const REPLACED = { labels: { pool: 'replaced' } };
const id = instanceId;
const named = groupName;

export const OPTIONS: Partial<Options> = {
  scaleDownUnneededTime: AUTO,
  driftReplacement: 'replace',
  // Neither evaluation is to remove a node.
  scaleDownDelayAfterAdd: minutes(30),
};

const evicted = replica('moved', 'leaving', { requests: { cpu: '100m', memory: '64Mi' } });

const drain: Drain = drainOf('leaving', {
  id: '3-web-down/leaving',
  nodeUid: 'uid-leaving',
  group: named('web'),
  instance: id('i-web-1'),
  phase: 'Evicting',
  createdAt: ago(2),
  phaseSince: ago(1),
  evictions: [
    {
      pod: keyOf(evicted),
      uid: evicted.uid,
      manifest: evictedPod(evicted).manifest,
      graceSeconds: 30,
      firstTriedAt: ago(1),
      giveUpAt: addTime(NOW, minutes(2)),
      evictedAt: ago(1),
      goneAt: null,
      tries: 1,
      throttles: 0,
      nextTryAt: NOW,
      refusal: null,
    },
  ],
});

/** A pod for one of the two nodes that `late` lacks. */
const waiting = pod('waits', {
  owner: 'ReplicaSet/web',
  createdAt: ago(12),
  unscheduled: { reason: 'Unschedulable', since: ago(12) },
  spec: { nodeSelector: { pool: 'late' } },
});

const onOld = replica('on-old', 'old', { ...LARGE, spec: { nodeSelector: { pool: 'replaced' } } });

const PAUSED: Pause = {
  part: 'ScaleUp',
  group: named('failing'),
  until: null,
  cancelDrains: false,
  source: 'NodeGroup',
};

/** A cluster in which each field of a state has something to speak of, and the drain that is under way in it. */
export const CLUSTER = {
  groups: [
    group('web', { nodes: ['busy', 'leaving', 'idle', 'kept'] }),
    group('late', {
      target: 2,
      labels: { pool: 'late' },
      instances: [running('i-late-0', null), running('i-late-1', null)],
    }),
    { ...group('failing', { launchFailures: [launchFailure('failing')] }), pause: PAUSED },
    group('short', { nodes: ['alone'], target: 3 }),
    group('drifting', {
      ...REPLACED,
      nodes: ['old'],
      instances: [{ ...running('i-old', 'old'), drifted: 'launch template version 1, not 2' }],
    }),
    group('spare', { ...REPLACED, target: 1, instances: [running('i-spare', null)] }),
  ],
  objects: clusterObjects({
    nodes: [
      workerNode('busy'),
      workerNode('leaving', { taints: [removalTaint({ nodeLifecycleTaints: false }, ago(2))] }),
      workerNode('idle'),
      workerNode('kept'),
      workerNode('alone'),
      workerNode('old', REPLACED),
    ],
    pods: [replica('large', 'busy', LARGE), replica('also-large', 'alone', LARGE), onOld, evicted, waiting],
    controllers: [REPLICA_SET],
  }),
  drain,
};

function launchFailure(of: string) {
  return {
    id: id(`failure-${of}`),
    zone: null,
    class: 'OutOfResources' as const,
    code: 'InsufficientInstanceCapacity',
    message: 'none left',
  };
}

const snapshot = clusterSnapshot(CLUSTER.objects, []);
const placeOf = (of: Pod) => ({ kind: snapshot.kinds.fingerprint(snapshot.kindOf(of)), count: 1 });

/** Every field of a state, with something in it: a field that is added to `State` has to be added here. */
export const FILLED: { readonly [Field in keyof State]-?: NonNullable<State[Field]> } = {
  unneededSince: { [nodeName('idle')]: ago(2 / 3) },
  unregisteredSince: { [id('i-late-0')]: ago(3), [id('i-late-1')]: ago(2), [id('i-spare')]: ago(1) },
  backoff: {
    [named('failing')]: {
      until: addTime(NOW, minutes(4)),
      duration: minutes(5),
      lastFailure: ago(1),
      class: 'OutOfResources',
    },
  },
  scaleUpRequests: [
    { group: named('late'), increase: 2, time: ago(4), expectedAddTime: addTime(NOW, minutes(11)) },
    { group: named('spare'), increase: 1, time: ago(1), expectedAddTime: addTime(NOW, minutes(14)) },
  ],
  deletionsInProgress: [{ node: nodeName('leaving'), group: named('web'), kind: 'drain', since: ago(2) }],
  scaleDownRequests: [
    { group: named('web'), node: nodeName('leaving'), time: ago(2), expectedDeleteTime: addTime(NOW, minutes(3)) },
  ],
  disruptions: [
    {
      nodes: [nodeName('old')],
      reason: 'Drifted',
      replacement: named('spare'),
      maxCost: 1,
      basis: 'size',
      saving: 0,
      moves: 1,
      since: ago(1),
      deadline: addTime(NOW, minutes(9)),
    },
  ],
  monthCosts: [
    {
      month: epochMs(Date.UTC(2025, 11, 1)),
      usd: 1_207.418_3,
      hours: 743.25,
      unpricedHours: 3.5,
      at: epochMs(Date.UTC(2026, 0, 1)),
      usdPerHour: 1.683_2,
      unpriced: 1,
    },
    {
      month: epochMs(Date.UTC(2026, 0, 1)),
      usd: 13.002_11,
      hours: 8.016_7,
      unpricedHours: 4.25,
      at: epochMs(Date.UTC(2026, 0, 1, 8, 1)),
      usdPerHour: 0,
      unpriced: 9,
    },
  ],
  unneededTimes: [
    {
      group: named('web'),
      time: durationMs(73_000),
      boot: durationMs(41_000),
      removals: 3,
      relaunched: 1,
      watched: [{ node: nodeName('gone'), at: ago(1 / 3) }],
    },
  ],
  consolidationMoves: [{ controller: 'ReplicaSet default/api', first: ago(50), last: ago(45), pods: 2 }],
  unremovableUntil: { [nodeName('kept')]: addTime(NOW, minutes(2)) },
  recentEvictions: drain.evictions.map(({ manifest }) => manifest),
  reservations: {
    [named('late')]: [{ ...placeOf(waiting), existing: 0 }],
    [named('spare')]: [{ ...placeOf(onOld), existing: 0 }],
    [named('web')]: [{ ...placeOf(evicted), existing: 0 }],
  },
  reservedPacking: { [named('late')]: { nodes: [[placeOf(waiting)]] } },
  lastEvaluation: ago(2),
  lastScaleUpEvaluation: ago(2),
  lastNotification: ago(2),
  deferredPods: ['default/waits'],
  pausedSince: ago(90),
  pausesInForce: [nameOfPause(PAUSED)],
  problems: [{ kind: 'LongPendingPods', since: ago(12), about: 'default/waits', pods: 1 }],
  incorrectSize: { [named('short')]: { current: 1, expected: 3, firstObserved: ago(1 / 2) } },
  seenSizes: Object.fromEntries(CLUSTER.groups.map(({ name, targetSize }) => [name, targetSize])),
  seenErrors: { [named('failing')]: [id('failure-failing')] },
  shortages: [{ type: 'm5.xlarge', zone: 'us-east-1a', capacityType: 'spot', until: addTime(NOW, minutes(2)) }],
  repairBackoff: { [named('short')]: addTime(NOW, seconds(30)) },
  lastScaleUp: ago(4),
  lastScaleDownDelete: ago(2),
  lastScaleDownFailure: ago(35),
  groups: {
    [named('late')]: { lastScaleUp: ago(4), lastScaleDownDelete: ago(25), lastScaleDownFailure: ago(35) },
    [named('web')]: { lastScaleUp: null, lastScaleDownDelete: ago(2), lastScaleDownFailure: null },
  },
};
