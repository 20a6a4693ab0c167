import { expect, it } from 'vitest';
import { afterEach, beforeEach, vi } from 'vitest';
import pc from 'picocolors';
import * as z from 'zod';
import { aboutHistory, type HistoryFlags } from '../../../cli/history/answer.ts';
import { momentOf } from '../../../cli/history/period.ts';
import { documentSchema } from '../../../providers/schema/documents.ts';
import type { ClusterStores } from '../../../cli/explain/stored.ts';
import { printed } from './stored-history.ts';

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const DAY: HistoryFlags = { since: momentOf('24h'), limit: 100 };
const history =
  (given: Partial<HistoryFlags> = {}) =>
  async (stored: ClusterStores) =>
    await aboutHistory({ ...DAY, ...given }, stored);
const idsIn = (stdout: string): readonly string[] =>
  stdout.split('\n').flatMap((line) => /Z +(\d+) /.exec(line)?.[1] ?? []);

it('lists what was decided, the latest first, each in a whole line where the output is no terminal', async () => {
  const { code, stdout, stderr } = await printed(history());
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(3);
  expect(lines[2]).toMatch(/^2026-01-01T12:00:00Z +1 +scale-down +/);
  expect(lines[1]).toMatch(/^2026-01-01T12:00:00Z +2 +scale-up +3 pending pods; scale up web-b 0 → 1; .{40,}/);
  expect(lines[0]).toMatch(/^2026-01-01T12:15:00Z +4 +scale-up +0 pending pods/);
});

it('lists those of a period, and at most so many', async () => {
  expect(idsIn((await printed(history({ since: momentOf('20m') }))).stdout)).toEqual(['4']);
  expect(idsIn((await printed(history({ until: momentOf('2026-01-01T12:15:00Z') }))).stdout)).toEqual(['2', '1']);
  const { stdout } = await printed(history({ limit: 1 }));
  expect(stdout).toMatch(/^2026-01-01T12:15:00Z {2}4 .*\n$/);
  expect((await printed(history({ since: momentOf('1m') }))).stdout).toBe('No decision is kept of that time.\n');
});

it.each([80, 140])('fits a terminal of %d columns, under the days', async (width) => {
  let told = '';
  await printed(async (stored) => {
    const answered = await history()(stored);
    told = answered.ok ? answered.value.text({ colors: pc.createColors(false), width }, true) : '';
    return answered;
  });
  const lines = told.trimEnd().split('\n');
  expect(lines[0]).toBe('2026-01-01');
  expect(lines[1]).toMatch(/^ {2}12:15:00 {2}4 {2}scale-up {4}0 pending pods/);
  expect(Math.max(...lines.map((line) => line.length))).toBe(width);
});

it('prints JSON as its schema has it', async () => {
  const { stdout } = await printed(history(), { output: 'json' });
  const document: unknown = JSON.parse(stdout);
  expect(z.fromJSONSchema(documentSchema('history')).safeParse(document).error).toBeUndefined();
  expect(document).toMatchObject({
    kind: 'History',
    mode: 'act',
    at: '2026-01-01T12:30:00Z',
    decisions: [{ id: '4' }, { id: '2', changes: true, scenario: 'kept' }, { id: '1' }],
  });
});

it('has the decisions of a deployment that observes', async () => {
  const { stdout } = await printed(history(), { output: 'json', dryRun: true });
  expect(JSON.parse(stdout)).toMatchObject({ mode: 'observe', decisions: [{}, {}, {}] });
});

it.each(['foo', '', '0h', '-1h', '2h3', '2026-01-01'])('refuses %j as a time, and says what is expected', (text) => {
  expect(() => momentOf(text)).toThrow(
    'Expected how long ago, such as 2h or 90m, or a time, such as 2026-01-01T12:00:00Z.',
  );
});
