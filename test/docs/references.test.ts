import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorOf } from '../../scripts/docs-site/contents.ts';

const root = join(import.meta.dirname, '../..');
const pages = globSync(['*.md', 'docs/**/*.md', 'deploy/**/*.md'], { cwd: root });
const { homepage } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { readonly homepage: string };
/** Links to this repository at GitHub: the address, and the path of a file or folder. */
const OWN_ADDRESS = new RegExp(
  String.raw`${homepage.replace('#readme', '')}/(?:blob/main|tree/main|actions/workflows)/([\w./-]+)`,
  'g',
);

/** Paths of files and folders of this repository, as pages name them in code: `core/drain/step.ts`, `core/drain`. */
const PATH = /`((?:core|providers|functions|runtime|cli|cdk|test|scripts|docs|examples)\/[\w./-]+)`/g;
const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;
const ANCHOR = /\]\(((?:[\w./-]+\.md)?)#([^)\s]+)\)/g;

/** The anchors of a page: those of headings, as GitHub makes them, and those with names of their own, as terraform-docs does. */
const anchorsOf = (page: string): readonly string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.+)$|<a name="(.+?)">/gm)].map(
    ([, heading, name]) => name ?? anchorOf(heading!),
  );

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  test('names files and folders that exist', () => {
    const missing = [...text.matchAll(PATH)].map(([, path]) => path!).filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  test('links to headings that exist', () => {
    const wrong = [...text.matchAll(ANCHOR)]
      .map(([, target, anchor]) => ({
        file: target === '' ? page : normalize(join(dirname(page), target!)),
        anchor: anchor!.replaceAll('\\', ''),
      }))
      .filter(({ file, anchor }) => !anchorsOf(file).includes(anchor));
    expect(wrong).toEqual([]);
  });

  test('links to files and workflows of the repository that exist', () => {
    const missing = [...text.matchAll(OWN_ADDRESS)]
      .map(([address, path]) =>
        address.includes('/workflows/') ? `.github/workflows/${path!.replace('/badge.svg', '')}` : path!,
      )
      .filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  test('links to pages that exist', () => {
    const targets = [...text.matchAll(LINK)].map(([, target]) => target!).filter((target) => !/^[a-z]+:/.test(target));
    const missing = targets.filter((target) => !existsSync(normalize(join(root, dirname(page), target))));
    expect(missing).toEqual([]);
  });
});
