import { describe, expect, test } from 'vitest';
import { eachRowIsShown, pageOf, sectionsOf } from './shown-by.ts';

const page = pageOf('docs/threat-model.md');

describe('docs/threat-model.md', () => {
  eachRowIsShown(page, 30);

  test('has a section for each actor of SECURITY.md, which refers to it', () => {
    const links = [...pageOf('SECURITY.md').matchAll(/\(docs\/threat-model\.md#([a-z-]+)\)/g)].map(
      ([, anchor]) => anchor!,
    );
    const sections = sectionsOf(page);
    expect(new Set(links).size).toBeGreaterThan(7);
    expect(links.filter((link) => !sections.has(link))).toEqual([]);
  });
});
