import { type Pause, pausedBy, type PausedPart, pausedUntil } from '../model/pause.ts';
import type { Words } from './words.ts';
import { mapOptional, presentItems } from '../model/values/optional.ts';

/** The work that a pause holds back. */
export const PAUSED_PARTS_WORDS = {
  All: {
    short: 'everything is paused',
    sentence:
      'No node group is raised, no node is removed, consolidated or replaced, and no instance is terminated. Nodes whose instances the cloud ends are drained as usual.',
    advice: 'Resume it by outrigger resume when the cause is found.',
  },
  ScaleUp: {
    short: 'scale-up is paused',
    sentence: 'No node group is raised: pods that need a new node remain pending.',
    advice: 'Resume it by outrigger resume when the cause is found.',
  },
  ScaleDown: {
    short: 'scale-down is paused',
    sentence:
      'No node is removed, consolidated or replaced, and no instance is terminated. Nodes whose instances the cloud ends are drained as usual.',
    advice: 'Resume it by outrigger resume when the cause is found.',
  },
} satisfies Record<PausedPart, Words>;

/** `scale-down is paused in node group web until 2026-01-01T03:00:00Z, by outrigger pause; its drains are rolled back`. */
export function pauseText(pause: Pause): string {
  const where = mapOptional(pause.group, (group) => ` in node group ${group}`) ?? '';
  return presentItems([
    `${PAUSED_PARTS_WORDS[pause.part].short}${where} ${pausedUntil(pause)}, ${pausedBy(pause)}`,
    pause.cancelDrains && 'drains are rolled back',
  ]).join('; ');
}
