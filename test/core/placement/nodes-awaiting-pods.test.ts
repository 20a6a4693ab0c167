import { expect, test } from 'vitest';
import { AWAITING_PODS_TAINT, type Node } from '../../../core/model/cluster/node.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import {
  awaitingPodsTooLong,
  overdueNodes,
  withoutAwaitingPodsTaint,
} from '../../../core/placement/nodes-awaiting-pods.ts';
import { node } from '../../builders.ts';
import { NOW } from '../../scenario-builders.ts';

const AWAITING = { key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' };
const OTHER = { key: 'dedicated', value: 'x', effect: 'NoSchedule' };
const OPTIONS = defaultOptions();

const readySince = (secondsAgo: number | null, extra: Partial<Node> = {}): Node =>
  node(
    'a',
    {},
    {
      taints: [OTHER, AWAITING],
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: '',
          since: secondsAgo === null ? null : epochMs(NOW - secondsAgo * 1_000),
        },
      ],
      ...extra,
    },
  );

test.each<[string, Node, boolean, boolean]>([
  ['has just become ready', readySince(0), false, false],
  ['has been ready for 30 s', readySince(30), false, false],
  ['has been ready for 31 s', readySince(31), true, false],
  ['has been ready for a minute', readySince(60), true, false],
  ['has been ready for 61 s', readySince(61), true, true],
  ['is ready since a time that is far ahead', readySince(-3_600), true, true],
  ['does not say since when, but is new', readySince(null, { createdAt: epochMs(NOW - 5_000) }), false, false],
  ['does not say since when, and is old', readySince(null, { createdAt: epochMs(NOW - 90_000) }), true, true],
  ['does not say since when, nor how old it is', readySince(null), true, false],
  ['does not bear the taint', readySince(300, { taints: [OTHER] }), false, false],
  ['is cordoned', readySince(300, { unschedulable: true }), false, false],
])('a node that %s', (_, of, overdue, tooLong) => {
  expect(overdueNodes([of], OPTIONS, NOW).length > 0).toBe(overdue);
  expect(awaitingPodsTooLong([of], OPTIONS, NOW).length > 0).toBe(tooLong);
});

test('a released node keeps its other taints', () => {
  expect(withoutAwaitingPodsTaint(readySince(0)).taints).toEqual([OTHER]);
  expect(
    withoutAwaitingPodsTaint(readySince(0, { taints: [{ ...AWAITING, value: 'x', effect: 'NoExecute' }] })).taints,
  ).toEqual([]);
});
