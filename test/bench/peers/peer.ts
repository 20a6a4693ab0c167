import type { E2eCluster } from '../../e2e/cluster.ts';

/** The nodes that each autoscaler can have: groups of one type, one for each zone, or the same nodes without groups. */
export interface Ground {
  readonly instanceType: string;
  /** USD per hour. */
  readonly price: number;
  readonly zones: readonly string[];
  readonly most: number;
  /** From the launch to the Node. */
  readonly bootMs: number;
}

/** Figures of a run by their names. */
export type Figures = Readonly<Record<string, number>>;

/** How long Karpenter leaves a node alone after a pod has come or gone, real and simulated. */
export const CONSOLIDATE_AFTER_S = 30;

/** @param nodeHours from the burst on. */
export const figuresOfFall = (before: number, after: number, nodeHours: number, evicted: number): Figures => ({
  'nodes 150 s after the fall': after,
  'node-hours': nodeHours,
  'pods evicted': evicted,
  'evicted for each removed node': evicted / Math.max(1, before - after),
});

/** An autoscaler that runs. */
export interface Autoscaler {
  readonly pid: number;
  /** Has it launch nothing more in a zone. */
  readonly loseZone: (zone: string) => Promise<void>;
  readonly stop: () => Promise<unknown>;
}

export interface Peer {
  readonly name: string;
  /** Tags of its groups. */
  readonly tags: Readonly<Record<string, string>>;
  readonly start: (cluster: E2eCluster, ground: Ground) => Promise<Autoscaler>;
}
