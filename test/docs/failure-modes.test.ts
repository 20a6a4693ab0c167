import { describe, expect, test } from 'vitest';
import { eachRowIsShown, pageOf } from './shown-by.ts';

const page = pageOf('docs/failure-modes.md');
const QUESTIONS = ['Pods', 'Nodes', 'Drains', 'After the return', 'Alarm', 'What to do'];
const services = page
  .split(/^## /m)
  .slice(2)
  .filter((section) => !section.startsWith('Service objectives'))
  .map((section) => [section.split('\n')[0]!, section] as const);

describe('docs/failure-modes.md', () => {
  eachRowIsShown(page, 25);

  test('has a section for each service', () => {
    expect(services.length).toBeGreaterThanOrEqual(8);
  });

  test.each(services)('says of %s what becomes of everything, and what to do', (_, section) => {
    expect(QUESTIONS.filter((question) => !section.includes(`* **${question}**: `))).toEqual([]);
    expect(section).toContain('| Shown | By |');
  });
});
