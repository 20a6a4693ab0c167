import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { EMPTY_STATE } from '../../core/model/state.ts';
import { parseDocuments } from '../../providers/scenario/documents.ts';
import { blocksIn } from '../../scripts/docs-check/blocks.ts';
import { withSchemas } from '../../scripts/docs/schemas.ts';
import { KINDS } from '../../providers/manifest/objects.ts';
import { readScenario } from '../../providers/scenario/scenario.ts';
import { readState } from '../state-documents.ts';

const text = await readFile(new URL('../../docs/scenario.md', import.meta.url), 'utf8');
const examples = blocksIn('scenario.md', text)
  .filter(({ language, words }) => language === 'yaml' && !words.includes('invalid'))
  .map((block) => {
    const { content } = parseDocuments(block.text)[0]!;
    return content.kind === 'value' ? content.value : content.errors;
  });

describe('the documentation of scenarios', () => {
  it('shows a scenario and a state that are read', () => {
    const [scenario, ...fragments] = examples as [unknown, ...{ readonly state?: unknown }[]];
    const [state] = fragments.flatMap((fragment) => fragment.state ?? []);
    expect(readScenario(scenario)).toMatchObject({ ok: true });
    expect(state).toBeDefined();
    expect(readState(state)).toMatchObject({ ok: true });
  });

  it.each(['scenario', 'workload'])('has the tables of the schemas: %s.md (npm run docs writes them)', async (page) => {
    const written = await readFile(new URL(`../../docs/${page}.md`, import.meta.url), 'utf8');
    expect(written).toContain('from providers/schema');
    expect(withSchemas(written)).toBe(written);
  });

  it.each(Object.keys(EMPTY_STATE))('names %s of the state', (field) => {
    expect(text).toContain(`\`${field}\``);
  });

  it.each(Object.keys(KINDS))('names the kind %s', (kind) => {
    expect(text).toMatch(new RegExp(`\\b${kind}\\b`));
  });
});
