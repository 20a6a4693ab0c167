import { describe, expect, it } from 'vitest';
import type { DrainPhase, StoredDrain } from '../../../../core/model/drain.ts';
import { groupName, instanceId } from '../../../../core/model/values/names.ts';
import { terminatedInstances, withoutEnded } from '../../../../core/actuation/changes/terminated-instances.ts';
import { drainOf } from '../../../providers/drain-store.contract.ts';
import { group, NOW, running } from '../../../scenario-builders.ts';

const drain = (instance: string, phase: DrainPhase): StoredDrain => ({
  drain: drainOf(`node-of-${instance}`, { group: groupName('a'), instance: instanceId(instance), phase }),
  revision: 1,
  attempt: 1,
  drivenUntil: NOW,
});
const given = group('a', {
  target: 3,
  min: 2,
  instances: [running('i-1', 'n1'), running('i-2', 'n2'), { ...running('i-3', 'n3'), state: 'Deleting' }],
});
const shown = (...drains: readonly StoredDrain[]) => {
  const { targetSize, instances } = withoutEnded(given, terminatedInstances(given, drains, []));
  return { target: targetSize, ending: instances.flatMap(({ id, state }) => (state === 'Deleting' ? id : [])) };
};

describe('a group of which drains have ended instances', () => {
  it.each<{ name: string; drains: readonly StoredDrain[]; target: number; ending: readonly string[] }>([
    { name: 'no drain', drains: [], target: 3, ending: ['i-3'] },
    { name: 'the end was verified', drains: [drain('i-1', 'Removed')], target: 2, ending: ['i-1', 'i-3'] },
    { name: 'the cloud has agreed', drains: [drain('i-1', 'AwaitingTermination')], target: 2, ending: ['i-1', 'i-3'] },
    { name: 'it was asked, and has not answered', drains: [drain('i-1', 'Terminating')], target: 3, ending: ['i-3'] },
    { name: 'the node stays', drains: [drain('i-1', 'RolledBack')], target: 3, ending: ['i-3'] },
    { name: 'the list shows it already', drains: [drain('i-3', 'Removed')], target: 3, ending: ['i-3'] },
    { name: 'the instance is gone from the list', drains: [drain('i-9', 'Removed')], target: 3, ending: ['i-3'] },
    {
      name: 'never below the minimum',
      drains: [drain('i-1', 'Removed'), drain('i-2', 'Removed')],
      target: 2,
      ending: ['i-1', 'i-2', 'i-3'],
    },
  ])('$name', ({ drains, target, ending }) => {
    expect(shown(...drains)).toEqual({ target, ending });
  });
});
