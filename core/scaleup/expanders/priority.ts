import { firstItem } from '../../model/values/existing.ts';
import type { GroupName } from '../../model/values/names.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import { PRIORITY_CONFIG_MAP, type PriorityTier, type PriorityTiers } from '../../model/cluster/priorities.ts';
import { compileRegularExpression, type RegularExpression } from '../../model/values/regular-expression.ts';
import { counted } from '../../model/values/counted.ts';
import { andNext, type Expander, nextBest } from './expander.ts';

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
    return unused(`there is no ConfigMap ${namespace}/${name}`);
  }
  if (!tiers.ok) {
    return unused(`ConfigMap ${namespace}/${name}: ${tiers.error}`);
  }
  const priorityOf = prioritiesOf(tiers.value);
  const scoreOf = (group: NodeGroup): number => -(priorityOf(group.name) ?? Number.NEGATIVE_INFINITY);
  const expander: Expander = {
    score: ({ group }) => scoreOf(group),
    bound: ({ groups }) => Math.min(...groups.map(scoreOf)),
    nearTies: false,
    figures: ({ group }) => {
      const known = priorityOf(group.name);
      return known === null ? {} : { priority: known };
    },
    explain: (options, left) => {
      const best = priorityOf(firstItem(left).group.name);
      if (best === null) {
        return 'priority: not used, no group that helps matches a priority';
      }
      const next = nextBest(expander, options, left);
      const second = next === null ? null : priorityOf(next.group.name);
      const unmatched = options.filter(({ group }) => priorityOf(group.name) === null).length;
      const has = left.length === 1 ? `${best}` : `${left.length} groups have ${best}`;
      const dropped = unmatched === 0 ? '' : ` (${counted(unmatched, 'group')} without one left out)`;
      return `priority: ${has}${andNext(second === null ? null : String(second))}${dropped}`;
    },
  };
  return expander;
}

/** All options stay. */
const unused = (why: string): Expander => ({
  score: () => 0,
  bound: () => 0,
  nearTies: false,
  figures: () => ({}),
  explain: () => `priority: not used, ${why}`,
});

/** The highest priority that a group's name matches; `null` when it matches none. */
function prioritiesOf(tiers: readonly PriorityTier[]): (group: GroupName) => number | null {
  const compiled = tiers
    .filter((tier) => tier.priority >= LOWEST_PRIORITY)
    .toSorted((a, b) => b.priority - a.priority)
    .map((tier) => ({ priority: tier.priority, expressions: tier.patterns.map(compiledPattern) }));
  const known = new Map<GroupName, number | null>();
  return (group) => {
    let found = known.get(group);
    if (found === undefined) {
      const tier = compiled.find(({ expressions }) => expressions.some(({ matches }) => matches(group)));
      found = tier?.priority ?? null;
      known.set(group, found);
    }
    return found;
  };
}

function compiledPattern(pattern: string): RegularExpression {
  const compiled = compileRegularExpression(pattern);
  if (!compiled.ok) {
    throw new Error(`Priorities with the pattern ${pattern} got past their reader: ${compiled.error}`);
  }
  return compiled.value;
}
