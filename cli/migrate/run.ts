import { readFile, stat, writeFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { readConfiguration } from '../../config/read.ts';
import { err, ok, type Result, errorsOf } from '@outrigger/core/model/values/result.ts';
import { parseDocuments } from '@outrigger/providers/scenario/documents.ts';
import { EXIT } from '../exit-codes.ts';
import { displayName, placeText, readSource } from '../terminal/sources.ts';
import { jsonText } from '../terminal/json-text.ts';
import { type TerminalStreams, write, writeLines } from '../terminal/streams.ts';
import { isTerminal, styleOf } from '../terminal/style.ts';
import { addedTo } from './added-to.ts';
import type { Deployment } from './deployment.ts';
import { configurationOf } from './document.ts';
import { deploymentsIn, handlersIn } from './find.ts';
import { reportOf } from './report.ts';
import type { TerminationHandler } from './termination-handler.ts';
import { type HandlerTranslation, translateHandler } from './translate-handler.ts';
import { type CommandLineSettings, translate, type Translation } from './translate.ts';
import { withHandlers } from './with-handlers.ts';

export interface MigrateOptions extends CommandLineSettings {
  /** The file to write; absent: standard output. */
  readonly output?: string;
  /** The output: the configuration; or, as JSON, the configuration and the outcome of each flag. */
  readonly format?: 'yaml' | 'json';
}

/** The content of the files. */
interface MigrationInput {
  readonly deployments: readonly Deployment[];
  readonly handlers: readonly TerminationHandler[];
}

/**
 * Writes the configuration of Outrigger that decides as the deployments of Cluster Autoscaler in these files do, and answers
 * notices as Node Termination Handler does; and says on standard error what becomes of each flag and setting.
 *
 * @returns the exit code: 0, or 2 when something could not be understood; nothing is written then.
 */
export async function migrate(
  files: readonly string[],
  { output, format = 'yaml', ...said }: MigrateOptions,
  streams: TerminalStreams,
): Promise<number> {
  const deployments: Deployment[] = [];
  const handlers: HandlerTranslation[] = [];
  const complaints: string[] = [];
  for (const file of files) {
    const found = await foundIn(file, streams);
    if (found.ok) {
      deployments.push(...found.value.deployments);
      handlers.push(...found.value.handlers.map(translateHandler));
    } else {
      complaints.push(...found.error);
    }
  }
  const autoscalers = deployments.map((deployment) => translate(deployment, said));
  const translations = withHandlers(autoscalers, handlers, said);
  complaints.push(
    ...deployments.flatMap(elsewhere),
    ...translations.filter(({ cluster }) => !Object.hasOwn(cluster, 'name')).map(unnamed),
    ...translations.flatMap((one) => one.complaints.map((what) => `${one.origin}: ${what}`)),
  );
  const width = isTerminal(streams.stderr) ? styleOf(streams.stderr).width : null;
  for (const reported of format === 'json' ? [] : [...autoscalers, ...handlers]) {
    await write(streams.stderr, `${reportOf(reported, width)}\n`);
  }
  const text = configurationOf(translations);
  if (complaints.length === 0) {
    complaints.push(...errorsOf(readConfiguration(text, output ?? 'the configuration')));
  }
  if (complaints.length > 0) {
    await writeLines(streams.stderr, complaints);
    return EXIT.invalid;
  }
  const written = format === 'json' ? jsonOf(text, autoscalers, handlers) : text;
  if (output === undefined) {
    await write(streams.stdout, written);
    return EXIT.done;
  }
  const file = await withExisting(output, written, format);
  if (!file.ok) {
    await writeLines(streams.stderr, file.error);
    return EXIT.invalid;
  }
  await writeFile(output, file.value);
  return EXIT.done;
}

/** The clusters, behind those that the file has already. A configuration is never overwritten; a report in JSON replaces another one. */
async function withExisting(
  file: string,
  text: string,
  format: 'yaml' | 'json',
): Promise<Result<string, readonly string[]>> {
  // A pipe or a terminal has nothing to keep, and reading it may wait forever.
  const isFile = (await stat(file).catch(() => null))?.isFile() ?? false;
  const existing = isFile ? await readFile(file, 'utf8') : '';
  if (existing.trim() === '') {
    return ok(text);
  }
  if (format === 'yaml') {
    return addedTo(existing, text, file);
  }
  if (!isReport(existing)) {
    return err([
      `${file}: exists and has something else than a report; nothing was written. Name another file with -o`,
    ]);
  }
  return ok(text);
}

/** Has an earlier run with `--format json` written this text? */
function isReport(text: string): boolean {
  try {
    return Object.hasOwn(Object(JSON.parse(text)), 'terminationHandlers');
  } catch {
    return false;
  }
}

/** The configuration, and what became of each flag of each deployment and of each setting of each handler, for programs. */
const jsonOf = (
  configuration: string,
  translations: readonly Translation[],
  handlers: readonly HandlerTranslation[],
): string =>
  jsonText({
    configuration: parse(configuration) as unknown,
    deployments: translations.map(({ origin, findings, notes }) => ({ origin, flags: findings, notes })),
    terminationHandlers: handlers.map(({ origin, findings, notes }) => ({ origin, settings: findings, notes })),
  });

async function foundIn(file: string, { stdin }: TerminalStreams): Promise<Result<MigrationInput, readonly string[]>> {
  const name = displayName(file);
  const text = await readSource(file, stdin);
  if (!text.ok) {
    return err([`${name}: ${text.error}`]);
  }
  const contents = parseDocuments(text.value).map(({ content }) => content);
  const faults = contents.filter((content) => content.kind === 'malformed').flatMap(({ errors }) => errors);
  if (faults.length > 0) {
    return err(faults.map(({ line, message }) => `${placeText(file, line)}: ${message}`));
  }
  const values = contents.filter((content) => content.kind === 'value').map(({ value }) => value);
  const deployments = values.flatMap((value) => deploymentsIn(value, name));
  const handlers = values.flatMap((value) => handlersIn(value, name));
  if (deployments.length + handlers.length === 0) {
    return err([
      `${name}: expected Cluster Autoscaler or Node Termination Handler, as an object with pods or as values of its Helm chart, found neither`,
    ]);
  }
  return ok({ deployments, handlers });
}

/** Deployments of other cloud providers. */
const elsewhere = ({ origin, flags }: Deployment): readonly string[] =>
  flags
    .filter(({ name, value }) => name === 'cloud-provider' && value !== 'aws' && value !== 'clusterapi')
    .map(({ value }) => `${origin}: cloud-provider: expected aws or clusterapi, found ${JSON.stringify(value)}`);

const unnamed = ({ origin }: Translation): string =>
  `${origin}: expected the name of the cluster, found none; give it as --cluster NAME`;
