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

/** Which Auto Scaling groups are node groups. */
export interface Discovery {
  /** All of which a group has: Cluster Autoscaler's `--node-group-auto-discovery=asg:tag=…`. None: no group by tags. */
  readonly tags: readonly DiscoveryTag[];
  /** Those by name, with or without these tags. */
  readonly nodes: readonly ExplicitGroup[];
}
