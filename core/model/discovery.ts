import type { Range } from './options.ts';

/** A tag that an Auto Scaling group must have; `null`: with any value. */
export interface DiscoveryTag {
  readonly key: string;
  readonly value: string | null;
}

/** An Auto Scaling group by name, with bounds of its own: Cluster Autoscaler's `--nodes=min:max:name`. */
export interface ExplicitGroup extends Range {
  readonly name: string;
}

/** The rules by which Auto Scaling groups are node groups. */
export interface Discovery {
  /** All of which a group has: Cluster Autoscaler's `--node-group-auto-discovery=asg:tag=…`. None: no group by tags. */
  readonly tags: readonly DiscoveryTag[];
  /** Node groups by name, with or without these tags. */
  readonly nodes: readonly ExplicitGroup[];
}

/** Marks a group as managed by a cluster autoscaler. Only its presence counts. */
const ENABLED_TAG = 'k8s.io/cluster-autoscaler/enabled';
/** Marks a group as belonging to one cluster; its value is `owned` by convention. */
export const clusterTag = (cluster: string): string => `k8s.io/cluster-autoscaler/${cluster}`;

/**
 * Discovery where the settings say nothing: the two tags of Cluster Autoscaler's convention. As with its `asg:tag=` by
 * keys, values do not count: `enabled: "false"` is enabled. To exclude a group, remove the tag.
 */
export const conventionOf = (cluster: string): Discovery => ({
  tags: [
    { key: ENABLED_TAG, value: null },
    { key: clusterTag(cluster), value: null },
  ],
  nodes: [],
});
