import { firstItem } from '../../model/values/existing.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import { PRIORITY_CONFIG_MAP, type PriorityTier, type PriorityTiers } from '../../model/cluster/priorities.ts';
import { compileRegularExpression, type RegularExpression } from '../../model/values/regular-expression.ts';
import { getOrMake } from '../../model/values/get-or-make.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { present } from '../../model/values/present.ts';
import { andNext, type Expander, leftOutText, neutral, nextBest, sharedText } from './expander.ts';

/** Priorities below this never win: Cluster Autoscaler starts its search for the highest from here. */
const LOWEST_PRIORITY = -1;

/**
 * The options whose groups have the highest priority; a group's priority is the highest one with a pattern that matches
 * the group's name. Groups that match no pattern are dropped. When no group matches, or the ConfigMap is absent or
 * wrong, all options stay.
 *
 * Follows Cluster Autoscaler's expander/priority, and its README.
 *
 * @param namespace of the ConfigMap
 * @param tiers as observed now: a change counts from the next evaluation on. `null` when there is no ConfigMap.
 */
export function priority(tiers: PriorityTiers | null, namespace: string): Expander {
  const { name } = PRIORITY_CONFIG_MAP;
  if (tiers === null) {
    return neutral(`priority: not used, there is no ConfigMap ${namespace}/${name}`);
  }
  if (!tiers.ok) {
    return neutral(`priority: not used, ConfigMap ${namespace}/${name}: ${tiers.error}`);
  }
  const priorityOf = prioritiesOf(tiers.value);
  const scoreOf = (group: NodeGroup): number => -(priorityOf(group.name) ?? Number.NEGATIVE_INFINITY);
  const expander: Expander = {
    score: ({ group }) => scoreOf(group),
    bound: ({ groups }) => Math.min(...groups.map(scoreOf)),
    figures: ({ group }) => present({ priority: priorityOf(group.name) }),
    explain: (options, left) => {
      const best = priorityOf(firstItem(left).group.name);
      if (best === null) {
        return 'priority: not used, no group that helps matches a priority';
      }
      const second = mapOptional(nextBest(expander, options, left), ({ group }) => priorityOf(group.name));
      const unmatched = options.filter(({ group }) => priorityOf(group.name) === null).length;
      const next = andNext(mapOptional(second, String));
      return `priority: ${sharedText(left, 'have', `${best}`)}${next}${leftOutText(unmatched, 'without one')}`;
    },
  };
  return expander;
}

/** The highest priority that a group's name matches; `null` when it matches none. */
function prioritiesOf(tiers: readonly PriorityTier[]): (group: GroupName) => number | null {
  const compiled = tiers
    .filter((tier) => tier.priority >= LOWEST_PRIORITY)
    .toSorted((a, b) => b.priority - a.priority)
    .map((tier) => ({ priority: tier.priority, expressions: tier.patterns.map(compiledPattern) }));
  const known = new Map<GroupName, number | null>();
  return (group) =>
    getOrMake(known, group, () => {
      const tier = compiled.find(({ expressions }) => expressions.some(({ matches }) => matches(group)));
      return tier?.priority ?? null;
    });
}

function compiledPattern(pattern: string): RegularExpression {
  const compiled = compileRegularExpression(pattern);
  if (!compiled.ok) {
    throw new Error(`Priorities with the pattern ${pattern} got past their reader: ${compiled.error}`);
  }
  return compiled.value;
}
