import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { progressOn, withProgress } from '../../../cli/terminal/progress.ts';

const CLEAR = '\r\u001B[K';

function watched(stream: { readonly isTTY?: boolean; readonly columns?: number }) {
  let now = 0;
  const stderr = Object.assign(new PassThrough(), stream);
  const progress = progressOn(stderr, () => now);
  return {
    ...progress,
    at: (ms: number, text: string) => {
      now = ms;
      progress.say(() => text);
    },
    written: () => (stderr.read() as Buffer | null)?.toString() ?? '',
  };
}

describe('progress', () => {
  beforeEach(() => void vi.stubEnv('TERM', 'xterm'));
  afterEach(() => void vi.unstubAllEnvs());

  it('is said on a terminal after a second, four times a second at most, and is taken away', () => {
    const { at, clear, written } = watched({ isTTY: true, columns: 80 });
    at(900, 'a');
    at(1_000, 'b');
    at(1_100, 'c');
    at(1_250, 'd');
    clear();
    clear();
    expect(written()).toBe(`${CLEAR}b${CLEAR}d${CLEAR}`);
  });

  it('keeps to one line', () => {
    const { at, written } = watched({ isTTY: true, columns: 40 });
    at(2_000, 'x'.repeat(100));
    expect(written()).toBe(`${CLEAR}${'x'.repeat(38)}…`);
  });

  it('of something that is known to be long is said at once', () => {
    const { announce, written } = watched({ isTTY: true });
    announce('Reading big.yaml');
    expect(written()).toBe(`${CLEAR}Reading big.yaml`);
  });

  it.each([
    ['a pipe', {}, 'xterm'],
    ['a terminal without a cursor to move', { isTTY: true }, 'dumb'],
  ])('is not said on %s', (_, stream, term) => {
    vi.stubEnv('TERM', term);
    const { at, announce, clear, written } = watched(stream);
    at(5_000, 'a');
    announce('b');
    clear();
    expect(written()).toBe('');
  });
});

it('work that takes longer than a second is named, and shorter work is not', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const stderr = new PassThrough();
  expect(await withProgress(stderr, 'short', async () => vi.advanceTimersByTime(999) && 1)).toBe(1);
  await withProgress(stderr, 'long', async () => vi.advanceTimersByTime(1_001));
  expect((stderr.read() as Buffer).toString()).toBe('long\n');
});
