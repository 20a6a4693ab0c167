import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import type { Readable } from 'node:stream';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import { textIf, presentItems } from '@outrigger/core/model/values/optional.ts';

/** The file name that means standard input. */
const STDIN = '-';

export const displayName = (file: string): string => (file === STDIN ? '<stdin>' : file);

/** `scenario.yaml:3`; without a line, the name of the file. */
export const placeText = (file: string, line: number | null): string =>
  presentItems([displayName(file), line]).join(':');

/**
 * Reads a file, or standard input for `-`, as UTF-8.
 *
 * @returns the text, or why it cannot be read.
 */
export async function readSource(file: string, stdin: Readable): Promise<Result<string, string>> {
  let bytes: Buffer;
  try {
    bytes = file === STDIN ? await buffer(stdin) : await readFile(file);
  } catch (error) {
    return err(whyUnreadable(error));
  }
  if (bytes.length > LONGEST_TEXT) {
    return err(
      `is larger than ${LONGEST_TEXT / MB} MB; split it into several documents, or leave out what is not read`,
    );
  }
  try {
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return err(`is not UTF-8 text${textIf(isUtf16(bytes), ' but UTF-16, as PowerShell writes it: save it as UTF-8')}`);
  }
}

const MB = 2 ** 20;
/** The text of a file is one string, of which V8 allows half a gigabyte. */
const LONGEST_TEXT = 500 * MB;

const isUtf16 = (bytes: Buffer): boolean =>
  bytes.length >= 2 && ((bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff));

const EXPLANATIONS: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EISDIR: 'is a directory; name the files in it',
  EACCES: 'permission denied',
};

/** Why a file cannot be read, in a few words. */
export function whyUnreadable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return EXPLANATIONS[code] ?? `cannot be read: ${messageOf(error)}`;
}
