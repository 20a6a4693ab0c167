import * as z from 'zod';
import { type Pause, PAUSE_SOURCES, PAUSED_PARTS, type PausedPart } from '@outrigger/core/model/pause.ts';
import { clip, quoted } from '@outrigger/core/model/values/clip.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { type EpochMs, parseTime } from '@outrigger/core/model/values/time.ts';
import { closed, flag, orNull } from './document.ts';
import { choice, group } from './names.ts';
import { time } from './time.ts';

/** A pause in a scenario or a decision. */
export const pause: z.ZodType<Pause> = closed({
  part: choice(PAUSED_PARTS),
  group: orNull(group),
  until: orNull(time),
  cancelDrains: flag,
  source: z.enum(PAUSE_SOURCES).default('Command'),
});

/** Annotation of the status ConfigMap, tag of an Auto Scaling group, or annotation of a Cluster API resource. */
export const PAUSE_KEY = 'outrigger.dev/paused';

const PARTS: ReadonlyMap<string, PausedPart> = new Map([
  ['true', 'All'],
  ['all', 'All'],
  ['scale-up', 'ScaleUp'],
  ['scale-down', 'ScaleDown'],
]);

const EXPECTED =
  'true, scale-up, scale-down or false, then if wanted "until" with a time such as 2026-01-01T03:00:00Z, then if wanted "cancel-drains"';

/** Annotations may have 256 KiB. */
const LONGEST = 256;

/**
 * Parses the text of a pause: `scale-down until 2026-01-01T03:00:00Z cancel-drains`, in upper or lower case.
 *
 * @param where what has the text, as `tag` or `annotation`
 * @param of the node group that the text is written on; `null`: the whole cluster
 * @returns `null` without a text, and for `false`; an error says what was expected and found
 */
export function parsePause(
  given: string | undefined,
  where: string,
  of: Pick<Pause, 'group' | 'source'>,
): Result<Pause | null, string> {
  const text = given?.trim() ?? 'false';
  const [first = '', ...rest] = clip(text, LONGEST).split(/\s+/);
  const cancelDrains = isWord(rest.at(-1), 'cancel-drains');
  const end = cancelDrains ? rest.slice(0, -1) : rest;
  const part = PARTS.get(first.toLowerCase());
  const until = untilIn(end);
  if (isWord(text, 'false')) {
    return ok(null);
  }
  if (part === undefined || until === undefined) {
    return err(`${where} ${PAUSE_KEY}: expected ${EXPECTED}, found ${quoted(text)}`);
  }
  return ok({ part, ...of, until, cancelDrains });
}

const isWord = (text: string | undefined, word: string): boolean => text?.toLowerCase() === word;

/** `null`: it does not end by itself; `undefined`: the words say no end. */
function untilIn(words: readonly string[]): EpochMs | null | undefined {
  const [until, text = ''] = words;
  if (words.length === 0) {
    return null;
  }
  const time = parseTime(text.toUpperCase());
  return words.length === 2 && isWord(until, 'until') && time.ok ? time.value : undefined;
}
