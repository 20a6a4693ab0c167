import type { Options } from '../../core/model/options.ts';
import { minutes, seconds } from '../../core/model/values/time.ts';
import { type Chance, chanceFor } from '../../simulation/chance.ts';
import type { LifecycleHook } from '../../simulation/cloud/hooks.ts';
import type { FaultScenario } from './fault-scenario.ts';

/** On a node: whether it is a Spot instance. */
export const CAPACITY_LABEL = 'eks.amazonaws.com/capacityType';
/** The name of a hook that is Outrigger's to complete, and of one that is not. */
const OWN_HOOKS = ['outrigger', 'outrigger-drain'];
const OTHER_HOOK = 'another-tool';

/** Is the hook one that Outrigger completes? */
export const isOwnHook = (name: string): boolean => name.startsWith('outrigger');

/** The scenario with what notices are about: lifecycle hooks of some groups, and what the options say of notices. */
export function withNotices(scenario: FaultScenario): FaultScenario {
  const chance = chanceFor(scenario.seed, 'notices');
  const answered: Pick<Options, 'spotInterruption' | 'scheduledChange'> = {
    spotInterruption: chance.next() < 0.9 ? 'drain' : 'ignore',
    scheduledChange: chance.next() < 0.9 ? 'drain' : 'ignore',
  };
  return {
    ...scenario,
    options: { ...scenario.options, ...answered },
    groups: scenario.groups.map((group) => {
      const hooks = hooksFor(chance);
      return hooks.length === 0 ? group : { ...group, hooks };
    }),
  };
}

function hooksFor(chance: Chance): readonly LifecycleHook[] {
  const { oneOf } = chance;
  const defaultResult = oneOf(['CONTINUE', 'ABANDON'] as const);
  const own: LifecycleHook = {
    name: oneOf(OWN_HOOKS),
    heartbeatTimeout: oneOf([seconds(45), minutes(2), minutes(5), minutes(10)]),
    defaultResult,
  };
  const other: LifecycleHook = {
    name: OTHER_HOOK,
    heartbeatTimeout: oneOf([seconds(30), minutes(2)]),
    defaultResult: 'CONTINUE',
  };
  const which = chance.next();
  return which < 0.22 ? [own] : which < 0.26 ? [other] : which < 0.3 ? [own, other] : [];
}
