import { describe, expect, test } from 'vitest';
import { firstToGo } from '../../../simulation/cluster-api/deletion-order.ts';
import type { DeletionOrder, MachineObject } from '../../../simulation/cluster-api/objects.ts';
import { START } from '../builders.ts';

interface Given {
  readonly marked?: boolean;
  readonly leaving?: boolean;
  readonly noNode?: boolean;
  readonly sick?: boolean;
  readonly days?: number;
}

const machine = (name: string, { marked, leaving, noNode, sick, days = 1 }: Given = {}): MachineObject => ({
  kind: 'Machine',
  metadata: {
    name,
    namespace: 'default',
    uid: name,
    resourceVersion: '1',
    generation: 1,
    creationTimestamp: new Date(START - days * 86_400_000).toISOString(),
    labels: {},
    annotations: marked === true ? { 'cluster.x-k8s.io/delete-machine': '' } : {},
    ...(leaving === true && { deletionTimestamp: new Date(START).toISOString() }),
  },
  spec: { clusterName: 'c', failureDomain: 'a', infrastructureRef: { apiGroup: 'g', kind: 'k', name } },
  status: {
    phase: 'Running',
    ...(noNode !== true && { nodeRef: { name } }),
    conditions: [
      {
        type: 'NodeHealthy',
        status: sick === true ? 'False' : 'True',
        reason: '',
        message: '',
        lastTransitionTime: '',
      },
    ],
  },
});

const names = (machines: readonly MachineObject[], surplus: number, order?: DeletionOrder): string =>
  firstToGo(machines, surplus, { order, now: START })
    .map(({ metadata }) => metadata.name)
    .join(' ');

describe('which machines a MachineSet deletes first', () => {
  test('those on their way out, then marked ones, then ones without a healthy node, then any, by name', () => {
    const machines = [
      machine('c'),
      machine('b'),
      machine('sick', { sick: true }),
      machine('new', { noNode: true }),
      machine('marked', { marked: true }),
      machine('leaving', { leaving: true }),
    ];
    expect(names(machines, 6)).toBe('leaving marked new sick b c');
    expect(names(machines, 2)).toBe('leaving marked');
    expect(names(machines, 0)).toBe('');
    expect(names(machines, -1)).toBe('');
  });

  test('one that is on its way out takes the place of a marked one', () => {
    expect(names([machine('a', { leaving: true }), machine('b', { marked: true })], 1)).toBe('a');
  });

  test('by age, where the MachineSet says so; an unhealthy one goes before the oldest', () => {
    const machines = [machine('old', { days: 100 }), machine('young'), machine('sick', { sick: true })];
    expect(names(machines, 3, 'Oldest')).toBe('sick old young');
    expect(names(machines, 3, 'Newest')).toBe('sick young old');
  });
});
