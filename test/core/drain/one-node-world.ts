import { advanceDrain } from '../../../core/drain/advance.ts';
import { type DrainEffect, type EffectResults, NO_RESULTS } from '../../../core/drain/effects.ts';
import {
  CORDONED_ANNOTATION,
  EXCLUDE_LABEL,
  putMarkersOn,
  REMOVAL_ANNOTATION,
} from '../../../core/drain/removal-markers.ts';
import { newDrain } from '../../../core/drain/new-drain.ts';
import type { DrainObservation } from '../../../core/drain/observation.ts';
import type { Drain, DrainPhase } from '../../../core/model/drain.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import { changedNode, type NodeChange } from '../../../core/model/cluster/node-change.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { EvictOutcome, TerminateOutcome, WriteOutcome } from '../../../core/model/answers.ts';
import type { InstanceView } from '../../../core/model/node-group.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import { defaultOptions, type Options } from '../../../core/model/options.ts';
import { addTime, type EpochMs, seconds } from '../../../core/model/values/time.ts';
import type { Controller, PodDisruptionBudget } from '../../../core/model/cluster/workloads.ts';
import { budget, clusterObjects, controller, node, pod } from '../../builders.ts';
import { NOW } from '../../scenario-builders.ts';

export const GROUP = groupName('web');
export const NODE = nodeName('n1');
export const INSTANCE = instanceId('i-1');

export const aDrain = (kind: Drain['kind'] = 'drain', extra: Partial<Drain> = {}): Drain => ({
  ...newDrain({ id: '7-web', group: GROUP }, { node: NODE, uid: 'uid-n1', instance: INSTANCE, kind }, NOW),
  ...extra,
});

export const REPLICA_SET: Controller = controller('ReplicaSet/web', { replicas: 3 });
export const DAEMON_SET: Controller = { ...REPLICA_SET, kind: 'DaemonSet', name: 'agent', uid: 'uid-DaemonSet/agent' };
const STATEFUL_SET: Controller = { ...REPLICA_SET, kind: 'StatefulSet', name: 'db', uid: 'uid-StatefulSet/db' };

/** A budget over the pods of `app: web` that is used up. */
export const NO_ROOM = budget({ disruptionsAllowed: 0, currentHealthy: 2 });

/** A pod of the ReplicaSet, on the node. */
export const webPod = (name: string, extra: Parameters<typeof pod>[1] = {}): Pod =>
  pod(name, { node: NODE, owner: 'ReplicaSet/web', ...extra });
export const daemonPod = (name: string, extra: Parameters<typeof pod>[1] = {}): Pod =>
  pod(name, { node: NODE, owner: 'DaemonSet/agent', ...extra });

/** Outcome of an effect: `silent` and `late` ones come true without an answer, `lost` ones do not. */
export type Fate = 'done' | 'lost' | 'silent' | 'late' | 'failed' | 'throttled' | 'refused';

/** A node and its instance, which answer a drain's requests as told by the test. */
export interface OneNodeWorld {
  node: Node | null;
  pods: Pod[];
  instance: InstanceView['state'];
  min: number;
  target: number;
  /** How many of the target's instances are not there. */
  missing: number;
  budgets: PodDisruptionBudget[];
  attached: string[];
  unreadable: string[];
  cloudAnswers: boolean;
  /** A cloud that agrees to end instances, and does not. */
  lies: boolean;
  /** How often an instance's end was agreed to. */
  readonly ended: () => number;
  readonly observe: (results: EffectResults) => DrainObservation;
  readonly perform: (
    effects: readonly DrainEffect[],
    fate: (effect: DrainEffect) => Fate,
    now: EpochMs,
  ) => EffectResults;
  /** Lets come true what is still on its way. */
  readonly settle: () => void;
}

