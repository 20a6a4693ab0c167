import type { ScaleUpDecision, UnexpectedError } from '../model/decision.ts';
import { disruptionName } from '../model/disruption.ts';
import { describeError } from '../model/fault.ts';
import type { GroupName } from '../model/values/names.ts';
import type { Scenario } from '../model/scenario.ts';
import type { State } from '../model/state.ts';
import { costsOf } from '../nodegroups/cost.ts';
import { groupTemplates } from '../nodegroups/node-templates.ts';
import { DISRUPTION_MESSAGES } from '../words/disruption.ts';
import { isRoomThere, ownerWithLessReadyCapacity } from './held-room.ts';
import {
  costBeside,
  growingOnly,
  needsNoIncrease,
  type DeferredCommand,
  type CostLimit,
  sharedCostLimit,
  merged,
  objectionTo,
  podsOf,
  replacementsOf,
  withoutDelay,
  withoutMoving,
} from './purchase.ts';
import { byAge, type WaitingCommand, waitingIn, withWaiting } from './waiting.ts';

/** A scale-up that was decided; `value` is `null` where it has failed. */
export interface ScaleUpPlan {
  readonly grown: {
    readonly value: object | null;
    readonly up: {
      readonly scaleUp: ScaleUpDecision;
      readonly state: State;
      /** Groups that are raised to their minimum. */
      readonly toMin: readonly object[];
    };
  };
}

/** A scale-up with the commands for which it makes room. */
export interface ScaleUpWithDisruptions<G> {
  readonly growth: G;
  readonly scaleUp: ScaleUpDecision;
  readonly state: State;
  readonly waiting: readonly WaitingCommand[];
  /** The cost of the nodes launched for these commands, per hour. */
  readonly cost: number;
  /** Why commands are left out, by the names of the commands. */
  readonly leftOut: ReadonlyMap<string, DeferredCommand>;
  /**
   * Why the accepted commands would take held capacity on existing nodes, in words, by their names. Worked out on
   * demand.
   */
  readonly taking: () => ReadonlyMap<string, string>;
  readonly faults: readonly UnexpectedError[];
}

type Accepted<G> = Omit<ScaleUpWithDisruptions<G>, 'leftOut' | 'faults' | 'taking'>;

/** Or why not. */
type Attempt<G> = Accepted<G> | DeferredCommand;

const FAILED: DeferredCommand = Object.freeze({ why: 'ScaleUpFailed', message: DISRUPTION_MESSAGES.scaleUpFailed() });

/**
 * Decides a scale-up for pending pods and for the pods of nodes that are removed once these pods have places elsewhere.
 * Pending pods come first: commands for which too much would be launched, or a pod would stay pending, are left out of
 * this evaluation.
 *
 * @param decide a scale-up of a scenario; `null` where nothing is known of its groups. Called once where nothing is
 *   launched, else twice or three times, and for each command once more where it is unclear which one costs too much.
 */
export function scaleUpWithDisruptions<G extends ScaleUpPlan>(
  scenario: Scenario,
  decide: (scenario: Scenario, planned: Scenario) => G | null,
): ScaleUpWithDisruptions<G> | null {
  const all = waitingIn(scenario);
  let plain: G | null | undefined;
  const alone = (): G | null => {
    const without = withWaiting(scenario, []);
    plain ??= decide(without, without);
    return plain;
  };
  const leftOut = new Map<string, DeferredCommand>();
  const leaveOut = (some: readonly WaitingCommand[], why: DeferredCommand): unknown =>
    some.map(({ command }) => leftOut.set(disruptionName(command), why));

  const faults: UnexpectedError[] = [];
  const attempt = (some: readonly WaitingCommand[], limit: CostLimit): Attempt<G> => {
    try {
      return tryBeside(scenario, some, limit, decide, alone);
    } catch (error) {
      faults.push({ during: 'ScaleUp', ...describeError(error) });
      return FAILED;
    }
  };
  const takingOf = (best: Accepted<G>) => (): ReadonlyMap<string, string> =>
    takingRoom(best, alone, (some) => attempt(some, sharedCostLimit(some)));
  const together = all.length === 0 ? null : attempt(all, sharedCostLimit(all));
  if (together !== null && !('why' in together)) {
    return { ...together, leftOut, taking: takingOf(together), faults };
  }
  let best: Accepted<G> | null = null;
  if (together !== null && all.length === 1) {
    leaveOut(all, together);
  } else if (together !== null) {
    for (const one of all) {
      const limit = { spent: best?.cost ?? 0, most: one.command.maxCost };
      const more: Attempt<G> = attempt([...(best?.waiting ?? []), one], limit);
      if ('why' in more) {
        leaveOut([one], more);
      } else {
        best = more;
      }
    }
  }
  if (best !== null) {
    return { ...best, leftOut, taking: takingOf(best), faults };
  }
  const growth = alone();
  return growth === null
    ? null
    : { growth, ...growth.grown.up, waiting: [], cost: 0, leftOut, taking: () => new Map(), faults };
}

