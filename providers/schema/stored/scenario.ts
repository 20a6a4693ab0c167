import * as z from 'zod';
import { present } from '@outrigger/core/model/values/present.ts';
import { defaultOptions, type Options } from '@outrigger/core/model/options.ts';
import { type ClusterObjects, NO_OBJECTS, type Scenario } from '@outrigger/core/model/scenario.ts';
import { EMPTY_STATE, type State } from '@outrigger/core/model/state.ts';
import { storedTime } from './scalars.ts';
import { FORMER_FIELDS, withPresentNames } from '../former-names.ts';
import { storedState } from './state.ts';

/** The options of a decision: a later option has its default. */
export const storedOptions = z
  .looseObject({})
  .transform((given) => ({ ...defaultOptions(), ...given })) as unknown as z.ZodType<Options>;

const list = z.array(z.looseObject({}));

const form = z.looseObject({
  name: z.string(),
  provider: z.string(),
  now: storedTime,
  seed: z.number(),
  options: storedOptions,
  nodeGroups: list,
  objects: z.looseObject(Object.fromEntries(Object.keys(NO_OBJECTS).map((kind) => [kind, list.default([])]))),
  state: storedState,
  notices: list.optional(),
  pauses: list.optional(),
});

/**
 * The scenario of a decision, for replays. The scenario is written by the core and never changed, so only its form is
 * checked, and even the order of its fields stays as it is, in which the decision has them too. A part that another
 * version did not write is empty.
 *
 * @throws ZodError
 */
export function parseStoredScenario(raw: unknown): Scenario {
  const checked = form.parse(raw) as unknown as Scenario;
  const written = raw as Scenario;
  return {
    ...written,
    options: checked.options,
    objects: { ...NO_OBJECTS, ...(withPresentNames(written.objects, FORMER_FIELDS.scenario) as ClusterObjects) },
    state: presentState(written.state, checked.state),
  };
}

/** The parts in the order in which they were written; the entries of some have fields under former names. */
function presentState(written: State, { unneededTimes, consolidationMoves, reservations, problems }: State): State {
  const named = withPresentNames(written, FORMER_FIELDS.state) as State;
  const absent = Object.entries(EMPTY_STATE).filter(([part]) => !Object.hasOwn(named, part));
  return {
    ...named,
    ...Object.fromEntries(absent),
    ...present({ unneededTimes, consolidationMoves, reservations, problems }),
  };
}
