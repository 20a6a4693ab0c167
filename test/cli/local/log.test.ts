import { describe, expect, it } from 'vitest';
import { createLog, errorText, type LogFormat, type LogLevel } from '../../../cli/local/log.ts';

const NOW = new Date('2026-01-01T12:00:00.123Z');

function linesOf(format: LogFormat, lowest: LogLevel = 'info') {
  const lines: string[] = [];
  const log = createLog(
    format,
    lowest,
    (line) => lines.push(line),
    () => NOW,
  );
  return { log, lines };
}

describe('the log', () => {
  it('is a line of time, level and sentence for people', () => {
    const { log, lines } = linesOf('text');
    log.info('web: scale up a 0 → 3', { result: 'ScaledUp' });
    expect(lines).toEqual(['12:00:00.123 info  web: scale up a 0 → 3\n']);
  });

  it('says on one line what an error says on many', () => {
    const { log, lines } = linesOf('text');
    log.error('Looking failed', { error: new Error('two\n  lines', { cause: new Error('refused') }) });
    expect(lines).toEqual(['12:00:00.123 error Looking failed: two lines (refused)\n']);
  });

  it('is JSON with all fields for programs', () => {
    const { log, lines } = linesOf('json');
    log.warn('Failed', { group: 'a', error: new Error('no') });
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0]!)).toMatchObject({
      time: NOW.toISOString(),
      level: 'warn',
      message: 'Failed',
      group: 'a',
      error: { name: 'Error', message: 'no' },
    });
  });

  it.each(['text', 'json'] as const)('passes nothing to a terminal that steers it, as %s', (format) => {
    const { log, lines } = linesOf(format);
    log.error('refused \u001B]0;x\u0007', { error: new Error('by \u009B2J'), reason: '\u202E', group: '\u009B' });
    expect(lines.join('')).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('leaves out what is below its level', () => {
    const { log, lines } = linesOf('text', 'warn');
    log.debug('1');
    log.info('2');
    log.warn('3');
    expect(lines).toHaveLength(1);
  });
});

describe('the text of an error', () => {
  it.each([
    { error: 'text', expected: 'text' },
    { error: new Error('a'), expected: 'a' },
    { error: new Error('a', { cause: new Error('b', { cause: new Error('c') }) }), expected: 'a (b (c))' },
    { error: new Error('a: b', { cause: new Error('b') }), expected: 'a: b' },
    { error: new AggregateError([new Error('b'), new Error('c')], 'a'), expected: 'a (b; c)' },
    { error: new TypeError(), expected: 'TypeError' },
  ])('is $expected', ({ error, expected }) => {
    expect(errorText(error)).toBe(expected);
  });
});
