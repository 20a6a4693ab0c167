import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { reasonsPage, withReasons } from '../../scripts/docs/reasons.ts';
import { wordTables } from '../core/words/word-tables.ts';

const docs = new URL('../../docs/', import.meta.url);
const pages = (await readdir(docs)).filter((name) => name.endsWith('.md'));
const textOf = (name: string): Promise<string> => readFile(new URL(name, docs), 'utf8');

describe('the documentation of reasons is that of the code (npm run docs writes it)', () => {
  it('docs/reasons.md', async () => {
    expect(await textOf('reasons.md')).toBe(reasonsPage());
  });

  it.each(pages)('the tables in docs/%s', async (name) => {
    const page = await textOf(name);
    expect(withReasons(page)).toBe(page);
  });

  it.each(['scale-down.md', 'drain.md', 'cluster-state.md'])(
    'docs/%s has such a table, and links to all reasons',
    async (name) => {
      const page = await textOf(name);
      expect(page).toContain('written by `npm run docs` from core/words');
      expect(page).toContain('(reasons.md');
    },
  );
});

it('every reason is on the page', async () => {
  const page = reasonsPage().replaceAll('`', '');
  const rows = (await wordTables()).flatMap(({ words }) => Object.entries(words));
  expect(rows.filter(([reason, { sentence }]) => !page.includes(`| ${reason} |`) || !page.includes(sentence))).toEqual(
    [],
  );
});

describe('a table within a page', () => {
  const begin = (name: string): string => `<!-- Begin ${name}: written by \`npm run docs\` from core/words. -->\n`;

  it('takes the place of what was between its markers, and of nothing else', () => {
    const page = `before\n${begin('repairs')}old\n<!-- End -->\nbetween\n${begin('repairs')}\n<!-- End -->\nafter\n`;
    const written = withReasons(page);
    expect(written).toMatch(
      /^before\n<!-- Begin[^]*\| `DecreaseTarget` \|[^]*<!-- End -->\nbetween\n[^]*<!-- End -->\nafter\n$/,
    );
    expect(written).not.toContain('old');
    expect(withReasons(written)).toBe(written);
  });

  it.each([
    ['of a name that is not known', `${begin('nothing')}\n<!-- End -->`],
    ['without an end', begin('repairs')],
  ])('%s is an error', (_, page) => {
    expect(() => withReasons(page)).toThrow('marker');
  });
});
