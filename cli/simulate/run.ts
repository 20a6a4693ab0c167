import { printable } from '@outrigger/core/model/values/printable.ts';
import type { Readable, Writable } from 'node:stream';
import { evaluate } from '@outrigger/core/evaluate.ts';
import { withFit } from '@outrigger/core/fit.ts';
import { withoutLeftovers } from '@outrigger/core/drain/leftovers.ts';
import { subjectOf } from '@outrigger/core/words/unexpected-errors.ts';
import type { Decision, PodOutcome } from '@outrigger/core/model/decision.ts';
import type { OptionDefaults } from '@outrigger/core/model/options.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { withStatedPrices } from '@outrigger/core/nodegroups/stated-prices.ts';
import { writeDecision } from '@outrigger/providers/scenario/decision.ts';
import { type SourceDocument, parseDocuments, printYaml } from '@outrigger/providers/scenario/documents.ts';
import { textIf } from '@outrigger/core/model/values/optional.ts';
import { EXIT } from '../exit-codes.ts';
import { type EvaluatedScenario, simulateReport } from '../html/simulate-report.ts';
import { writeReport } from '../html/write-report.ts';
import { readReplaySettings, withSettings } from '../replay/settings.ts';
import { fail, type TerminalStreams, write } from '../terminal/streams.ts';
import { type Progress, progressOn } from '../terminal/progress.ts';
import { displayName, readSource } from '../terminal/sources.ts';
import { styleOf } from '../terminal/style.ts';
import { type DocumentMessage, readDocument, tell } from './read-document.ts';
import { decisionText } from './text.ts';

export interface SimulateOptions {
  /** Also report how each pending pod fits every existing node. */
  readonly fit: boolean;
  readonly defaults: OptionDefaults;
  readonly output: 'yaml' | 'json' | 'text';
  /** Options in place of the scenario's own, as `option=value`. */
  readonly set?: readonly string[];
  /** A file for a page about the decisions. */
  readonly html?: string;
  /** The outcome of a pod that is a failure of the command; absent: none is. */
  readonly failOn?: 'unschedulable';
}

/** Makes the decision for a scenario. */
type Engine = (scenario: Scenario) => Decision;

type Outcome =
  | {
      readonly kind: 'decision';
      readonly scenario: Scenario;
      readonly decision: Decision;
      readonly warnings: readonly DocumentMessage[];
    }
  | Fault;

interface Fault {
  readonly kind: 'malformed' | 'failed';
  readonly messages: readonly DocumentMessage[];
}

/**
 * Evaluates every scenario in every file, in order, and prints one decision for each. A malformed document is reported
 * and does not stop the others.
 *
 * @param engine replaces `evaluate`.
 * @returns the exit code: 0, or 2 when a file or a document is malformed, or 1 when an evaluation failed
 *   or the page cannot be written, or 3 when all went well and a pod is what `failOn` names.
 */
export async function simulateDocuments(
  files: readonly string[],
  options: SimulateOptions,
  streams: TerminalStreams,
  engine: Engine = evaluate,
): Promise<number> {
  const settings = readReplaySettings(options.set);
  if (!settings.ok) {
    const lines = settings.error.map((line) => `error: ${line}`);
    return await fail(EXIT.invalid, lines, streams);
  }
  const print = printer(options.output, streams.stdout);
  const progress = progressOn(streams.stderr);
  const run: SimulationRun = {
    options,
    stdin: streams.stdin,
    engine: (scenario) => engine(withSettings(scenario, settings.value)),
    progress,
  };
  const evaluated: EvaluatedScenario[] = [];
  let code: number = EXIT.done;
  let isUnmet = false;
  for (const file of files) {
    for await (const outcome of outcomes(file, run)) {
      progress.clear();
      if (outcome.kind === 'decision') {
        isUnmet ||= options.failOn !== undefined && outcome.decision.scaleUp.pods.some(isUnschedulable);
        await tell(outcome.warnings, file, streams.stderr);
        await print.one(outcome.decision, outcome.scenario);
        if (options.html !== undefined) {
          evaluated.push(outcome);
        }
        for (const error of outcome.decision.unexpectedErrors ?? []) {
          code = Math.max(code, EXIT.failed);
          const what = `${error.during} failed for ${subjectOf(error)}: report this error as a bug`;
          await write(streams.stderr, `${displayName(file)}: ${what}: ${error.stack || error.message}\n`);
        }
        continue;
      }
      code = Math.max(code, outcome.kind === 'malformed' ? EXIT.invalid : EXIT.failed);
      await tell(outcome.messages, file, streams.stderr);
    }
  }
  await print.end();
  if (options.html !== undefined && !(await writeReport(simulateReport(evaluated), options.html, streams.stderr))) {
    code = Math.max(code, EXIT.failed);
  }
  return code === EXIT.done && isUnmet ? EXIT.unmet : code;
}

