import * as z from 'zod';
import { defaultOptions, type Options } from '@outrigger/core/model/options.ts';
import { NO_OBJECTS, type Scenario } from '@outrigger/core/model/scenario.ts';
import { EMPTY_STATE, type State } from '@outrigger/core/model/state.ts';
import { storedTime } from './scalars.ts';
import { storedState, withPresentNames } from './state.ts';

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
    objects: { ...NO_OBJECTS, ...written.objects },
    state: withPresentNames(withAbsent(written.state)) as State,
  };
}

const withAbsent = (written: State): State => {
  const absent = Object.entries(EMPTY_STATE).filter(([part]) => !Object.hasOwn(written, part));
  return { ...written, ...Object.fromEntries(absent) };
};
