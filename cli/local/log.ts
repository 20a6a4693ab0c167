import { printable, printableLine } from '@outrigger/core/model/values/printable.ts';
import type { Log, LogFields } from '@outrigger/core/ports/observability.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

export type LogFormat = 'text' | 'json';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;
export type LogLevel = (typeof LEVELS)[number];

/**
 * A log of single lines: as text the time, the level and the message; as JSON all fields.
 *
 * @param write takes one line, with its newline
 */
export function createLog(
  format: LogFormat,
  lowest: LogLevel,
  write: (line: string) => void,
  now = () => new Date(),
): Log {
  const line =
    (level: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (LEVELS.indexOf(level) >= LEVELS.indexOf(lowest)) {
        write(`${LINES[format](now(), level, message, fields)}\n`);
      }
    };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}

const json = (time: Date, level: LogLevel, message: string, fields: LogFields): string =>
  JSON.stringify({ time: time.toISOString(), level, message, ...fields }, (_key, value: unknown) => {
    if (value instanceof Error) {
      return { name: value.name, message: errorText(value), stack: value.stack };
    }
    return typeof value === 'string' ? printable(value) : value;
  });

function text(time: Date, level: LogLevel, message: string, fields: LogFields): string {
  const { error, reason } = fields;
  const why = error === undefined ? reason : errorText(error);
  const sentence = [message, why].filter((part) => typeof part === 'string').join(': ');
  return `${time.toISOString().slice(11, 23)} ${level.padEnd(5)} ${printableLine(sentence)}`;
}

const LINES: Readonly<Record<LogFormat, typeof text>> = { text, json };

/** The log with some errors as messages of the level debug, by the field `error`. */
export const withErrorsAsDetails = (log: Log, isDetail: (error: unknown) => boolean): Log => ({
  ...log,
  error: (message, fields) => {
    const level = isDetail(fields?.['error']) ? 'debug' : 'error';
    log[level](message, fields);
  },
});

/** The error's message with the messages of its causes. */
export function errorText(error: unknown): string {
  if (!(error instanceof Error)) {
    return String(error);
  }
  const own = presentItems([error.cause]);
  const parts: readonly unknown[] = error instanceof AggregateError ? error.errors : own;
  const causes = parts.map(errorText).filter((cause) => !error.message.includes(cause));
  if (causes.length === 0) {
    return error.message || error.name;
  }
  return `${error.message} (${causes.join('; ')})`;
}
