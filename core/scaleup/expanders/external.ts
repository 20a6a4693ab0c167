import type { AskedOption, ExternalChoice } from '../../model/external-choice.ts';
import { isSameContent } from '../../model/values/same-content.ts';
import { byName } from '../../model/values/names.ts';
import type { Expander } from './expander.ts';

/**
 * The options that a function of the user prefers. An answer is part of the scenario, and a choice without an answer is named
 * in the decision (`Consideration.asks`). Without a usable answer all options stay.
 *
 * Follows Cluster Autoscaler's expander/grpcplugin.
 */
export const external = (choices: readonly ExternalChoice[]): Expander => ({
  ...NEUTRAL,
  within: (options) => {
    const asked = byGroup(options.map(({ group, nodes, pods }) => ({ group: group.name, nodes, pods })));
    const choice = choices.find((one) => isSameContent(byGroup(one.options), asked));
    if (choice === undefined) {
      return { ...NEUTRAL, isUnanswered: true };
    }
    const chosen = new Set(choice.chosen);
    return {
      ...NEUTRAL,
      score: ({ group }) => Number(!chosen.has(group.name)),
      explain: (_, left) =>
        choice.error === null
          ? `external: chose ${left.map(({ group }) => group.name).join(', ')}`
          : `external: not used, ${choice.error}`,
    };
  },
});

const byGroup = (options: readonly AskedOption[]): readonly AskedOption[] =>
  options.toSorted((a, b) => byName(a.group, b.group));

/** All options stay. */
const NEUTRAL: Expander = {
  score: () => 0,
  bound: () => 0,
  nearTies: false,
  figures: () => ({}),
  explain: () => 'external: not asked',
};
