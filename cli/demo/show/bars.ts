import type { StagedGroup } from './stage.ts';
import type { Colors } from '../../terminal/text.ts';

/** Sizes above this are drawn to scale. */
const MOST_SQUARES = 20;

/** A group's nodes: ready, being removed, upcoming, and the rest up to the maximum size. */
export function groupBar({ group: { maxSize: max }, ready, leaving, desired }: StagedGroup, colors: Colors): string {
  const scale = Math.min(1, MOST_SQUARES / max);
  const squares = Math.round(Math.max(max, ready) * scale);
  // A count above 0 has at least one square.
  const part = (count: number): number => (count > 0 ? Math.max(1, Math.round(count * scale)) : 0);
  const full = Math.min(squares, part(ready - leaving));
  const going = Math.min(squares - full, part(leaving));
  const coming = Math.min(squares - full - going, part(desired - ready));
  return (
    colors.green('■'.repeat(full)) +
    colors.red('▨'.repeat(going)) +
    colors.yellow('□'.repeat(coming)) +
    colors.dim('·'.repeat(squares - full - going - coming))
  );
}
