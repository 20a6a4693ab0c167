import { FILL_TAINTS, isFillTaint } from '../../../core/model/cluster/fill-taints.ts';
import { AWAITING_PODS_TAINT, type Node } from '../../../core/model/cluster/node.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import { addTime, type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { isNodeReady } from '../../../providers/simulated/node-readiness.ts';
import { isChangeElsewhere, members } from '../truth.ts';
import type { Invariant, Stage } from './invariant.ts';

/** From a change of the nodes to an evaluation of scale-down that has read it. */
const FOUND = minutes(2);
/** From one of these to the next, each of which changes some of the taints. */
const ROUND = minutes(1);
const LOOKS_EVERY = minutes(1);

/**
 * With `fillOldestNodesFirst` three quarters of the nodes bear a taint, half of these a second one and half of those a third
 * one, and no node bears more of them than a younger one: when no node has come, gone, or changed its readiness for as long as it
 * takes to put them on. Without the option no node bears any.
 */
export const filledByAge: Invariant = {
  name: 'the oldest nodes are filled first',
  watch: (stage, violate, count) => {
    const { scenario, world, strikes } = stage;
    const { options } = scenario;
    const { api, clock, scaling, onEvent } = world;
    const isOn = options.fillOldestNodesFirst && options.scaleDownEnabled && options.maxBulkSoftTaintCount > 0;
    let changedAt: EpochMs = scenario.start;
    const changed = (): void => {
      changedAt = clock.now();
    };
    api.watch({
      node: (node, before) => {
        if (before === null || isNodeReady(node) !== isNodeReady(before) || isLeaving(node) !== isLeaving(before)) {
          changed();
        }
      },
      nodeDeleted: changed,
    });
    onEvent((event) => {
      if (isChangeElsewhere(event)) {
        changed();
      }
    });
    const look = (): void => {
      const own = new Set(scaling.groups().flatMap((view) => members(view).flatMap(({ node }) => node ?? [])));
      const nodes = [...api.nodes.values()].filter((node) => own.has(node.name) && !isLeaving(node));
      // The taints of unneeded nodes take their part of the number.
      const rounds = Math.ceil((2 * nodes.length) / options.maxBulkSoftTaintCount);
      const since = clock.now() - Math.max(changedAt, strikes.troubledUntil());
      const isDue = since > FOUND + rounds * ROUND && nodes.length === api.nodes.size && isKnown(stage);
      count(isDue);
      if (isDue) {
        [...Map.groupBy(nodes, keptFor).values()].flatMap(wrongAmong).forEach(violate);
      }
    };
    if (isOn) {
      for (let at = scenario.start; at < scenario.until; at = addTime(at, LOOKS_EVERY)) {
        clock.at(at, look);
      }
    }
    return {
      ended: () => {
        const marked = [...api.nodes.values()].filter((node) => borne(node) > 0);
        if (!options.fillOldestNodesFirst && marked.length > 0) {
          violate(
            `in the end ${marked.map(({ name }) => name).join(', ')} bear taints of an order that nothing asks for`,
          );
        }
      },
    };
  },
};

const isLeaving = (node: Node): boolean => isBeingRemoved(node) || node.unschedulable;

/** Is every group known to the functions, with all of its nodes? */
const isKnown = ({ world: { scaling } }: Stage): boolean =>
  scaling.groups().every((view) => view.untagged !== true && (view.aside ?? []).length === 0);

const borne = ({ taints }: Node): number => taints.filter(isFillTaint).length;

/** Nodes of groups with a taint of their own have an order of their own; those that are not ready are among the others. */
const keptFor = ({ taints }: Node): string =>
  taints
    .filter(({ effect }) => effect !== 'PreferNoSchedule')
    .filter(({ key }) => key !== AWAITING_PODS_TAINT && !key.startsWith('node.kubernetes.io/'))
    .map(({ key }) => key)
    .sort()
    .join();

function wrongAmong(nodes: readonly Node[]): readonly string[] {
  const wrong: string[] = [];
  let least = nodes.length * 0.75;
  for (const place of FILL_TAINTS.keys()) {
    const marked = nodes.filter((node) => borne(node) > place).length;
    if (marked !== Math.floor(least)) {
      wrong.push(
        `${marked} of ${nodes.length} nodes bear ${place + 1} taints or more, and ${Math.floor(least)} should`,
      );
    }
    least /= 2;
  }
  for (const node of nodes) {
    const younger = nodes.find((other) => (other.createdAt ?? 0) > (node.createdAt ?? 0) && borne(other) < borne(node));
    if (younger !== undefined) {
      wrong.push(`${node.name} bears ${borne(node)} taints, and ${younger.name}, which is younger, ${borne(younger)}`);
    }
  }
  return wrong;
}
