/** The colors of the tags. */
type Paint = 'cyan' | 'yellow' | 'magenta' | 'blue' | 'green' | 'red' | 'dim';

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
