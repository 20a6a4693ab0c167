import type { Commit } from '../../../core/ports/state-store.ts';
import type { GroupName, InstanceId } from '../../../core/model/values/names.ts';
import type { CommandChanges } from '../commands.ts';
import { nodeUnits } from '../node-sizes.ts';
import type { Stage, Watch } from './invariant.ts';

export interface ReplacedForLess extends Required<Pick<Watch, 'event'>> {
  readonly committed: (commit: Pick<Commit, 'intents'>, carriedOut: CommandChanges['carriedOut']) => void;
  /** Of an instance that is removed. */
  readonly isReplaced: (instance: InstanceId) => boolean;
}

/**
 * Watches for nodes that consolidation replaces by one of another group, which scale-up could not or was not to buy for the pods
 * that waited: no instance of that group could be had when the nodes were bought – its last launch had failed, it could not launch
 * any, or was not known to be the cluster's –, or its nodes are smaller, and the expander does not go by what nodes cost. A node that
 * was bought for a command is none of these: that one went by the cost.
 */
export function watchReplacedForLess({
  scenario,
  world: { scaling },
  remembered,
}: Pick<Stage, 'scenario' | 'world' | 'remembered'>): ReplacedForLess {
  const failing = new Set<GroupName>();
  /** The groups that scale-up could not or was not to buy when each group was last raised, and when the nodes were bought that an instance came with. */
  const atRaise = new Map<GroupName, ReadonlySet<GroupName>>();
  const leftOut = new Map<InstanceId, ReadonlySet<GroupName>>();
  const replaced = new Set<InstanceId>();
  const goesByCost = scenario.options.expander[0] === 'price';
  const unitsOf = (name: GroupName): number => {
    const pool = scenario.pools.find(({ groups }) => groups.includes(name))!;
    return nodeUnits(
      pool,
      scenario.groups.find((group) => group.name === name)!,
    );
  };
  const leftOutFor = (raised: GroupName): readonly GroupName[] =>
    scaling.groups().flatMap(({ group: { name }, paused, untagged }) => {
      const isClosed = failing.has(name) || paused === true || untagged === true;
      return isClosed || (!goesByCost && unitsOf(name) < unitsOf(raised)) ? name : [];
    });
  return {
    committed: ({ intents }, carriedOut) => {
      const commands = remembered()?.state.disruptions ?? [];
      for (const intent of intents) {
        if (intent.kind === 'SetSize' && intent.to > intent.from) {
          const isForCommand = commands.some(({ replacement }) => replacement === intent.group);
          atRaise.set(intent.group, new Set(isForCommand ? [] : leftOutFor(intent.group)));
        }
      }
      const removed = intents.flatMap((intent) => (intent.kind === 'RemoveNodes' ? intent.nodes : []));
      for (const { node, instance } of removed) {
        const replacement = carriedOut.find(({ nodes }) => nodes.includes(node))?.command.replacement ?? null;
        if (replacement !== null && leftOut.get(instance)?.has(replacement) === true) {
          replaced.add(instance);
        }
      }
    },
    event: (event) => {
      if (event.kind === 'LaunchFailed') {
        failing.add(event.group);
      }
      if (event.kind === 'InstanceLaunched') {
        failing.delete(event.group);
        leftOut.set(event.instance, atRaise.get(event.group) ?? new Set());
      }
    },
    isReplaced: (instance) => replaced.has(instance),
  };
}
