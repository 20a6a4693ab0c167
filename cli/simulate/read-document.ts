import type { Readable, Writable } from 'node:stream';
import type { OptionDefaults } from '@outrigger/core/model/options.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { printable } from '@outrigger/core/model/values/printable.ts';
import { err, ok, type Result, okValue } from '@outrigger/core/model/values/result.ts';
import type { Fields } from '@outrigger/providers/manifest/fields.ts';
import { type Invalid, explainInvalid } from '@outrigger/providers/manifest/invalid.ts';
import { type Content, parseDocuments, type SourceDocument } from '@outrigger/providers/scenario/documents.ts';
import { doubtsAbout } from '@outrigger/providers/scenario/doubts/doubts.ts';
import { readScenario } from '@outrigger/providers/scenario/scenario.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';
import { placeText, readSource } from '../terminal/sources.ts';
import { type TerminalStreams, write } from '../terminal/streams.ts';

/** A message about a file, without the file's name. */
export interface DocumentMessage {
  readonly line: number | null;
  readonly text: string;
}

// A single mistake in a generator of scenarios can cause thousands of equal messages.
const MOST_MESSAGES = 100;
const MOST_WARNINGS = 20;

/**
 * Reads the scenario of a document.
 *
 * @param at begins each message, to name the document in its file
 * @returns the scenario with warnings about it, or what is wrong
 */
export function readDocument(
  { content }: SourceDocument,
  at: string,
  defaults: OptionDefaults,
): Result<{ readonly scenario: Scenario; readonly warnings: readonly DocumentMessage[] }, readonly DocumentMessage[]> {
  if (content.kind === 'malformed') {
    return err(malformedMessages(content, at));
  }
  if (kindOf(content.value) === 'List') {
    const text = `${at}expected a Scenario, found a List of Kubernetes objects: put its items under objects: of a Scenario, or take one with outrigger snapshot`;
    return err([{ line: content.lineOf('kind'), text }]);
  }
  const scenario = readScenario(content.value, defaults);
  if (scenario.ok) {
    return ok({ scenario: scenario.value, warnings: warningsAbout(content, at) });
  }
  return err(invalidMessages(scenario.error, content, at));
}

export const malformedMessages = (
  { errors }: Extract<Content, { kind: 'malformed' }>,
  at = '',
): readonly DocumentMessage[] => errors.map(({ line, message }) => ({ line, text: at + message }));

/** The problems of a document, in the order of its lines. */
export function invalidMessages(
  invalid: readonly Invalid[],
  { lineOf }: ValidContent,
  at = '',
): readonly DocumentMessage[] {
  const messages = invalid
    .slice(0, MOST_MESSAGES)
    .map((one) => ({ line: lineOf(one.place), text: at + explainInvalid(one) }))
    .toSorted((a, b) => (a.line ?? 0) - (b.line ?? 0));
  const more = invalid.length - messages.length;
  return presentItems([...messages, more > 0 && { line: null, text: `${at}and ${more} more` }]);
}

type ValidContent = Extract<Content, { kind: 'value' }>;

const kindOf = (value: unknown): unknown => (Object(value) as { readonly kind?: unknown }).kind;

/** Doubts about a valid document: it is evaluated as it is. */
function warningsAbout({ value, lineOf }: ValidContent, at: string): readonly DocumentMessage[] {
  const doubts = doubtsAbout(value as Fields);
  const shown = doubts.slice(0, MOST_WARNINGS).map(({ place, text }) => ({
    line: lineOf(place),
    text: `${at}warning: ${place}: ${text}`,
  }));
  const more = doubts.length - shown.length;
  return presentItems([...shown, more > 0 && { line: null, text: `${at}warning: and ${more} more warnings` }]);
}

/** Prints messages about a file. */
export async function tell(messages: readonly DocumentMessage[], file: string, stderr: Writable): Promise<void> {
  for (const { line, text } of messages) {
    await write(stderr, `${printable(`${placeText(file, line)}: ${text}`)}\n`);
  }
}

/**
 * Reads the only scenario of a file, and prints warnings and errors.
 *
 * @returns `null` where the file has no scenario, several, or an invalid one
 */
export async function readOnlyScenario(
  file: string,
  { stdin, stderr }: Pick<TerminalStreams, 'stdin' | 'stderr'>,
): Promise<Scenario | null> {
  const read = await readOnlyDocument(file, stdin, 'Scenario', (document) => readDocument(document, '', 'outrigger'));
  await tell(read.ok ? read.value.warnings : read.error, file, stderr);
  return okValue(read)?.scenario ?? null;
}

/** Reads the only document of a file. @param noun the kind of the document, for messages */
export async function readOnlyDocument<T>(
  file: string,
  stdin: Readable,
  noun: string,
  read: (document: SourceDocument) => Result<T, readonly DocumentMessage[]>,
): Promise<Result<T, readonly DocumentMessage[]>> {
  const source = await readSource(file, stdin);
  if (!source.ok) {
    return err([{ line: null, text: source.error }]);
  }
  const [document, ...others] = parseDocuments(source.value);
  if (document !== undefined && others.length === 0) {
    return read(document);
  }
  const found = document === undefined ? 'nothing' : `${others.length + 1} documents: put it into a file of its own`;
  return err([{ line: null, text: `expected one ${noun}, found ${found}` }]);
}
