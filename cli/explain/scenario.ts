import type { ClusterRecord } from '@outrigger/core/explanation/cluster-record.ts';
import { withoutLeftovers } from '@outrigger/core/drain/leftovers.ts';
import { evaluate } from '@outrigger/core/evaluate.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { clusterName } from '@outrigger/core/model/values/names.ts';
import { recorded } from '@outrigger/core/actuation/commit/recorded.ts';
import { EXIT } from '../exit-codes.ts';
import { readOnlyScenario } from '../simulate/read-document.ts';
import { fail, type TerminalStreams } from '../terminal/streams.ts';
import type { StoredFlags } from './flags.ts';
import { print } from './stored.ts';
import { subjectText } from './subjects.ts';
import type { Subject } from '@outrigger/core/explanation/pages/page.ts';

/**
 * Evaluates the scenario of a file, and explains by that decision.
 *
 * @returns the exit code: 0, 1 without an answer, or 2 when the file is invalid.
 */
export async function explainScenario(
  subject: Subject,
  name: string,
  { scenario: file, output }: { readonly scenario: string; readonly output: StoredFlags['output'] },
  streams: TerminalStreams,
): Promise<number> {
  const scenario = await readOnlyScenario(file, streams);
  if (scenario === null) {
    return EXIT.invalid;
  }
  const answered = subjectText(subject, name, clusterRecordOf(scenario));
  if (!answered.ok) {
    return await fail(EXIT.failed, answered.error, streams);
  }
  return await print(answered.value, output, streams);
}

/** The memory of a deployment in mode observe that has evaluated the scenario once. */
function clusterRecordOf(given: Scenario): ClusterRecord {
  const scenario = withoutLeftovers(given);
  const { name, now, options, notices, pauses } = scenario;
  const decision = recorded(evaluate(scenario), scenario);
  return {
    cluster: clusterName(name),
    mode: 'observe',
    now,
    options,
    version: 1,
    state: decision.state,
    intents: [],
    drains: [],
    notices,
    pauses,
    scaleUp: decision,
    scaleDown: decision,
  };
}
