import type { NodeShape, Wanted } from './demand.ts';

const MINUTE = 60;

/**
 * The least that any cluster of these nodes costs (USD): minute by minute, each resource at the price of the type on which it
 * is cheapest, as if nodes could be bought by the fraction; of all resources the dearest. A solution of the linear program
 * over all resources together is no more than 0.02 % above it on these types.
 */
export function fractionalBound(demand: readonly Wanted[], shapes: readonly NodeShape[], end: number): number {
  const minutes = Math.ceil(end / MINUTE);
  const costs = new Float64Array(minutes);
  for (const index of shapes[0]!.room.keys()) {
    const unit = Math.min(...shapes.map(({ room, price }) => (room[index]! > 0 ? price / room[index]! : Infinity)));
    const changes = new Float64Array(minutes + 1);
    for (const { amounts, from, to } of demand) {
      const amount = amounts[index]!;
      if (amount > 0) {
        // Shares of the first and the last minute count as such.
        spread(changes, from, amount);
        spread(changes, to, -amount);
      }
    }
    let now = 0;
    for (let minute = 0; minute < minutes; minute += 1) {
      now += changes[minute]!;
      if (now > 0) {
        costs[minute] = Math.max(costs[minute]!, now * unit);
      }
    }
  }
  return costs.reduce((sum, hourly) => sum + (hourly * MINUTE) / 3_600, 0);
}

/** A change at a time within a minute: so much of it in that minute, the rest from the next one on. */
function spread(changes: Float64Array, at: number, amount: number): void {
  const minute = Math.min(Math.floor(at / MINUTE), changes.length - 1);
  const left = minute + 1 - at / MINUTE;
  changes[minute]! += amount * left;
  if (minute + 1 < changes.length) {
    changes[minute + 1]! += amount * (1 - left);
  }
}
