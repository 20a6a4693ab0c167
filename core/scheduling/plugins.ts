import type { Plugin } from './plugin.ts';
import { nodeAffinity } from './plugins/NodeAffinity.ts';
import { nodeName } from './plugins/NodeName.ts';
import { nodeResourcesFit } from './plugins/NodeResourcesFit.ts';
import { nodeUnschedulable } from './plugins/NodeUnschedulable.ts';
import { taintToleration } from './plugins/TaintToleration.ts';

/** Every simulated plugin, in the order in which kube-scheduler's default profile runs its filters. */
export const PLUGINS: readonly Plugin[] = [
  nodeUnschedulable,
  nodeName,
  taintToleration,
  nodeAffinity,
  nodeResourcesFit,
];
