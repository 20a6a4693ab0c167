import type { SkipReason } from './decision.ts';
import type { Taint } from './cluster/node.ts';
import type { NodeRequirement } from './cluster/selectors.ts';

/** A requirement of a pod that a new node of a node group does not meet, with its numbers. */
export type UnmetRequirement =
  | {
      readonly kind: 'Resource';
      readonly resource: string;
      readonly asked: number;
      /** Allocatable on a new node; `null` where the node does not have the resource. */
      readonly has: number | null;
      /** The same without what the node's DaemonSets request. */
      readonly free: number;
    }
  | { readonly kind: 'Taint'; readonly taint: Taint }
  | {
      readonly kind: 'Label';
      readonly requirement: NodeRequirement;
      /** The value on the node; `null` where the node does not have the label. */
      readonly value: string | null;
    }
  | {
      readonly kind: 'Volume';
      readonly volume: string;
      readonly requirement: NodeRequirement;
      readonly value: string | null;
    }
  | {
      readonly kind: 'Placement';
      readonly rule: 'topology spread' | 'pod affinity' | 'pod anti-affinity';
      readonly topologyKeys: readonly string[];
    }
  | {
      readonly kind: 'Growth';
      readonly reason: SkipReason;
      /** In words. */
      readonly why: string;
    }
  /** A reason of kube-scheduler that has no numbers. */
  | { readonly kind: 'Other'; readonly reason: string };
