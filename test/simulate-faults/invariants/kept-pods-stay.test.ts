import { expect, test } from 'vitest';
import { defaultOptions } from '../../../core/model/options.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import type { Stage } from './invariant.ts';
import { keptPodsStay } from './kept-pods-stay.ts';

interface Told {
  /** Of the instances whose end AWS has announced. */
  readonly announced?: readonly string[];
  /** Is the node's instance in Standby? */
  readonly standby?: boolean;
}

/** A pod without a controller is evicted from the node of `i-1`; `i-2` is another one. */
function violationsOf({ announced = [], standby = false }: Told): readonly string[] {
  const own = { id: 'i-1', node: 'n1', state: 'Running' };
  const other = { id: 'i-2', node: 'n2', state: 'Running' };
  const bare = pod('bare', { node: 'n1', controller: null, createdAt: epochMs(0) });
  const stage = {
    scenario: { options: defaultOptions() },
    world: {
      api: {
        pods: new Map([['default/bare', bare]]),
        nodes: new Map([
          ['n1', { ...node('n1'), conditions: [{ type: 'Ready', status: 'True', reason: '', since: null }] }],
        ]),
      },
      clock: { now: () => epochMs(60_000) },
      scaling: { groups: () => [standby ? { instances: [other], aside: [own] } : { instances: [own, other] }] },
    },
    announcements: { of: (id: string) => (announced.includes(id) ? [{ what: 'ScheduledChange' }] : []) },
  } as unknown as Stage;
  const found: string[] = [];
  const watch = keptPodsStay.watch(
    stage,
    (what) => found.push(what),
    () => undefined,
  );
  watch.event!({ kind: 'PodEvicted', pod: 'default/bare', node: 'n1', at: epochMs(60_000) } as never);
  return found;
}

test.each<readonly [what: string, told: Told, violates: boolean]>([
  ['of its node', {}, true],
  ['of its node in Standby', { standby: true }, true],
  ['of a node that AWS takes back', { announced: ['i-1'] }, false],
  ['of a node in Standby that AWS takes back', { announced: ['i-1'], standby: true }, false],
  ['of its node, while AWS takes another one back', { announced: ['i-2'] }, true],
])('a pod without a controller is evicted %s, or not', (_, told, violates) => {
  expect(violationsOf(told)).toEqual(violates ? ['default/bare is evicted from n1'] : []);
});
