import type { AskedOption, ExternalChoice } from '../../model/external-choice.ts';
import { isSameContent } from '../../model/values/same-content.ts';
import { byName } from '../../model/values/names.ts';
import { type Expander, neutral } from './expander.ts';

/**
 * The options that a function of the user prefers. An answer is part of the scenario, and a choice without an answer is named
 * in the decision (`Consideration.unanswered`). Without a usable answer all options stay.
 *
 * Follows Cluster Autoscaler's expander/grpcplugin.
 */
export const external = (choices: readonly ExternalChoice[]): Expander => ({
  ...NOT_ASKED,
  within: (options) => {
    const asked = byGroup(options.map(({ group, nodes, pods }) => ({ group: group.name, nodes, pods })));
    const choice = choices.find((one) => isSameContent(byGroup(one.options), asked));
    if (choice === undefined) {
      return { ...NOT_ASKED, isUnanswered: true };
    }
    const chosen = new Set(choice.chosen);
    const score: Expander['score'] = ({ group }) => Number(!chosen.has(group.name));
    if (choice.error !== null) {
      return { ...neutral(`external: not used, ${choice.error}`), score };
    }
    return {
      ...NOT_ASKED,
      score,
      explain: (_, left) => `external: chose ${left.map(({ group }) => group.name).join(', ')}`,
    };
  },
});

const byGroup = (options: readonly AskedOption[]): readonly AskedOption[] =>
  options.toSorted((a, b) => byName(a.group, b.group));

const NOT_ASKED = neutral('external: not asked');