/**
 * Why commands would take held capacity on existing nodes, in words. The oldest command comes first: each takes from
 * the capacity left by earlier ones.
 */
function takingRoom<G extends ScaleUpPlan>(
  best: Accepted<G>,
  alone: () => G | null,
  attempt: (some: readonly WaitingCommand[]) => Attempt<G>,
): ReadonlyMap<string, string> {
  const taking = new Map<string, string>();
  const plain = isRoomThere(best.scaleUp) ? null : alone();
  if (plain === null || ownerWithLessReadyCapacity(best.scaleUp, plain.grown.up.scaleUp) === null) {
    return taking;
  }
  let before: readonly WaitingCommand[] = [];
  for (const one of best.waiting.toSorted((a, b) => byAge(a.command, b.command))) {
    const some = [...before, one];
    const more = some.length === best.waiting.length ? best : attempt(some);
    const asker = 'why' in more ? null : ownerWithLessReadyCapacity(more.scaleUp, plain.grown.up.scaleUp);
    const notReady = asker === null ? null : DISRUPTION_MESSAGES.roomNotReady(asker);
    const why = 'why' in more ? more.message : notReady;
    if (why === null) {
      before = some;
    } else {
      taking.set(disruptionName(one.command), why);
    }
  }
  return taking;
}

/** The scale-up with these commands, or why there is none. */
function tryBeside<G extends ScaleUpPlan>(
  scenario: Scenario,
  waiting: readonly WaitingCommand[],
  limit: CostLimit,
  decide: (scenario: Scenario, planned: Scenario) => G | null,
  alone: () => G | null,
): Attempt<G> {
  const own = withWaiting(scenario, waiting);
  const moving = podsOf(waiting, scenario);
  const replacements = replacementsOf(waiting, own);
  const decideFor = (growing: ReadonlySet<GroupName>): G | null => decide(own, growingOnly(own, growing));
  let growth = decideFor(replacements);
  // Increases for commands begin no delay: `withoutDelay` needs the state without commands.
  if (
    growth !== null &&
    growth.grown.value !== null &&
    growth.grown.up.toMin.length === 0 &&
    needsNoIncrease(growth.grown.up.scaleUp, moving)
  ) {
    const { scaleUp, state } = growth.grown.up;
    return { growth, scaleUp: withoutMoving(scaleUp, moving), state, waiting, cost: 0 };
  }
  const plain = alone();
  if (plain === null || plain.grown.value === null) {
    return FAILED;
  }
  const needed = plain.grown.up.scaleUp.increases.map(({ group }) => group);
  if (needed.some((group) => !replacements.has(group))) {
    growth = decideFor(new Set([...replacements, ...needed]));
  }
  if (growth === null || growth.grown.value === null) {
    return FAILED;
  }
  const plans = { beside: growth.grown.up.scaleUp, alone: plain.grown.up.scaleUp };
  const costs = costsOf(own.nodeGroups, groupTemplates(own));
  return (
    objectionTo(plans, waiting, costs, limit) ?? {
      growth,
      scaleUp: merged(plans, moving),
      state: withoutDelay(growth.grown.up.state, plain.grown.up.state),
      waiting,
      cost: costBeside(plans, costs),
    }
  );
}
