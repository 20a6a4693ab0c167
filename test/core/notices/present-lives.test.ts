import { describe, expect, it } from 'vitest';
import type { NodeCondition } from '../../../core/model/cluster/node.ts';
import type { Notice, NoticeKind, TerminationHook } from '../../../core/model/notice.ts';
import type { InstanceState, NodeGroup } from '../../../core/model/node-group.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { announcedIn } from '../../../core/notices/departures.ts';
import { node } from '../../builders.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';

const ago = (many: number) => addTime(NOW, minutes(-many));

const readySince = (since: number, status = 'True'): readonly NodeCondition[] => [
  { type: 'Ready', status, reason: '', since: ago(since) },
];

interface Case {
  readonly kind: NoticeKind;
  /** All in minutes ago. */
  readonly received: number;
  readonly created: number;
  readonly conditions: readonly NodeCondition[];
  readonly state: InstanceState;
  readonly reuse: boolean;
  readonly hook: TerminationHook | null;
}

const BACK: Case = {
  kind: 'InstanceStopping',
  received: 5,
  created: 1,
  conditions: readySince(1),
  state: 'Running',
  reuse: true,
  hook: { name: 'outrigger', token: 't', heartbeatUntil: null },
};

const noticeOf = ({ kind, received, hook }: Case): Notice => ({
  instance: instanceId('i-0'),
  group: groupName('warm'),
  kind,
  receivedAt: ago(received),
  endsAt: null,
  hook: kind === 'LifecycleHook' ? hook : null,
});

const leaves = (last: Case, ...before: readonly Notice[]): boolean => {
  const { created, conditions, state, reuse } = last;
  const warm: NodeGroup = {
    ...group('warm', { nodes: ['w0'] }),
    instances: [{ id: instanceId('i-0'), node: nodeName('w0'), zone: 'eu-1a', state, error: null }],
    warmPool: { size: 1, state: 'Stopped', reuse },
  };
  const w0 = { ...node('w0', { cpu: 4, memory: '16Gi' }), createdAt: ago(created), conditions };
  return (
    announcedIn({ ...scenario({ groups: [warm], nodes: [w0] }), notices: [...before, noticeOf(last)] }).departures
      .length > 0
  );
};

describe('the end of an instance that has come back from its warm pool', () => {
  it.each<[string, Partial<Case>, boolean]>([
    ['is over once it is another Node', {}, false],
    ['is over once the Node that was kept is ready again', { created: 600 }, false],
    ['is not over while that Node is not ready', { created: 600, conditions: readySince(1, 'False') }, true],
    ['is not over while the Node is as it was', { created: 600, conditions: readySince(590) }, true],
    ['is not over while the instance ends', { created: 600, conditions: readySince(590), state: 'Deleting' }, true],
    ['is over while the instance ends again, as another Node', { state: 'Deleting' }, false],
    ['is over while the instance ends again, whose Node was kept', { created: 600, state: 'Deleting' }, false],
    [
      'was announced by a hook, of another Node than the one that ends now',
      { kind: 'LifecycleHook', state: 'Deleting' },
      false,
    ],
    [
      'was announced by a hook, of a Node that has become ready again while it waits',
      { kind: 'LifecycleHook', created: 600, state: 'Deleting' },
      true,
    ],
    [
      'was announced by the hook of another tool, of another Node than the one that ends now',
      { kind: 'LifecycleHook', state: 'Deleting', hook: null },
      false,
    ],
    ['is not over in a group that ends instances for good', { reuse: false }, true],
    ['was announced by a hook, which is not waited for any more', { kind: 'LifecycleHook', created: 600 }, false],
    [
      'was announced by a hook, of a Node that is as it was',
      { kind: 'LifecycleHook', created: 600, conditions: readySince(590) },
      false,
    ],
    [
      'was announced by a hook only now, and the description of its group may be late',
      { kind: 'LifecycleHook', received: 1, created: 600, conditions: readySince(590) },
      true,
    ],
    ['is not what an event of its hardware is about', { kind: 'ScheduledChange' }, true],
  ])('%s', (_, change, expected) => {
    expect(leaves({ ...BACK, ...change })).toBe(expected);
  });

  it('is not taken for the next one, which goes on after it is over', () => {
    const next: Case = { ...BACK, kind: 'LifecycleHook', received: 8, created: 10, state: 'Deleting', hook: null };
    expect(leaves(next, noticeOf({ ...BACK, received: 11 }))).toBe(true);
  });
});
