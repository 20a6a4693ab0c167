import { getExisting, textBefore } from '@outrigger/core/model/values/existing.ts';
import type { SavingsPlan } from '@outrigger/core/model/commitment.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import { ok } from '@outrigger/core/model/values/result.ts';
import { rounded } from '@outrigger/core/model/values/rounded.ts';
import { type DurationMs, type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import type { AwsFailure } from '../api/failures.ts';
import { createLookup, loadEach } from '../api/lookup.ts';
import type { SavingsPlansApi, SavingsPlanTerms } from '../api/savings-plans-api.ts';

/** A plan keeps its rates for its term; new instance types are added. */
const RATES_TTL = minutes(12 * 60);

/** Plans with their rates, and why others are left out. */
interface RatedPlans {
  readonly plans: readonly SavingsPlan[];
  readonly failures: readonly AwsFailure[];
}

type PlanRates = (
  plans: readonly SavingsPlanTerms[],
  types: ReadonlySet<string>,
  signal?: AbortSignal,
) => Promise<RatedPlans>;

const keyOf = (id: string, type: string): string => `${id} ${type}`;
const typeOf = (key: string): string => key.slice(key.indexOf(' ') + 1);

/**
 * Reads the rates of plans for instance types: a call for each plan that has types whose rates are not cached.
 *
 * @param retryAfter time after which a failed call is repeated.
 */
export function createPlanRates(api: SavingsPlansApi, now: () => EpochMs, retryAfter: DurationMs): PlanRates {
  const lookup = createLookup<number | null>(
    (keys, signal) =>
      loadEach(
        [...Map.groupBy(keys, (key) => textBefore(key, ' '))],
        async ([id, ofPlan]) => {
          const rates = await api.rates(id, ofPlan.map(typeOf), signal);
          return ofPlan.map((key) => [key, ok(rates.get(typeOf(key)) ?? null)] as const);
        },
        ([, ofPlan]) => ofPlan,
      ),
    RATES_TTL,
    now,
    retryAfter,
  );
  return async (plans, types, signal) => {
    const sorted = [...types].sort(byName);
    const withTypes = plans.map((plan) => ({
      ...plan,
      types: sorted.filter((type) => plan.family === null || type.startsWith(`${plan.family}.`)),
    }));
    const found = await lookup.get(
      withTypes.flatMap(({ id, types: some }) => some.map((type) => keyOf(id, type))),
      signal,
    );
    const failures: AwsFailure[] = [];
    const rated = withTypes.map(({ id, family, commitment, types: some }): SavingsPlan => {
      const rates = new Map<string, number>();
      for (const type of some) {
        const rate = getExisting(found, keyOf(id, type));
        if (!rate.ok) {
          failures.push(rate.error);
        } else if (rate.value !== null) {
          rates.set(type, rate.value);
        }
      }
      return { kind: 'SavingsPlan', family, commitment, rates: Object.fromEntries(rates) };
    });
    return { plans: merged(rated), failures };
  };
}

/** Adds up plans of the same rates, and leaves out plans without any. Plans with larger discounts come first. */
function merged(plans: readonly SavingsPlan[]): readonly SavingsPlan[] {
  const byTerms = new Map<string, SavingsPlan>();
  for (const plan of plans.filter(({ rates }) => Object.keys(rates).length > 0)) {
    const key = JSON.stringify([plan.family, plan.rates]);
    const commitment = rounded(plan.commitment + (byTerms.get(key)?.commitment ?? 0));
    byTerms.set(key, { ...plan, commitment });
  }
  return [...byTerms]
    .sort(([a, one], [b, other]) => sumOfRates(one) - sumOfRates(other) || byName(a, b))
    .map(([, plan]) => plan);
}

const sumOfRates = ({ rates }: SavingsPlan): number => Object.values(rates).reduce((sum, rate) => sum + rate, 0);
