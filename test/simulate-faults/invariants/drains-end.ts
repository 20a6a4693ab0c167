import { CORDONED_FOR_NOTICE } from '../../../core/notices/departures.ts';
import { CORDONED_ANNOTATION, EXCLUDE_LABEL, REMOVAL_ANNOTATION } from '../../../core/drain/removal-markers.ts';
import { hasEnded } from '../../../core/model/drain.ts';
import type { NodeName } from '../../../core/model/values/names.ts';
import type { Node } from '../../../core/model/cluster/node.ts';
import { isBeingRemoved } from '../../../core/model/cluster/removal-taints.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { members } from '../truth.ts';
import type { Invariant } from './invariant.ts';

/** The limits of all phases, and what it takes to find out that a driver has died. */
const LONGEST = minutes(25);

/**
 * When nothing goes wrong any more every drain comes to its end, one way or the other, and a node that stays is as it was
 * before. In the end nothing is remembered of any of them.
 */
export const drainsEnd: Invariant = {
  name: 'every drain ends, and leaves nothing behind',
  watch: ({ scenario: { faultsUntil }, world: { api, scaling, clock }, remembered, drains }, violate, count) => {
    let checkAt = faultsUntil;
    return {
      step: () => {
        if (clock.now() < checkAt) {
          return;
        }
        checkAt = (clock.now() + minutes(1)) as typeof checkAt;
        for (const { drain } of drains()) {
          count(clock.now() - Math.max(drain.createdAt, faultsUntil) > 0);
          if (!hasEnded(drain) && clock.now() - Math.max(drain.createdAt, faultsUntil) > LONGEST) {
            violate(`drain ${drain.id} is still ${drain.phase}: ${drain.waitingFor ?? 'it waits for nothing'}`);
          }
        }
      },
      ended: () => {
        count(true);
        const left = drains().filter(({ drain }) => !hasEnded(drain) && clock.now() - drain.createdAt > LONGEST);
        if (left.length > 0) {
          violate(`in the end ${left.map(({ drain }) => `${drain.id} is ${drain.phase}`).join(', ')}`);
        }
        const busy = new Set<NodeName>(drains().flatMap(({ drain }) => (hasEnded(drain) ? [] : drain.node)));
        const staying = new Set(scaling.groups().flatMap((view) => members(view).map(({ node }) => node)));
        const marked = [...api.nodes.values()].filter(
          (node) => staying.has(node.name) && !busy.has(node.name) && bearsMarks(node),
        );
        if (marked.length > 0) {
          violate(`in the end ${marked.map(({ name }) => name).join(', ')} still bear marks of a drain`);
        }
        const ghosts = remembered()?.state.deletionsInProgress.filter(({ node }) => !busy.has(node)) ?? [];
        if (ghosts.length > 0) {
          violate(`in the end ${ghosts.map(({ node }) => node).join(', ')} are still taken to be on their way out`);
        }
      },
    };
  },
};

const bearsMarks = (node: Node): boolean =>
  isBeingRemoved(node) ||
  // A node that is cordoned for a recommendation to rebalance stays so.
  (node.unschedulable && !(CORDONED_FOR_NOTICE in node.annotations)) ||
  EXCLUDE_LABEL in node.labels ||
  REMOVAL_ANNOTATION in node.annotations ||
  CORDONED_ANNOTATION in node.annotations;
