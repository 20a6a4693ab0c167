import { expect, it } from 'vitest';
import type { DrainBlocker } from '../../../core/model/drain-blocker.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { blockerText, DRAIN_BLOCKERS } from '../../../core/words/drain-blockers.ts';
import { DECISION_LIMIT, EVICTION_HEADROOM, UNSEEN_LIMIT } from '../../../core/drain/limits.ts';

it.each<[DrainBlocker, string]>([
  [{ kind: 'NodeGone' }, 'the node is gone'],
  [{ kind: 'Protected', annotation: 'a/b is "true"' }, 'a/b is "true"'],
  [{ kind: 'GroupAtMinimum', group: groupName('web'), min: 2 }, 'node group web is at its minimum of 2'],
  [
    { kind: 'PodBlocks', reason: 'NotReplicated', message: 'it has no controller' },
    'NotReplicated: it has no controller',
  ],
  [{ kind: 'TaintNotSeen', trouble: '403: no' }, '403: no'],
  [{ kind: 'TaintNotSeen', trouble: null }, 'the taint was not seen on the node'],
  [{ kind: 'PodNotEvicted', after: minutes(2), refusal: null }, 'not evicted in 2m: no answer'],
  [{ kind: 'TooLargeToStore', pods: 7 }, 'what has to be kept of 7 evicted pods is too large to be stored'],
])('%j', (blocker, text) => {
  expect(blockerText(blocker)).toBe(text);
});

it.each([
  ['DecisionTooOld', `${DECISION_LIMIT / 60_000} minutes`],
  ['Unobservable', `${UNSEEN_LIMIT / 60_000} minutes`],
  ['PodStillThere', `${EVICTION_HEADROOM / 1_000} seconds`],
] as const)('the words of %s have its limit', (kind, limit) => {
  expect(DRAIN_BLOCKERS[kind].sentence).toContain(limit);
});
