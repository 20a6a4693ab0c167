import { firstItem } from '../../model/values/existing.ts';
import { WARM_POOL_STATES, type WarmPoolState } from '../../model/node-group.ts';
import { mapOptional } from '../../model/values/optional.ts';
import { present } from '../../model/values/present.ts';
import type { OptionFigures } from '../../model/decision.ts';
import { andNext, best, type Option, sharedText } from './expander.ts';

/**
 * The options whose nodes come soonest, of equally good ones: options with the largest share of their nodes in the warm
 * pool of their group, then options with a pool in the state that instances leave soonest. All options where none has a
 * warm pool with instances.
 */
export function warmestOf(options: readonly Option[]): Option[] {
  if (options.every((option) => warmNodes(option) === 0)) {
    return [...options];
  }
  return best(best(options, { score: (option) => -warmShare(option) }), { score: slowness });
}

/** Number of new nodes that join their group from its warm pool. */
const warmNodes = ({ group, nodes }: Option): number => Math.min(group.warmPool?.size ?? 0, nodes);

const warmShare = (option: Option): number => warmNodes(option) / option.nodes;

const slowness = ({ group: { warmPool } }: Option): number =>
  warmPool === undefined ? WARM_POOL_STATES.length : WARM_POOL_STATES.indexOf(warmPool.state);

/** The figures that `warmestOf` went by, for people to see beside the option; none where the group has no warm pool. */
export const warmFigures = (option: Option): OptionFigures =>
  present({ warm: mapOptional(option.group.warmPool, () => warmNodes(option)) });

/** In words, with the figures that decided. */
export function whyWarmest(options: readonly Option[], left: readonly Option[]): string {
  const stays = new Set(left);
  const next = firstItem(warmestOf(options.filter((option) => !stays.has(option))));
  return `warm pool: ${sharedText(left, 'with', warmText(firstItem(left)))}${andNext(warmText(next))}`;
}

const STATE_WORDS: Readonly<Record<WarmPoolState, string>> = {
  Running: 'running',
  Hibernated: 'hibernated',
  Stopped: 'stopped',
};

function warmText(option: Option): string {
  const { warmPool } = option.group;
  const from = `${warmNodes(option)} of ${option.nodes}`;
  return mapOptional(warmPool, ({ state }) => `${from} from ${STATE_WORDS[state]} instances`) ?? from;
}
