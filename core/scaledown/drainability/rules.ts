import { isDaemon, isFinished, isMirror } from '../../model/cluster/pod.ts';
import { doNotDisrupt } from './do-not-disrupt.ts';
import { job } from './job.ts';
import { localStorage } from './local-storage.ts';
import { longTerminating } from './long-terminating.ts';
import { DRAIN_OK, ruleFor, SKIP } from './outcome.ts';
import { pdb } from './pdb.ts';
import { replicaCount } from './replica-count.ts';
import { replicated } from './replicated.ts';
import type { DrainRule } from './rule.ts';
import { notSafeToEvict, onCompletion, safeToEvict } from './safe-to-evict.ts';
import { system } from './system.ts';

/** The kubelet makes mirror pods from files of its node: they end with the node and cannot be moved. */
export const mirror = ruleFor('mirror', SKIP, isMirror);

/** Pods of a DaemonSet, or declared to be like them, are of their node and go with it. */
export const daemonSet = ruleFor('daemonSet', DRAIN_OK, isDaemon);

/** A pod that has ended loses nothing. */
export const terminal = ruleFor('terminal', DRAIN_OK, isFinished);

/** In Cluster Autoscaler's order (its `drainability/rules/rules.go`), with `doNotDisrupt` before those that let go, and `job`. */
export const DRAIN_RULES: readonly DrainRule[] = [
  mirror,
  longTerminating,
  replicaCount,
  doNotDisrupt,

  // Interrupting checks: the pod may go, or its end is waited for, whatever the checks after these say.
  daemonSet,
  safeToEvict,
  terminal,
  onCompletion,

  // Blocking checks: the pod keeps its node.
  replicated,
  system,
  notSafeToEvict,
  localStorage,
  job,
  pdb,
];
