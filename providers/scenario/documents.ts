import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { firstItem, textBefore } from '@outrigger/core/model/values/existing.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { Document, LineCounter, type Node, isCollection, isNode, parseAllDocuments, parseDocument, visit } from 'yaml';

/** A document of a file. */
export interface SourceDocument {
  /** Counted from 1, over all non-empty documents of the file. */
  readonly number: number;
  readonly content: Content;
}

export type Content =
  | {
      readonly kind: 'value';
      readonly value: unknown;
      /** The line, from 1, of a place such as `nodeGroups[0].name`; `null` where lines are not known. */
      readonly lineOf: (place: string) => number | null;
    }
  | { readonly kind: 'malformed'; readonly errors: readonly SyntaxFault[] };

export interface SyntaxFault {
  readonly line: number | null;
  readonly message: string;
}

/**
 * Splits a file into documents: YAML with any number of documents, one JSON object, or one JSON object per line.
 *
 * @returns the non-empty documents, in order; a malformed one does not affect the rest.
 */
export const parseDocuments = (text: string): readonly SourceDocument[] =>
  numbered(jsonContents(text) ?? yamlContents(text));

/** The same without the fast path for JSON, which is YAML too: each place has its line. */
export const parseYamlDocuments = (text: string): readonly SourceDocument[] => numbered(yamlContents(text));

const numbered = (contents: readonly Content[]): readonly SourceDocument[] =>
  contents.map((content, index) => ({ number: index + 1, content }));

/** JSON is YAML too, but the JSON parser reads a large cluster forty times faster. */
function jsonContents(text: string): readonly Content[] | null {
  if (!/^\s*[{[]/.test(text)) {
    return null;
  }
  const whole = parseJson(text);
  if (whole.ok) {
    return [jsonContent(text, whole.value)];
  }
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  const filled = lines.filter(({ line }) => line.trim() !== '');
  const areObjects = filled.length > 1 && filled.every(({ line }) => /^\s*\{/.test(line));
  if (!areObjects || !parseJson(firstItem(filled).line).ok) {
    return null;
  }
  return filled.map(({ line, number }): Content => {
    const parsed = parseJson(line);
    if (!parsed.ok) {
      return malformed(number, parsed.error);
    }
    return { kind: 'value', value: parsed.value, lineOf: () => number };
  });
}

/** Characters up to which a JSON document is read as YAML, too, for what JSON's parser does not say: half a second. */
const LONGEST_READ_TWICE = 500_000;

/** The JSON parser has no lines, and of a field that is there twice it takes the last. */
function jsonContent(text: string, value: unknown): Content {
  if (text.length > LONGEST_READ_TWICE) {
    return { kind: 'value', value, lineOf: () => null };
  }
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines });
  const twice = document.errors.filter(({ code }) => code === 'DUPLICATE_KEY');
  if (twice.length > 0) {
    return { kind: 'malformed', errors: syntaxFaults(twice) };
  }
  return { kind: 'value', value, lineOf: (place) => lineOfPlace(document, place, lines) };
}

function parseJson(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text));
  } catch (error) {
    return err(messageOf(error));
  }
}

const malformed = (line: number | null, message: string): Content => ({
  kind: 'malformed',
  errors: [{ line, message }],
});

type YamlDocument = Document.Parsed;

// Far more aliases than a document by hand or by a template uses, and far fewer than a file needs to expand without
// bound.
const MOST_ALIASES = 10_000;

function yamlContents(text: string): readonly Content[] {
  const lines = new LineCounter();
  let documents: readonly YamlDocument[];
  try {
    documents = [...parseAllDocuments(text, { lineCounter: lines, merge: true })];
  } catch (error) {
    return [malformed(null, yamlFault(error))];
  }
  return documents
    .map((document) => yamlContent(document, lines))
    .filter((content) => content.kind === 'malformed' || content.value !== null);
}

/** The parser continues after an error, and one error may cause more in the rest of the document. */
const MOST_FAULTS = 10;
const LONGEST_FAULT = 160;

function syntaxFaults(errors: YamlDocument['errors']): readonly SyntaxFault[] {
  const faults = errors.map(({ message, linePos }) => ({
    line: linePos?.[0].line ?? null,
    // The line comes first in what is printed; the message may quote a whole file.
    message: clip(
      textBefore(message, '\n')
        .replace(/:$/, '')
        .replace(/ at line \d+, column \d+$/, ''),
      LONGEST_FAULT,
    ),
  }));
  const overflow = faults.find(({ message }) => message.startsWith('Maximum call stack size exceeded'));
  if (overflow !== undefined) {
    return [{ line: overflow.line, message: TOO_DEEP }];
  }
  return faults.slice(0, MOST_FAULTS);
}

function yamlContent(document: YamlDocument, lines: LineCounter): Content {
  if (document.errors.length > 0) {
    return { kind: 'malformed', errors: syntaxFaults(document.errors) };
  }
  let aliases = 0;
  visit(document, { Alias: () => void (aliases += 1) });
  if (aliases > MOST_WRITTEN) {
    return malformed(startOf(document.contents, lines), `the document has more than ${MOST_WRITTEN} aliases`);
  }
  try {
    return {
      kind: 'value',
      value: document.toJS({ maxAliasCount: MOST_ALIASES }) as unknown,
      lineOf: (place) => lineOfPlace(document, place, lines),
    };
  } catch (error) {
    return malformed(startOf(document.contents, lines), yamlFault(error));
  }
}

/** Aliases in the text. Each is looked up in the whole document: 20,000 take twelve seconds. */
const MOST_WRITTEN = 5_000;

const TOO_DEEP = 'the document is nested too deeply';

function yamlFault(error: unknown): string {
  if (error instanceof RangeError) {
    return TOO_DEEP;
  }
  if (error instanceof ReferenceError && error.message.startsWith('Excessive alias count')) {
    return `the document uses more than ${MOST_ALIASES} aliases, counting aliases of aliases: they would fill the memory`;
  }
  return messageOf(error);
}

function startOf(node: Node | null, lines: LineCounter): number | null {
  const start = node?.range?.[0];
  return mapOptional(start, (offset) => lines.linePos(offset).line) ?? null;
}

/** Follows a place into the document as far as it exists: a missing field has the position of its object. */
function lineOfPlace(document: YamlDocument, place: string, lines: LineCounter): number | null {
  let node: Node | null = document.contents;
  for (const [, quoted, index, name] of place.matchAll(/\[("(?:[^"\\]|\\.)*")\]|\[(\d+)\]|([^.[\]]+)/g)) {
    const key = quoted === undefined ? (name ?? Number(index)) : (JSON.parse(quoted) as string);
    const child: unknown = isCollection(node) && node.get(key, true);
    if (!isNode(child)) {
      break;
    }
    node = child;
  }
  return startOf(node, lines);
}

const LONGEST_IN_ONE_LINE = 110;

/**
 * Prints a document as YAML, with small objects and lists on a line of their own. Any text that another
 * version of YAML would not parse as a string is quoted, times included.
 */
export function printYaml(value: unknown): string {
  const document = new Document(value, { aliasDuplicateObjects: false, compat: 'yaml-1.1' });
  visit(document, {
    Collection: (_key, node, path) => {
      if (path.length > 1 && JSON.stringify(node.toJS(document)).length <= LONGEST_IN_ONE_LINE) {
        node.flow = true;
        return visit.SKIP;
      }
      return undefined;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}
