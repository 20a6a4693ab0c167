import { describe, expect, test } from 'vitest';
import type { Pause } from '../../../core/model/pause.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { ok } from '../../../core/model/values/result.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { parsePause } from '../../../providers/schema/pause.ts';

const web = groupName('web');
const read = (text: string | undefined) => parsePause(text, 'tag', { group: web, source: 'NodeGroup' });
const until = epochMs(Date.UTC(2026, 0, 1, 3));

describe('the text of a pause', () => {
  test.each<readonly [string | undefined, Partial<Pause> | null]>([
    [undefined, null],
    ['false', null],
    [' False ', null],
    ['true', {}],
    ['TRUE', {}],
    ['all', {}],
    ['scale-up', { part: 'ScaleUp' }],
    ['scale-down cancel-drains', { part: 'ScaleDown', cancelDrains: true }],
    ['true until 2026-01-01T03:00:00Z', { until }],
    ['scale-down  until 2026-01-01T03:00:00Z cancel-drains', { part: 'ScaleDown', until, cancelDrains: true }],
  ])('%j', (text, expected) => {
    const plain: Pause = { part: 'All', group: web, until: null, cancelDrains: false, source: 'NodeGroup' };
    expect(read(text)).toEqual(ok(expected === null ? null : { ...plain, ...expected }));
  });

  test.each([
    '',
    '2h',
    'yes',
    'constructor',
    'true until',
    'true until tomorrow',
    'true for 2h',
    'until 2026-01-01T03:00:00Z',
    'true cancel-drains until 2026-01-01T03:00:00Z',
    'false until 2026-01-01T03:00:00Z',
  ])('that is malformed pauses nothing, and is named with what was expected: %j', (text) => {
    expect(read(text)).toEqual({
      ok: false,
      error: `tag outrigger.dev/paused: expected true, scale-up, scale-down or false, then if wanted "until" with a time such as 2026-01-01T03:00:00Z, then if wanted "cancel-drains", found ${JSON.stringify(text)}`,
    });
  });

  test('is not repeated whole where it is long', () => {
    const pause = read('x'.repeat(100_000));
    expect(pause.ok ? 0 : pause.error.length).toBeLessThan(600);
  });
});
