import type { GroupName } from '../../core/model/names.ts';
import type { Intent } from '../../core/model/ports.ts';
import type { EpochMs } from '../../core/model/time.ts';

/**
 * For each group its oldest pending intent, unless somebody holds that one: each intent's `from` is the `to` of the
 * one before it, so they only make sense in order.
 */
export function firstOfEachGroup(intents: readonly Intent[], now: EpochMs): readonly Intent[] {
  const first = new Map<GroupName, Intent>();
  for (const intent of intents) {
    const other = first.get(intent.group);
    if (intent.status === 'pending' && (other === undefined || versionOf(intent) < versionOf(other))) {
      first.set(intent.group, intent);
    }
  }
  return [...first.values()].filter(({ claimedUntil }) => claimedUntil === null || claimedUntil <= now);
}

/** The version of the state that decided it: the id's first part. */
const versionOf = (intent: Intent): number => Number.parseInt(intent.id, 10);
