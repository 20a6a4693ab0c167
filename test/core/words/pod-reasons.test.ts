import { expect, it } from 'vitest';
import type { PodReason } from '../../../core/model/decision.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { groupedReasons, groupedReasonText, rejectionLines } from '../../../core/words/pod-reasons.ts';

const of = (group: string, reason: string): PodReason => ({ group: groupName(group), reason });

it('reasons read as one text for all node groups with the same reason, those of most groups first', () => {
  const reasons = [
    of('web-c', 'untolerated taint'),
    of('web-b', 'Insufficient cpu'),
    { reason: 'it has no scheduler' },
    of('web-a', 'Insufficient cpu'),
    of('web-d', 'Insufficient memory'),
  ];
  expect(groupedReasons(reasons).map(groupedReasonText)).toEqual([
    'it has no scheduler',
    '2 groups: Insufficient cpu',
    'web-d: Insufficient memory',
    'web-c: untolerated taint',
  ]);
});

it('names the groups in order', () => {
  expect(groupedReasons([of('b', 'x'), of('a', 'x')])).toEqual([{ reason: 'x', groups: ['a', 'b'] }]);
});

it('details name the node groups, everything that their new nodes lack, and the nearest group', () => {
  expect(
    rejectionLines({
      groups: [
        { groups: [groupName('gpu')], unmet: ['does not tolerate the taint x:NoSchedule'] },
        {
          groups: ['a', 'b', 'c', 'd', 'e'].map(groupName),
          unmet: ['asks for 4 CPU; a new node has 2', 'asks for 1 nvidia.com/gpu; a new node has none'],
        },
      ],
      nearest: { group: groupName('gpu'), remedy: 'with the toleration x' },
    }),
  ).toEqual([
    'gpu: does not tolerate the taint x:NoSchedule',
    'a, b, c and 2 more: asks for 4 CPU; a new node has 2. Also asks for 1 nvidia.com/gpu; a new node has none',
    'Nearest: gpu, with the toleration x',
  ]);
});
