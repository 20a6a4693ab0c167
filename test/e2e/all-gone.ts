import type { V1Node } from '@kubernetes/client-node';
import { expect } from 'vitest';
import type { E2eCluster } from './cluster.ts';
import type { LogLine, Outrigger } from './servers/outrigger.ts';

/** When a line was logged, by the clock of the process that logged it. */
export const timeOf = (line: LogLine): number => Date.parse(String(line['time'] ?? line['timestamp']));

/** Waits until no node is left, whose removal is to have been decided at `end` or later. */
export async function expectAllGoneFrom(
  end: number,
  { kube, sizes }: Pick<E2eCluster, 'kube' | 'sizes'>,
  outrigger: Outrigger,
): Promise<void> {
  await kube.until<V1Node>('/api/v1/nodes', {
    what: 'the end of all nodes',
    holds: (nodes) => nodes.length === 0,
    describe: (nodes) => nodes.map(({ metadata }) => metadata?.name).join(', '),
  });
  const removals = outrigger.logged().filter((line) => ((line['removals'] ?? []) as readonly unknown[]).length > 0);
  expect(removals.length).toBeGreaterThan(0);
  expect(Math.min(...removals.map(timeOf))).toBeGreaterThanOrEqual(end);
  expect(Object.values(await sizes())).toEqual([0]);
}
