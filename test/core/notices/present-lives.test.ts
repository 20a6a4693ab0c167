import { describe, expect, it } from 'vitest';
import type { NodeCondition } from '../../../core/model/cluster/node.ts';
import { type Notice, type NoticeKind } from '../../../core/model/notice.ts';
import type { InstanceState, NodeGroup } from '../../../core/model/node-group.ts';
import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { departuresOf } from '../../../core/notices/departures.ts';
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
}

const BACK: Case = {
  kind: 'InstanceStopping',
  received: 5,
  created: 1,
  conditions: readySince(1),
  state: 'Running',
  reuse: true,
};

const leaves = ({ kind, received, created, conditions, state, reuse }: Case): boolean => {
  const warm: NodeGroup = {
    ...group('warm', { nodes: ['w0'] }),
    instances: [{ id: instanceId('i-0'), node: nodeName('w0'), zone: 'eu-1a', state, error: null }],
    warmPool: { size: 1, state: 'Stopped', reuse },
  };
  const notice: Notice = {
    instance: instanceId('i-0'),
    group: groupName('warm'),
    kind,
    receivedAt: ago(received),
    endsAt: null,
    hook: kind === 'LifecycleHook' ? { name: 'outrigger', token: 't', heartbeatUntil: null } : null,
  };
  const w0 = { ...node('w0', { cpu: 4, memory: '16Gi' }), createdAt: ago(created), conditions };
  return departuresOf({ ...scenario({ groups: [warm], nodes: [w0] }), notices: [notice] }).length > 0;
};

describe('the end of an instance that has come back from its warm pool', () => {
  it.each<[string, Partial<Case>, boolean]>([
    ['is over once it is another Node', {}, false],
    ['is over once the Node that was kept is ready again', { created: 600 }, false],
    ['is not over while that Node is not ready', { created: 600, conditions: readySince(1, 'False') }, true],
    ['is not over while the Node is as it was', { created: 600, conditions: readySince(590) }, true],
    ['is not over while the instance ends', { state: 'Deleting' }, true],
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
});
