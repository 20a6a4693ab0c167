import { addCount, countBy } from './counts.ts';
import { byName } from './names.ts';

/** A number that an object of a namespace asks for. */
interface ShareRequest {
  readonly namespace: string;
  readonly count: number;
}

/**
 * Shares a total among namespaces: no namespace gets more than it asks for, and none gets less than another one that is given more
 * than an equal part. Within a namespace the first request is served first. What cannot be divided goes to the first namespaces by name.
 *
 * @returns the number for each request, in order
 */
export function fairShares(requests: readonly ShareRequest[], total: number): readonly number[] {
  const asked = countBy(
    requests,
    ({ namespace }) => namespace,
    ({ count }) => count,
  );
  const left = sharesOf(asked, total);
  return requests.map(({ namespace, count }) => {
    const given = Math.min(count, left.get(namespace) ?? 0);
    addCount(left, namespace, -given);
    return given;
  });
}

/** Max-min fair shares: the smallest demands are met in full, the others get equal parts of the rest. */
function sharesOf(asked: ReadonlyMap<string, number>, total: number): Map<string, number> {
  const shares = new Map<string, number>();
  let left = total;
  const ascending = [...asked].toSorted(([a, m], [b, n]) => m - n || byName(b, a));
  for (const [i, [namespace, count]] of ascending.entries()) {
    const given = Math.min(count, Math.floor(left / (ascending.length - i)));
    shares.set(namespace, given);
    left -= given;
  }
  return shares;
}

/** The first item of each namespace, then the second ones, and so on; of a turn in the order that is given. */
export function inTurns<T>(items: readonly T[], namespaceOf: (item: T) => string): readonly T[] {
  const counts = new Map<string, number>();
  const turns = items.map((item) => {
    const namespace = namespaceOf(item);
    const turn = counts.get(namespace) ?? 0;
    counts.set(namespace, turn + 1);
    return { item, turn };
  });
  return turns.sort((a, b) => a.turn - b.turn).map(({ item }) => item);
}
