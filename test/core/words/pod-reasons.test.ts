import { expect, it } from 'vitest';
import type { PodReason } from '../../../core/model/decision.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { groupedReasons, groupedReasonText } from '../../../core/words/pod-reasons.ts';

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
