import { conclusion, introduction } from './introduction.ts';
import type { Recording } from '@outrigger/simulation/recording/recording.ts';
import { recordingStory } from './story.ts';
import type { Style } from '../../terminal/text.ts';

/** All lines of a recording: the node groups, the story, a chart of the nodes, the summary. */
export function printed(recording: Recording, style: Style): string {
  const lines = [
    ...introduction(recording, style),
    ...recordingStory(recording, style).flatMap((beat) => beat.lines),
    ...conclusion(recording, style),
  ];
  return `${lines.join('\n')}\n`;
}
