import { defaultOptions, type Options } from '../../../core/model/options.ts';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import { addTime, durationMs, type EpochMs, epochMs } from '../../../core/model/values/time.ts';
import type { Controller, ControllerKind, PodDisruptionBudget } from '../../../core/model/cluster/workloads.ts';
import { createPdbTracker } from '../../../core/scaledown/pdb-tracker.ts';
import { listedController } from '../../../core/model/cluster/controller-lists.ts';
import type { DrainContext, Drainability, DrainRule } from '../../../core/scaledown/drainability/rule.ts';
import { pod, type PodOptions } from '../../builders.ts';

export const NOW = epochMs(Date.parse('2026-01-01T12:00:00Z'));

/** This many seconds before (or, negative, after) `NOW`. */
export const ago = (seconds: number): EpochMs => addTime(NOW, durationMs(-seconds * 1_000));

/** A controller in namespace `default`, with the uid that the builder of pods gives to its owner. */
export const controller = (kind: ControllerKind, name: string, replicas: number | null = 3): Controller => ({
  kind,
  namespace: 'default',
  name,
  uid: `uid-${kind}/${name}`,
  replicas,
  template: null,
});

/** The controllers that are there. Anything else does not exist. */
export const CONTROLLERS: readonly Controller[] = [
  controller('ReplicaSet', 'web'),
  controller('ReplicationController', 'old'),
  controller('StatefulSet', 'db'),
  controller('Job', 'once'),
  controller('DaemonSet', 'agent', null),
];

export interface Given {
  readonly options?: Partial<Options>;
  readonly budgets?: readonly PodDisruptionBudget[];
  readonly inProgress?: readonly Pod[];
}

export const drainContext = ({ options = {}, budgets = [], inProgress = [] }: Given = {}): DrainContext => ({
  options: { ...defaultOptions(), ...options },
  now: NOW,
  controllers: (pod) => listedController(CONTROLLERS, pod),
  pdbs: createPdbTracker(budgets, inProgress),
});

/** A pod of the ReplicaSet `web` that runs on a node, and that no rule objects to. */
export const webPod = (options: PodOptions = {}, name = 'web-1'): Pod =>
  pod(name, { node: 'n', owner: 'ReplicaSet/web', labels: { app: 'web' }, ...options });

/** A pod without a controller, or with the one that is given. */
export const barePod = (options: PodOptions = {}): Pod => pod('bare', { node: 'n', ...options });

/** `Block NotReplicated`, `DrainOk` …; `-` where the rule leaves the decision to others. */
export const said = (drainability: Drainability | null): string =>
  drainability === null ? '-' : drainability.kind === 'Block' ? `Block ${drainability.reason}` : drainability.kind;

export const asked = (rule: DrainRule, of: Pod, given: Given = {}): string =>
  said(rule.decide(of, drainContext(given)));
