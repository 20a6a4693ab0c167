import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { withEvents } from '../../scripts/docs/events.ts';

const page = await readFile(new URL('../../docs/events.md', import.meta.url), 'utf8');

it('the tables of events are those of the code (npm run docs writes them)', () => {
  expect(withEvents(page)).toBe(page);
});
