import type { State } from '../../../core/model/state.ts';
import { type EpochMs, minutes } from '../../../core/model/values/time.ts';
import { INSTANCE_TYPE_LABEL, ZONE_LABEL } from '../../../core/model/cluster/node.ts';
import { MAX_SKEW_MS } from '../runtime.ts';
import { CAPACITY_LABEL } from '../notice-scenario.ts';
import type { Invariant } from './invariant.ts';

/** How long the cloud is taken at its word (docs/notices.md), by clocks that may be off. */
const SHORT_MS = minutes(3) - 2 * MAX_SKEW_MS;

/**
 * Where the cloud takes a Spot instance back, it has no more of its type in its zone for others: from the decision that
 * takes its node to leave on, that one included, none is bought there for three minutes, unless the state has been lost.
 */
export const shortageRemembered: Invariant = {
  name: 'no Spot instance is bought where one has just been taken back',
  on: ['aws'],
  assumes: ['skew'],
  watch: ({ scenario, forgottenAt, world: { api, clock } }, violate, count) => {
    /** Since when. */
    const short = new Map<string, EpochMs>();
    const isShort = (place: string, now: EpochMs): boolean => {
      const since = short.get(place) ?? Number.NEGATIVE_INFINITY;
      return since + SHORT_MS > now && since > forgottenAt();
    };
    /** Where each decision takes Spot instances to be taken back, by the state that it leads to. */
    const takenBack = new WeakMap<State, readonly string[]>();
    return {
      decided: (_seen, decision) => {
        const nodes = (decision.departures ?? []).flatMap(({ node, notice }) =>
          notice === 'SpotInterruption' ? (api.nodes.get(node) ?? []) : [],
        );
        const places = nodes
          .filter(({ labels }) => labels[CAPACITY_LABEL] === 'SPOT')
          .map(({ labels }) => `${labels[INSTANCE_TYPE_LABEL]} in ${labels[ZONE_LABEL]}`);
        if (places.length > 0) {
          takenBack.set(decision.state, places);
        }
      },
      committed: ({ state, intents }) => {
        const now = clock.now();
        for (const place of takenBack.get(state) ?? []) {
          count(true);
          short.set(place, now);
        }
        for (const intent of intents) {
          const group = scenario.groups.find(({ name }) => name === intent.group)!;
          const [zone, ...others] = group.zones;
          const place = `${group.instanceType} in ${zone}`;
          if (
            intent.kind === 'SetSize' &&
            intent.to > intent.from &&
            others.length === 0 &&
            group.labels[CAPACITY_LABEL] === 'SPOT' &&
            isShort(place, now)
          ) {
            violate(`${intent.group} is to grow to ${intent.to}, and a Spot ${place} has just been taken back`);
          }
        }
      },
    };
  },
};
