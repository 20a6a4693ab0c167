import type { DecidedScenario } from '@outrigger/core/actuation/commit/next-write.ts';
import { getExisting } from '@outrigger/core/model/values/existing.ts';
import type { Consideration, Decision } from '@outrigger/core/model/decision.ts';
import type { ExternalChoice } from '@outrigger/core/model/external-choice.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { seconds } from '@outrigger/core/model/values/time.ts';
import type { OptionOfGroup } from '@outrigger/core/ports/external-expander.ts';
import type { ClusterRun } from '../shared/services.ts';

/** Questions of one evaluation. Each answer may change the choices after it, so that the evaluation is made again. */
const MOST_QUESTIONS = 10;
/** After this time no more is asked: pods wait. */
const ASKING_TIME = seconds(10);

/** The scenario has the answers that the decision goes by. */
type AnsweredDecision = Pick<DecidedScenario, 'scenario' | 'decision'>;

/**
 * Decides, and has the function behind the expander `external` answer one choice of the decision after another. The first
 * question without a usable answer is the last one of the evaluation: the other expanders choose then.
 */
export async function decideWithAnswers(
  { services: { now, log }, cluster: { name, expander }, signal }: ClusterRun<'now' | 'log', 'name' | 'expander'>,
  decide: (scenario: Scenario) => Decision,
  given: Scenario,
): Promise<AnsweredDecision> {
  let answered: AnsweredDecision = { scenario: given, decision: decide(given) };
  if (expander === undefined) {
    return answered;
  }
  const until = now() + ASKING_TIME;
  for (let asked = 0; asked < MOST_QUESTIONS && now() < until; asked += 1) {
    const options = optionsToAskAbout(answered);
    if (options === null) {
      break;
    }
    const chosen = await expander.choose(name, options, signal);
    const choice = {
      options: options.map(({ option: { group, nodes, pods } }) => ({ group, nodes, pods })),
      chosen: chosen.ok ? chosen.value : [],
      error: chosen.ok ? null : chosen.error,
    };
    answered = withAnswer(answered.scenario, choice, decide);
    if (!chosen.ok) {
      log.warn(`The external expander of cluster ${name} was not used: ${chosen.error}`);
      break;
    }
  }
  return answered;
}

function withAnswer(
  scenario: Scenario,
  choice: ExternalChoice,
  decide: (scenario: Scenario) => Decision,
): AnsweredDecision {
  const next = { ...scenario, externalChoices: [...(scenario.externalChoices ?? []), choice] };
  return { scenario: next, decision: decide(next) };
}

/** The options of the first choice that has no answer; `null` where every choice has one. */
function optionsToAskAbout({ scenario, decision }: AnsweredDecision): readonly OptionOfGroup[] | null {
  const open = decision.scaleUp.considered.find(
    (one): one is Consideration & Required<Pick<Consideration, 'unanswered'>> => one.unanswered !== undefined,
  );
  if (open === undefined) {
    return null;
  }
  const groups = new Map(scenario.nodeGroups.map((group) => [group.name, group]));
  return open.options
    .filter(({ group }) => open.unanswered.includes(group))
    .map((option) => ({ option, group: getExisting(groups, option.group) }));
}
