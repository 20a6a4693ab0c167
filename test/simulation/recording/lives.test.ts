import { describe, expect, test } from 'vitest';
import type { GroupName, InstanceId, NodeName, PodKey } from '../../../core/model/values/names.ts';
import { livesOf } from '../../../simulation/recording/lives.ts';
import type { TimelineEntry, RecordingGroup } from '../../../simulation/recording/recording.ts';

const GROUP: RecordingGroup = {
  name: 'web',
  zones: ['us-east-1a'],
  instanceType: 'm5.xlarge',
  minSize: 0,
  maxSize: 5,
  desiredSize: 1,
  nodes: ['old'],
  price: 0.192,
};
const group = 'web' as GroupName;
const instance = 'i-1' as InstanceId;
const node = 'new' as NodeName;
const about = { group, instance, zone: 'us-east-1a', node };
const pod = { pod: 'default/web-1' as PodKey, workload: 'default/web' };
const taint = { key: 'ToBeDeletedByClusterAutoscaler', value: '1', effect: 'NoSchedule' } as const;

const BIRTH: readonly TimelineEntry[] = [
  { at: 10, kind: 'InstanceLaunched', group, instance, zone: 'us-east-1a' },
  { at: 40, kind: 'NodeRegistered', ...about },
  { at: 45, kind: 'NodeReady', ...about },
];

const unneeded = (at: number, nodes: readonly NodeName[], kind: 'empty' | 'drain' | null = null): TimelineEntry => ({
  at,
  kind: 'ScaleDown',
  result: kind === null ? 'Nothing' : 'Planned',
  message: null,
  unneeded: nodes,
  removals: kind === null ? [] : [{ node, group, kind, pods: kind === 'empty' ? [] : [pod.pod], destinations: [] }],
  staying: [],
});

const lives = (timeline: readonly TimelineEntry[], end = 100) => livesOf({ nodeGroups: [GROUP], timeline }, end);

describe('the lives of instances', () => {
  test('those of the start come first and are ready; the others from their launch', () => {
    expect(lives(BIRTH)).toMatchObject([
      { group: 'web', node: 'old', instance: null, launched: null, ready: 0, gone: null },
      { group: 'web', node: 'new', instance: 'i-1', launched: 10, ready: 45, gone: null },
    ]);
  });

  test('an instance that never becomes a node has no name, and is never ready', () => {
    expect(lives(BIRTH.slice(0, 1))[1]).toMatchObject({ node: null, instance: 'i-1', ready: null });
  });

  test('it is used from its first pod to its last one, and again, up to the end', () => {
    const timeline: readonly TimelineEntry[] = [
      ...BIRTH,
      { at: 50, kind: 'PodBound', ...pod, node },
      { at: 55, kind: 'PodBound', pod: 'default/web-2' as PodKey, workload: 'default/web', node },
      { at: 60, kind: 'PodDeleted', ...pod },
      { at: 65, kind: 'PodFinished', pod: 'default/web-2' as PodKey, workload: 'default/web' },
      { at: 70, kind: 'PodBound', ...pod, node },
    ];
    expect(lives(timeline)[1]!.used).toEqual([
      { from: 50, to: 65 },
      { from: 70, to: 100 },
    ]);
  });

  test.each([
    ['empty', { kind: 'empty', pods: 0 }],
    ['drain', { kind: 'drain', pods: 1 }],
  ] as const)('unneeded, leaving, gone: %s', (kind, removal) => {
    const timeline: readonly TimelineEntry[] = [
      ...BIRTH,
      unneeded(50, [node]),
      unneeded(55, []),
      unneeded(60, [node]),
      unneeded(70, [node], kind),
      { at: 71, kind: 'NodeTainted', node, taint },
      { at: 80, kind: 'NodeGone', ...about },
    ];
    expect(lives(timeline)[1]).toMatchObject({
      gone: 80,
      unneeded: [
        { from: 50, to: 55 },
        { from: 60, to: 80 },
      ],
      leaving: [{ from: 71, to: 80 }],
      removal,
    });
  });

  test('a removal that is given up is none', () => {
    const timeline: readonly TimelineEntry[] = [
      ...BIRTH,
      unneeded(70, [node], 'drain'),
      { at: 71, kind: 'NodeTainted', node, taint },
      { at: 75, kind: 'NodeUntainted', node, taint },
    ];
    expect(lives(timeline)[1]).toMatchObject({ gone: null, leaving: [{ from: 71, to: 75 }], removal: null });
  });

  test('a soft taint is no leaving', () => {
    const soft = { ...taint, key: 'DeletionCandidateOfClusterAutoscaler', effect: 'PreferNoSchedule' as const };
    expect(lives([...BIRTH, { at: 71, kind: 'NodeTainted', node, taint: soft }])[1]!.leaving).toEqual([]);
  });
});
