import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { evaluate } from '../../../core/evaluate.ts';
import { parseDocuments } from '../../../providers/scenario/documents.ts';
import { readScenario } from '../../../providers/scenario/scenario.ts';
import { decision } from '../../../providers/schema/decision.ts';

const EXAMPLES = ['cluster-api', 'spot-shortage', 'three-zones', 'unschedulable'];

test.each(EXAMPLES)('a decision is the same after it was written and read again: %s', async (example) => {
  const text = await readFile(new URL(`../../../examples/${example}.yaml`, import.meta.url), 'utf8');
  const { content } = parseDocuments(text)[0]!;
  const read = readScenario(content.kind === 'value' ? content.value : null);
  if (!read.ok) {
    throw new Error(JSON.stringify(read.error));
  }
  const decided = evaluate(read.value);
  const written: unknown = JSON.parse(JSON.stringify(z.encode(decision, decided)));
  expect(z.decode(decision, written)).toEqual(decided);
});

test('a decision is written whatever its numbers and names are', async () => {
  const text = await readFile(new URL(`../../../examples/three-zones.yaml`, import.meta.url), 'utf8');
  const { content } = parseDocuments(text)[0]!;
  const read = readScenario(content.kind === 'value' ? content.value : null);
  const decided = evaluate((read as { readonly value: Parameters<typeof evaluate>[0] }).value);
  const plan = { cost: Number.NaN, bound: -1, basis: 'size' } as const;
  const written = z.encode(decision, { ...decided, name: '', scaleUp: { ...decided.scaleUp, plan } });
  expect(written).toMatchObject({ metadata: { name: '' }, scaleUp: { plan } });
});