const isUnschedulable = ({ outcome }: PodOutcome): boolean => outcome === 'Unschedulable';

/** A run over the documents of files. */
interface SimulationRun {
  readonly options: SimulateOptions;
  readonly stdin: Readable;
  readonly engine: Engine;
  readonly progress: Progress;
}

async function* outcomes(file: string, run: SimulationRun): AsyncGenerator<Outcome> {
  const { stdin, progress } = run;
  const text = await readSource(file, stdin);
  if (!text.ok) {
    yield malformed(text.error);
    return;
  }
  if (text.value.length > LARGE) {
    const size = `${Math.round(text.value.length / 2 ** 20)} MB`;
    const faster = textIf(!/^\s*[{[]/.test(text.value), ' of YAML; the same as JSON takes a tenth of the time');
    progress.announce(`Reading ${printable(displayName(file))}, ${size}${faster} …`);
  }
  const documents = parseDocuments(text.value);
  if (documents.length === 0) {
    yield malformed('expected at least one Scenario, found nothing');
  }
  for (const document of documents) {
    if (text.value.length > LARGE) {
      progress.announce(`Evaluating document ${document.number} of ${documents.length} …`);
    }
    yield outcomeOf(document, run);
  }
}

/** Characters of a file that takes longer than a second. */
const LARGE = 2 ** 20;

const malformed = (text: string): Fault => ({ kind: 'malformed', messages: [{ line: null, text }] });

function outcomeOf(document: SourceDocument, { options, engine }: SimulationRun): Outcome {
  const at = `document ${document.number}: `;
  const read = readDocument(document, at, options.defaults);
  if (!read.ok) {
    return { kind: 'malformed', messages: read.error };
  }
  try {
    const scenario = withoutLeftovers(read.value.scenario);
    const decided = engine(scenario);
    const decision = options.fit ? withFit(decided, scenario) : decided;
    return { kind: 'decision', scenario, decision, warnings: read.value.warnings };
  } catch (error) {
    const what = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const text = `${at}the evaluation failed: report this error as a bug: ${what}`;
    return { kind: 'failed', messages: [{ line: null, text }] };
  }
}

interface Printer {
  one(decision: Decision, scenario: Scenario): Promise<void>;
  end(): Promise<void>;
}

/** Before the first decision, between two, after the last one, and without any. */
const MARKS = { yaml: ['', '---\n', '', ''], text: ['', '\n', '', ''], json: ['[\n', ',\n', '\n]\n', '[]\n'] } as const;

/** Prints decisions: YAML and text decision by decision, JSON as one list. */
function printer(output: SimulateOptions['output'], stdout: Writable): Printer {
  const [first, between, last, none] = MARKS[output];
  let count = 0;
  const textOf = (decision: Decision, scenario: Scenario): string => {
    if (output === 'text') {
      return decisionText(decision, styleOf(stdout).width, withStatedPrices(scenario).nodeGroups);
    }
    const document = writeDecision(decision);
    return output === 'yaml' ? printYaml(document) : JSON.stringify(document, null, 2);
  };
  return {
    one: (decision, scenario) => {
      count += 1;
      return write(stdout, `${count > 1 ? between : first}${textOf(decision, scenario)}`);
    },
    end: () => write(stdout, count > 0 ? last : none),
  };
}
