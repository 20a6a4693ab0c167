import { readConfiguration } from '../../config/read.ts';
import { explainInvalid, type Invalid } from '../../providers/manifest/invalid.ts';
import { parseYamlDocuments } from '../../providers/scenario/documents.ts';
import { readOptions } from '../../providers/scenario/read-options.ts';
import { readBy } from '../../providers/schema/read.ts';
import { state } from '../../providers/schema/state.ts';

/** Finds mistakes in a document of a page, whose kind the block's language and words state. */
export type DocumentCheck = (text: string) => readonly string[];

/** The fragments that have a word of their own, as in `yaml state`: they are not whole documents. */
export const FRAGMENTS: Readonly<Record<string, DocumentCheck>> = {
  state: (text) => {
    const problems: Invalid[] = [];
    readBy(state, (valueIn(text) as { readonly state?: unknown }).state, '', problems);
    return problems.map(explainInvalid);
  },
  options: (text) => {
    try {
      readOptions(valueIn(text), 'the block');
      return [];
    } catch (error) {
      return [(error as Error).message];
    }
  },
  // A cluster's settings without the list around them.
  settings: (text) => configuration(`clusters:\n  - ${text.trimEnd().replaceAll('\n', '\n    ')}\n`),
  configuration: (text) => configuration(text),
  // Objects of Kubernetes and of AWS, whose fields are not this repository's.
  manifest: (text) => (missing(text, 'kind') ? ['expected an object with a kind'] : []),
  policy: (text) => (missing(text, 'Statement') ? ['expected a policy with the list Statement'] : []),
};

function configuration(text: string): readonly string[] {
  const read = readConfiguration(text, 'the block');
  return read.ok ? read.value.warnings : read.error;
}

function valueIn(text: string): unknown {
  const [document] = parseYamlDocuments(text);
  if (document?.content.kind !== 'value') {
    throw new Error(document?.content.errors.map(({ message }) => message).join('; ') ?? 'nothing is in it');
  }
  return document.content.value;
}

const missing = (text: string, field: string): boolean => !Object.hasOwn(valueIn(text) as object, field);

/** The kind of a whole document of Outrigger's. */
export function kindOf(text: string): 'Scenario' | 'Workload' | 'configuration' | null {
  const value = valueIn(text) as { readonly kind?: unknown; readonly clusters?: unknown } | null;
  if (value?.kind === 'Scenario' || value?.kind === 'Workload') {
    return value.kind;
  }
  return value?.clusters === undefined ? null : 'configuration';
}
