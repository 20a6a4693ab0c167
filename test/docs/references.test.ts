import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, test } from 'vitest';
import { anchorOf } from '../../scripts/docs-site/contents.ts';

const root = join(import.meta.dirname, '../..');
const pages = ['README.md', 'SECURITY.md', ...globSync('docs/**/*.md', { cwd: root })];

/** Paths of files and folders of this repository, as pages name them in code: `core/drain/step.ts`, `core/drain`. */
const PATH = /`((?:core|providers|functions|runtime|cli|cdk|test|scripts|docs|examples)\/[\w./-]+)`/g;
const LINK = /\]\(([^)#\s]+)(?:#[^)]*)?\)/g;
const ANCHOR = /\]\(((?:[\w./-]+\.md)?)#([^)\s]+)\)/g;

/** The anchors of a page's headings, as GitHub makes them. */
const headingsOf = (page: string): readonly string[] =>
  [...readFileSync(join(root, page), 'utf8').matchAll(/^#+ (.+)$/gm)].map(([, heading]) => anchorOf(heading!));

describe.each(pages)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  test('names files and folders that exist', () => {
    const missing = [...text.matchAll(PATH)].map(([, path]) => path!).filter((path) => !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  test('links to headings that exist', () => {
    const wrong = [...text.matchAll(ANCHOR)]
      .map(([, target, anchor]) => ({ file: target === '' ? page : normalize(join(dirname(page), target!)), anchor }))
      .filter(({ file, anchor }) => !headingsOf(file).includes(anchor!));
    expect(wrong).toEqual([]);
  });

  test('links to pages that exist', () => {
    const targets = [...text.matchAll(LINK)].map(([, target]) => target!).filter((target) => !/^[a-z]+:/.test(target));
    const missing = targets.filter((target) => !existsSync(normalize(join(root, dirname(page), target))));
    expect(missing).toEqual([]);
  });
});
