import { describe, expect, test } from 'vitest';
import { BEST_EFFORT_ATOMIC, CHECK_CAPACITY } from '../../../core/model/cluster/provisioning-request.ts';
import { CONSUME_ANNOTATIONS } from '../../../core/model/cluster/read-annotations.ts';
import { epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { DAEMON_CPU, UNIT_CPU } from '../node-sizes.ts';
import { SIZE_LABEL } from '../pools.ts';
import type { RequestHistory } from '../request-histories.ts';
import type { Stage } from './invariant.ts';
import { justifiedByRequests } from './justified-by-requests.ts';

const NOW = epochMs(minutes(60));
const POOL = { name: 'red', units: 4, groups: ['red-1'] } as never;
const ALLOCATABLE = { cpu: 4 * UNIT_CPU + DAEMON_CPU };

interface Told {
  /** Is the first request read as one that has been given its room? */
  readonly readAsProvisioned: boolean;
  /** For so long it has been. */
  readonly provisionedFor: number;
  /** How many of its two pods have come: each fills a node. */
  readonly come: number;
  /** How many nodes other pods fill. */
  readonly others?: number;
  /** Is the machine of the first node on its way out, so that another one is made when it has gone? */
  readonly leaves?: boolean;
}

/**
 * In a pool of three nodes of four units, and one that is bought, a request for two pods of four units has been given its room;
 * another one is for four pods of two.
 */
function justified({ readAsProvisioned, provisionedFor, come, others = 0, leaves = false }: Told): readonly number[] {
  const nodes = ['n-1', 'n-2', 'n-3'];
  const group = { name: 'red-1', allocatable: ALLOCATABLE, minSize: 0, maxSize: 9 };
  const history = (name: string, units: number, pods: number, from: number): RequestHistory =>
    ({
      drawn: { name, pool: POOL, units, pods, from, className: name === 'first' ? CHECK_CAPACITY : BEST_EFFORT_ATOMIC },
      current: null,
      provisionedAt: name === 'first' ? NOW - provisionedFor : null,
      endedAt: null,
    }) as never;
  const pods = nodes.slice(0, come + others).map((nodeName, n) => ({
    nodeName,
    deletedAt: null,
    labels: { [SIZE_LABEL]: '4' },
    annotations: n < come ? { [CONSUME_ANNOTATIONS[0]]: 'first' } : {},
    spec: { topologySpread: [] },
    phase: 'Running',
  })) as never;
  const conditions = readAsProvisioned ? [{ type: 'Provisioned', status: 'True', since: NOW - provisionedFor }] : [];
  const provisioningRequests = [
    { name: 'first', conditions },
    { name: 'second', conditions: [] },
  ];
  return justifiedByRequests(POOL, pods, {
    requests: [history('first', 4, 2, 1), history('second', 2, 4, 2)],
    seen: { now: NOW, objects: { pods, provisioningRequests } } as never,
    decision: { scaleUp: { increases: [{ group: 'red-1', from: 3, to: 4 }] } } as never,
    stage: {
      scenario: { groups: [group] },
      orders: { open: () => [] },
      world: {
        provider: leaves ? 'clusterapi' : 'aws',
        clock: { now: () => NOW },
        api: {
          nodes: new Map(
            nodes.map((name) => [
              name,
              { name, createdAt: 0, allocatable: ALLOCATABLE, conditions: [{ type: 'Ready', status: 'True' }] },
            ]),
          ),
        },
        scaling: {
          groups: () => [
            {
              group,
              desired: 3,
              error: null,
              instances: nodes.map((node, i) => ({
                id: `i-${node}`,
                node,
                state: leaves && i === 0 ? 'Deleting' : 'Running',
                launchedAt: 0,
              })),
            },
          ],
        },
      },
    } as unknown as Stage,
  });
}

describe('the room of a request that was given lately', () => {
  test('is held for those of its pods that have not come', () => {
    const told = { readAsProvisioned: true, provisionedFor: seconds(30) };
    expect(justified({ ...told, come: 1 })).toEqual([4, 2, 2, 2, 2]);
    expect(justified({ ...told, come: 2 })).toEqual([2, 2, 2, 2]);
  });

  test('is held as far as it is there without what is bought', () => {
    const told = { readAsProvisioned: true, provisionedFor: seconds(30), come: 0 };
    expect(justified({ ...told, others: 1 })).toEqual([4, 4]);
    expect(justified({ ...told, others: 2 })).toEqual([4]);
    expect(justified({ ...told, others: 3 })).toEqual([]);
  });

  test('is held as far as a machine will have been replaced that is on its way out', () => {
    const told = { readAsProvisioned: true, provisionedFor: seconds(30), come: 0 };
    expect(justified({ ...told, others: 1, leaves: true })).toEqual([4, 4, 2, 2, 2, 2]);
  });

  test('is held for ten minutes, whether its status says that these are over or not', () => {
    const told = { readAsProvisioned: true, come: 1 };
    expect(justified({ ...told, provisionedFor: minutes(10) })).toEqual([4, 2, 2, 2, 2]);
    expect(justified({ ...told, provisionedFor: minutes(10) + 1 })).toEqual([2, 2, 2, 2]);
  });

  test('is looked for by an evaluation that has read the request before that, and by no other', () => {
    const told = { readAsProvisioned: false, come: 0 };
    expect(justified({ ...told, provisionedFor: seconds(30) })).toEqual([4, 4, 2, 2, 2, 2]);
    expect(justified({ ...told, provisionedFor: minutes(3) })).toEqual([2, 2, 2, 2]);
  });
});
