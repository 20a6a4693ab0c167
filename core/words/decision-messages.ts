import type { Decision } from '../model/decision.ts';
import type { Message } from '../model/message.ts';
import { nameOfPause } from '../model/pause.ts';
import type { Scenario } from '../model/scenario.ts';
import type { State } from '../model/state.ts';
import { storedHealthProblem, type StoredHealthProblem, type HealthProblem } from '../model/health-problem.ts';
import type { ClusterName } from '../model/values/names.ts';
import { mapOptional } from '../model/values/optional.ts';
import { valueOf } from '../model/values/records.ts';
import { EVENT_MESSAGES, growthOf } from './event-messages.ts';
import { pauseText } from './pause.ts';
import { backoffMessage } from './status-events.ts';
import { healthProblemSentence } from './health-problems.ts';

/** The content of a message. `about` is the object of the message: a decision has one message for each kind and object. */
type Content = Pick<Message, 'kind' | 'text' | 'reason' | 'group' | 'node' | 'from' | 'to'> & {
  readonly about: string;
};

/** A committed decision, with what it was made from. */
interface CommitContext {
  /** The state as it was loaded. */
  readonly before: State;
  readonly scenario: Scenario;
  readonly decision: Decision;
  readonly problems?: readonly HealthProblem[] | undefined;
  /** The version of the state that the decision is stored with. */
  readonly version: number;
}

/**
 * The messages of a committed decision. A condition is told by the decision whose state has it first: each occurrence has one
 * message, because one decision alone is committed after each state.
 */
export function decisionMessages(cluster: ClusterName, committed: CommitContext): readonly Message[] {
  const { scenario, version } = committed;
  return [
    ...increases(committed),
    ...removals(committed),
    ...newBackoffs(committed),
    ...newPauses(committed),
    ...newProblems(committed),
  ].map(({ about, ...content }) => ({
    ...content,
    id: `${cluster}/${version}/${content.kind}/${about}`,
    cluster,
    time: scenario.now,
    decision: version,
  }));
}

const increases = ({ scenario, decision: { scaleUp } }: CommitContext): readonly Content[] =>
  growthOf(scenario, scaleUp).map((growth) => ({
    kind: 'ScaleUp',
    about: growth.group,
    text: EVENT_MESSAGES.growing(growth),
    group: growth.group,
    from: growth.from,
    to: growth.to,
  }));

const removals = ({ decision: { scaleDown } }: CommitContext): readonly Content[] =>
  scaleDown.removals.map((removal) => ({
    kind: 'ScaleDown',
    about: removal.node,
    text: removal.kind === 'empty' ? EVENT_MESSAGES.removingEmpty(removal) : EVENT_MESSAGES.removing(removal),
    reason: removal.kind,
    group: removal.group,
    node: removal.node,
  }));

/** Failures of calls are among them, which are in the state before the decision is made. */
const newBackoffs = ({
  before,
  scenario: { nodeGroups, options },
  decision: { state },
}: CommitContext): readonly Content[] =>
  nodeGroups.flatMap((group): readonly Content[] => {
    const { name } = group;
    const backoff = valueOf(state.backoff, name);
    if (backoff === undefined || backoff.lastFailure === valueOf(before.backoff, name)?.lastFailure) {
      return [];
    }
    const text = backoffMessage(group, backoff, options);
    return [{ kind: 'GivenUp', about: name, text, reason: backoff.class, group: name }];
  });

/** Scale-down leaves the list of pauses as it was. */
function newPauses({ before, decision: { state, pauses = [] } }: CommitContext): readonly Content[] {
  const told = new Set(before.pausesInForce);
  const stored = new Set(state.pausesInForce);
  return pauses
    .map((pause) => ({ pause, about: nameOfPause(pause) }))
    .filter(({ about }) => stored.has(about) && !told.has(about))
    .map(({ pause, about }) => ({
      kind: 'Paused',
      about,
      text: pauseText(pause),
      reason: pause.part,
      group: pause.group ?? undefined,
    }));
}

/** Another pod that waits longest is no other problem, and another node is. */
const occurrenceOf = ({ kind, about, pods }: StoredHealthProblem): string => (pods > 0 ? kind : `${kind} ${about}`);

function newProblems({ before, problems = [] }: CommitContext): readonly Content[] {
  const told = new Set((before.problems ?? []).map(occurrenceOf));
  const contents: Content[] = [];
  for (const problem of problems) {
    const about = mapOptional(storedHealthProblem(problem), occurrenceOf);
    if (about !== null && !told.has(about)) {
      const node = 'node' in problem ? problem.node : undefined;
      contents.push({
        kind: 'NeedsAttention',
        about,
        text: healthProblemSentence(problem),
        reason: problem.kind,
        node,
      });
    }
  }
  return contents;
}