export function oneNodeWorld(pods: readonly Pod[] = [], extra: Partial<Node> = {}): OneNodeWorld {
  let version = 0;
  let ended = 0;
  let late: (() => void)[] = [];

  const change = (wanted: NodeChange): void => {
    version += 1;
    world.node = world.node === null ? null : changedNode(world.node, wanted);
  };
  const end = (): TerminateOutcome => {
    if (world.instance !== 'in group') {
      return { kind: 'gone' };
    }
    ended += 1;
    world.target -= 1;
    world.instance = world.lies ? 'in group' : 'ending';
    return { kind: 'terminated' };
  };
  const evict = (uid: string, now: EpochMs): EvictOutcome => {
    const found = world.pods.find((one) => one.uid === uid);
    world.pods = world.pods.map((one) => (one === found ? { ...one, deletedAt: one.deletedAt ?? now } : one));
    return { kind: found === undefined ? 'gone' : 'done' };
  };

  const world: OneNodeWorld = {
    node: node(NODE, {}, extra),
    pods: [...pods],
    instance: 'in group',
    min: 0,
    target: 3,
    missing: 0,
    budgets: [],
    attached: [],
    unreadable: [],
    cloudAnswers: true,
    lies: false,
    ended: () => ended,
    observe: (results) => ({
      cluster: clusterObjects({
        nodes: world.node === null ? [] : [world.node],
        pods: world.node === null ? [] : world.pods,
        controllers: [REPLICA_SET, STATEFUL_SET, DAEMON_SET],
        podDisruptionBudgets: world.budgets,
      }),
      attached: world.attached,
      unreadable: world.unreadable,
      instance: world.cloudAnswers
        ? {
            state: world.instance,
            size: { min: world.min, max: 10, target: world.target, held: world.target - world.missing },
          }
        : null,
      results,
    }),
    perform: (effects, fateOf, now) => {
      const evictions: Record<string, EvictOutcome> = {};
      let changeNode: WriteOutcome | null = null;
      let terminate: TerminateOutcome | null = null;
      for (const effect of effects) {
        const fate = fateOf(effect);
        const comesTrue = fate === 'done' || fate === 'silent';
        const answered = fate === 'done';
        if (effect.kind === 'changeNode') {
          const seen = version;
          if (comesTrue) {
            change(effect.change);
          } else if (fate === 'late') {
            // A write that was made from an older version is refused.
            late.push(() => (version === seen ? change(effect.change) : undefined));
          }
          changeNode = answered ? { kind: world.node === null ? 'gone' : 'done' } : failure(fate);
        } else if (effect.kind === 'evict') {
          const outcome = comesTrue ? evict(effect.pod.uid, now) : null;
          const answer = answered ? outcome : evictionFailure(fate);
          if (answer !== null) {
            evictions[effect.pod.uid] = answer;
          }
        } else if (effect.kind === 'terminate') {
          const outcome = comesTrue ? end() : null;
          if (fate === 'late') {
            late.push(() => void end());
          }
          terminate = answered ? outcome : terminateFailure(fate);
        }
      }
      return { changeNode, evictions, terminate };
    },
    settle: () => {
      const due = late;
      late = [];
      due.forEach((one) => one());
    },
  };
  return world;
}

const MESSAGE = 'not now';

const failure = (fate: Fate): WriteOutcome | null =>
  fate === 'failed' || fate === 'refused' || fate === 'throttled'
    ? { kind: 'failed', code: '500', message: MESSAGE }
    : null;

function evictionFailure(fate: Fate): EvictOutcome | null {
  switch (fate) {
    case 'refused':
      return { kind: 'refused', message: MESSAGE, retryAfterSeconds: null };
    case 'throttled':
      return { kind: 'throttled', message: MESSAGE, retryAfterSeconds: 3 };
    case 'failed':
      return { kind: 'failed', code: '500', message: MESSAGE };
    case 'done':
    case 'lost':
    case 'silent':
    case 'late':
      return null;
  }
}

const terminateFailure = (fate: Fate): TerminateOutcome | null =>
  fate === 'failed'
    ? { kind: 'failed', class: 'Other', code: 'InternalFailure', message: MESSAGE }
    : fate === 'refused'
      ? { kind: 'failed', class: 'Authorization', code: 'AccessDenied', message: MESSAGE }
      : fate === 'throttled'
        ? { kind: 'failed', class: 'Throttled', code: 'Throttling', message: MESSAGE }
        : null;

/** Marks that a drain has left on a node. */
export const marksOn = (found: Node): readonly string[] => [
  ...(isBeingRemoved(found) ? ['taint'] : []),
  ...(found.unschedulable ? ['cordon'] : []),
  ...(EXCLUDE_LABEL in found.labels ? ['label'] : []),
  ...[REMOVAL_ANNOTATION, CORDONED_ANNOTATION].filter((key) => key in found.annotations),
];

/** A drain in this phase since now; the node bears the marks already, and its instance is in the group. */
export function inPhase(
  phase: DrainPhase,
  world: OneNodeWorld,
  extra: Partial<Drain> = {},
  options = defaultOptions(),
): Drain {
  const drain = aDrain('drain', { phase, ...extra });
  world.perform([putMarkersOn(world.node!, drain, options)], () => 'done', NOW);
  return drain;
}

/** This many seconds after now. */
export const after = (time: number): EpochMs => addTime(NOW, seconds(time));

/** Takes one step, and tells its effects in words: `evict default/web-1 (30)`. */
export function step(
  drain: Drain,
  world: OneNodeWorld,
  at: number,
  results: Partial<EffectResults> = {},
  options: Partial<Options> = {},
): {
  readonly drain: Drain;
  readonly does: readonly string[];
  readonly effects: readonly DrainEffect[];
  readonly waits: number;
} {
  const now = after(at);
  const observation = world.observe({ ...NO_RESULTS, ...results });
  // Steps that are late are another matter.
  const onTime = { ...drain, nextAt: now };
  const advanced = advanceDrain(onTime, observation, now, { ...defaultOptions(), ...options });
  return {
    drain: advanced.drain,
    does: advanced.effects.flatMap(describeEffect),
    effects: advanced.effects,
    waits: (advanced.drain.nextAt - now) / 1_000,
  };
}

function describeEffect(effect: DrainEffect): readonly string[] {
  switch (effect.kind) {
    case 'evict':
      return [`evict ${effect.pod.name}${effect.graceSeconds === null ? '' : ` (${effect.graceSeconds})`}`];
    case 'terminate':
      return [`terminate ${effect.instance}${effect.decrement ? '' : ', to be replaced'}`];
    case 'completeHook':
    case 'heartbeat':
      return [`${effect.kind} ${effect.hook.name} of ${effect.instance}`];
    case 'changeNode':
      return [effect.change.addTaints.length > 0 ? 'put marks on' : 'take marks off'];
    case 'recordEvent':
      return [];
  }
}
