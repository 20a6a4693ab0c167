import { itemAt } from '../../../core/model/values/existing.ts';
import { setTimeout } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { conclusion, introduction } from './introduction.ts';
import { panelLines } from './panel.ts';
import type { Recording } from '../../../simulation/recording/recording.ts';
import { createStage } from './stage.ts';
import { recordingStory } from './story.ts';
import type { Style } from '../../terminal/text.ts';

/** Seconds that a recording plays at speed 1. */
const PLAY_SECONDS = 16;
/** The longest pause between two beats, in seconds of virtual time; longer ones are shortened. */
const LONGEST_PAUSE = 15;
const FRAME_MS = 80;

/** The part of a terminal that `play` uses. */
export interface Terminal {
  readonly rows?: number;
  readonly write: (text: string) => unknown;
}

/** All lines of a recording, for output that is not a terminal. */
export function printed(recording: Recording, style: Style): string {
  const lines = [
    ...introduction(recording, style),
    ...recordingStory(recording, style).flatMap((beat) => beat.lines),
    ...conclusion(recording, style),
  ];
  return `${lines.join('\n')}\n`;
}

/** Plays a recording on a terminal, at a readable pace. */
export async function play(recording: Recording, style: Style, speed: number, terminal: Terminal): Promise<void> {
  const beats = recordingStory(recording, style);
  const pauses = beats.map((beat, index) => Math.min(LONGEST_PAUSE, beat.at - (beats[index - 1]?.at ?? 0)));
  const total = pauses.reduce((sum, pause) => sum + pause, 0);
  const pace = total === 0 ? 0 : PLAY_SECONDS / speed / total;
  const stage = createStage(recording.nodeGroups);
  let shown = 0;
  let drawn = 0;

  const erase = (): string => (drawn > 0 ? `\u001B[${drawn}A\u001B[J` : '');
  const draw = (at: number, lines: readonly string[]): void => {
    for (; shown < recording.timeline.length && itemAt(recording.timeline, shown).at <= at; shown += 1) {
      stage.advance(itemAt(recording.timeline, shown));
    }
    const panel = panelLines(stage, at, style);
    // A line that the terminal wraps could not be erased.
    const fits =
      panel.length + 4 < (terminal.rows ?? 24) &&
      panel.every((line) => stripVTControlCharacters(line).length <= style.width);
    terminal.write(`${erase()}${lines.map((line) => `${line}\n`).join('')}${fits ? `${panel.join('\n')}\n` : ''}`);
    drawn = fits ? panel.length : 0;
  };

  terminal.write(`${introduction(recording, style).join('\n')}\n`);
  const begin = performance.now();
  let at = 0;
  let due = begin;
  for (const [index, beat] of beats.entries()) {
    const since = due;
    due += itemAt(pauses, index) * pace * 1_000;
    // Paced by the wall clock: a slow terminal does not make the run longer.
    for (let now = performance.now(); now < due; now = performance.now()) {
      draw(at + ((beat.at - at) * Math.max(0, now - since)) / (due - since), []);
      await setTimeout(Math.min(FRAME_MS, due - now));
    }
    at = beat.at;
    draw(at, beat.lines);
  }
  draw(recording.summary.seconds, []);
  terminal.write(`${conclusion(recording, style).join('\n')}\n`);
}
