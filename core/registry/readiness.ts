import type { Node } from '../model/cluster/node.ts';
import { isNodeReady } from '../model/cluster/node-condition.ts';
import type { Options } from '../model/options.ts';
import type { DurationMs, EpochMs } from '../model/values/time.ts';

/** Ready for pods, and without any of the taints that the options call startup taints. */
export const isReady = (node: Node, options: Options): boolean =>
  isNodeReady(node) && !node.taints.some(({ key }) => isStartupTaintOf(options, key));

/** Do the options say that nodes bear this taint only while they start? */
export const isStartupTaintOf = ({ startupTaint, startupTaintPrefix }: Options, key: string): boolean =>
  startupTaint.includes(key) || startupTaintPrefix.some((prefix) => key.startsWith(prefix));

export type Readiness = 'Deleted' | 'Suspended' | 'Ready' | 'NotStarted' | 'Unready';

/** The state of a node's instance and of its parts. */
interface NodeSupport {
  /** The cloud no longer has the instance. */
  readonly deleted: boolean;
  /**
   * The devices that the node is to have are announced (`awaitsDevices`) or published (`nodesWithPublishedDevices`), and its
   * CSI drivers are registered (`awaitsDrivers`).
   */
  readonly equipped: boolean;
}

/**
 * The class of a registered node, first match: gone from the cloud, suspended, ready, still within its start-up time,
 * or unready. Follows `updateReadinessStats` of Cluster Autoscaler's clusterstate.go, where nodes whose devices have
 * not appeared are unready for good. Here they are ready once they have had the time to start: a device plugin is missing, or the devices
 * are a DRA driver's, and either says nothing about the node.
 *
 * @param starts whether the node is still within its start-up time (`isStarting`).
 */
export function readinessOf(
  node: Node,
  { deleted, equipped }: NodeSupport,
  starts: boolean,
  options: Options,
): Readiness {
  if (deleted) {
    return 'Deleted';
  }
  if (node.conditions.some(({ type, status }) => type === 'Suspended' && status === 'True')) {
    return 'Suspended';
  }
  if (isReady(node, options) && (equipped || !starts)) {
    return 'Ready';
  }
  return starts ? 'NotStarted' : 'Unready';
}

/** Is a node still within the time that its group gives it to start? */
export const isStarting = ({ createdAt }: Pick<Node, 'createdAt'>, startupTime: DurationMs, now: EpochMs): boolean =>
  createdAt !== null && now - createdAt < startupTime;
