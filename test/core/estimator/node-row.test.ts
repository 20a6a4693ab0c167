import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NodeRow } from '../../../core/estimator/node-row.ts';
import { Snapshot } from '../../../core/model/snapshot/snapshot.ts';
import { node } from '../../builders.ts';

const amount = fc.integer({ min: 0, max: 4 });
const shape = fc.record({ cpu: amount, memory: amount, pods: fc.integer({ min: 0, max: 1 }) });
type Shape = typeof shape extends fc.Arbitrary<infer T> ? T : never;

const snapshot = (): Snapshot => new Snapshot({ keys: [] });

const added = (to: Snapshot, name: string, { cpu, memory, pods }: Shape) =>
  to.addNode(node(name, { cpu: `${cpu}m`, memory, pods }), null);

describe('a row of nodes', () => {
  it('finds the nodes with room that looking at each would find, in their order', () => {
    fc.assert(
      fc.property(
        fc.array(shape, { maxLength: 40 }),
        fc.array(shape, { maxLength: 40 }),
        fc.array(fc.nat({ max: 79 }), { maxLength: 10 }),
        amount,
        amount,
        (first, later, closed, cpu, memory) => {
          const cluster = snapshot();
          const row = new NodeRow(first.map((of, i) => added(cluster, `first-${i}`, of)));
          later.forEach((of, i) => row.add(added(cluster, `later-${i}`, of)));
          const all = [...first, ...later];
          const shut = new Set(closed.filter((position) => position < all.length));
          shut.forEach((position) => row.close(position));
          const found: number[] = [];
          for (let i = row.next(0, cpu, memory); i >= 0; i = row.next(i + 1, cpu, memory)) {
            found.push(i);
          }
          expect(row.nodes).toHaveLength(all.length);
          expect(found).toEqual(
            [...all.keys()].filter((i) => {
              const of = all[i]!;
              return !shut.has(i) && of.cpu >= cpu && of.memory >= memory && of.pods >= 1;
            }),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('leaves out nodes that are gone', () => {
    const cluster = snapshot();
    const [a, b] = ['a', 'b'].map((name) => added(cluster, name, { cpu: 1, memory: 1, pods: 1 }));
    cluster.removeNode(a!);
    expect(new NodeRow(cluster.nodes).nodes).toEqual([b]);
  });

  it('finds a node again once it is said to have changed', () => {
    const cluster = snapshot();
    const row = new NodeRow([added(cluster, 'a', { cpu: 1, memory: 1, pods: 1 })]);
    row.close(0);
    expect(row.next(0, 1, 1)).toBe(-1);
    row.changed(0);
    expect(row.next(0, 1, 1)).toBe(0);
  });
});
