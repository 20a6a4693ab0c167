import type { Paint } from '../../terminal/paint.ts';

/** A line of the story: its subject, the event, and the lines below it. */
export interface News {
  readonly tag: string;
  readonly paint: Paint;
  readonly text: string;
  readonly more: readonly string[];
}

export const news = (tag: string, paint: Paint, text: string, more: readonly string[] = []): News => ({
  tag,
  paint,
  text,
  more,
});
