import { readFile, readdir } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { evaluate } from '../../../core/evaluate.ts';
import { parseDocuments } from '../../../providers/scenario/documents.ts';
import { writeDecision } from '../../../providers/scenario/decision.ts';
import { readScenario, writeScenario } from '../../../providers/scenario/scenario.ts';
import { outrigger } from '../outrigger.ts';
import { DOCUMENT_NAMES, type DocumentName, documentSchema } from '../../../providers/schema/documents.ts';

const EXAMPLES = new URL('../../../examples/', import.meta.url);
const HEAD = { apiVersion: 'outrigger.dev/v1alpha1', kind: 'Scenario', now: '2026-01-01T12:00:00Z' };

const printed = async (...args: readonly string[]): Promise<string> => (await outrigger(args)).stdout;

/** Faults that a validator of the JSON Schema alone finds. */
function faults(name: DocumentName, document: unknown): readonly string[] {
  const validator = z.fromJSONSchema(documentSchema(name));
  const { error } = validator.safeParse(document);
  return error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) ?? [];
}

async function examples(folder: URL): Promise<readonly [string, unknown][]> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml'));
  const documents = await Promise.all(
    names.map(async (name) =>
      parseDocuments(await readFile(new URL(name, folder), 'utf8')).map(({ content }): [string, unknown] => [
        name,
        content.kind === 'value' ? content.value : content.errors,
      ]),
    ),
  );
  return documents.flat();
}
const scenarios = await examples(EXAMPLES);
const workloads = await examples(new URL('workloads/', EXAMPLES));

describe('outrigger schema', () => {
  it.each(DOCUMENT_NAMES)('prints the JSON Schema of %s', async (name) => {
    expect(JSON.parse(await printed('schema', name))).toEqual(documentSchema(name));
    expect(documentSchema(name)).toMatchObject({ $schema: expect.stringContaining('draft-07'), type: 'object' });
  });

  it('prints it as YAML', async () => {
    expect(parse(await printed('schema', 'state', '-o', 'yaml'))).toEqual(documentSchema('state'));
  });

  it('names the documents that there are', async () => {
    expect((await outrigger(['schema', 'drain'])).stderr).toMatch(
      /Allowed choices are scenario, state, decision, status, pod-explanation, node-explanation, group-explanation, pauses, planned-placement, timeline, history, comparison, replay, node-cost, backtest, advice, event, options/,
    );
  });
});

describe('the JSON Schema', () => {
  it.each(scenarios)('of a scenario accepts the example %s', (_name, document) => {
    expect(faults('scenario', document)).toEqual([]);
  });

  it.each(scenarios)(
    'of a decision, and of its state, accepts what is decided of the example %s',
    (_name, document) => {
      const read = readScenario(document);
      if (!read.ok) {
        throw new Error(JSON.stringify(read.error));
      }
      const decided = JSON.parse(JSON.stringify(writeDecision(evaluate(read.value)))) as { readonly state: unknown };
      expect(faults('decision', decided)).toEqual([]);
      expect(faults('state', decided.state)).toEqual([]);
      const written = JSON.parse(JSON.stringify(writeScenario(read.value))) as { readonly options: unknown };
      expect(faults('scenario', written)).toEqual([]);
      expect(faults('options', written.options)).toEqual([]);
    },
  );

  it.each(workloads)('of a workload accepts the example %s', (_name, document) => {
    expect(faults('workload', document)).toEqual([]);
  });

  it.each<[string, DocumentName, object]>([
    ['a field that does not exist', 'scenario', { ...HEAD, nodegroups: [] }],
    [
      'a size that is none',
      'scenario',
      { ...HEAD, nodeGroups: [{ name: 'a', minSize: -1, maxSize: 1, targetSize: 0 }] },
    ],
    ['a group without its sizes', 'scenario', { ...HEAD, nodeGroups: [{ name: 'a' }] }],
    ['an option that does not exist', 'scenario', { ...HEAD, options: { maxNodeTotal: 1 } }],
    ['a step of no kind', 'workload', { ...HEAD, kind: 'Workload', nodeGroups: [], load: [{ at: '1s', deploi: {} }] }],
    ['an option of another kind', 'options', { maxNodesTotal: '5' }],
    ['a class of failure that does not exist', 'state', { backoff: { a: { class: 'Bad' } } }],
  ])('refuses %s', (_what, name, document) => {
    expect(faults(name, document)).not.toEqual([]);
  });

  it('takes null for absent, and other spellings of options', () => {
    const nothing = { metadata: null, provider: null, options: null, nodeGroups: null, state: null };
    expect(faults('scenario', { ...HEAD, ...nothing })).toEqual([]);
    expect(faults('options', { maxNodesTotal: null, expanders: 'least-waste,random', startupTaint: 'a' })).toEqual([]);
  });

  it('says what options mean, and their defaults', () => {
    expect(documentSchema('options')['properties']).toMatchObject({
      expander: { description: expect.stringContaining('node groups'), default: ['least-waste'] },
      scaleDownUnneededTime: { default: '10m' },
    });
  });
});
