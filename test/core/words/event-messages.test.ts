import { describe, expect, it } from 'vitest';
import { podKey } from '../../../core/model/values/names.ts';
import { EVENT_MESSAGES } from '../../../core/words/event-messages.ts';

describe("events of a drain that failed have Cluster Autoscaler's messages", () => {
  it.each([
    ['drain', 'FailedToMarkToBeDeleted', 'failed to mark the node as toBeDeleted/unschedulable: no'],
    ['empty', 'FailedToDelete', 'failed to delete empty node: no'],
    ['drain', 'FailedToDelete', 'failed to drain and delete node: no'],
  ] as const)('%s, %s', (kind, failure, message) => {
    expect(EVENT_MESSAGES.failed(kind, failure, null, 'no')).toBe(message);
  });

  it('with the pod', () => {
    expect(EVENT_MESSAGES.failed('drain', 'FailedToEvictPods', podKey('default', 'web-1'), 'not evicted in 2m')).toBe(
      'failed to drain and delete node: pod default/web-1: not evicted in 2m',
    );
  });
});
