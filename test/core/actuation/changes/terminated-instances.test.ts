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
  it.each<[name: string, drains: readonly StoredDrain[], target: number, ending: readonly string[]]>([
    ['no drain', [], 3, ['i-3']],
    ['the end was verified', [drain('i-1', 'Removed')], 2, ['i-1', 'i-3']],
    ['the cloud has agreed', [drain('i-1', 'AwaitingTermination')], 2, ['i-1', 'i-3']],
    ['it was asked, and has not answered', [drain('i-1', 'Terminating')], 3, ['i-3']],
    ['the node stays', [drain('i-1', 'RolledBack')], 3, ['i-3']],
    ['the list shows it already', [drain('i-3', 'Removed')], 3, ['i-3']],
    ['the instance is gone from the list', [drain('i-9', 'Removed')], 3, ['i-3']],
    ['never below the minimum', [drain('i-1', 'Removed'), drain('i-2', 'Removed')], 2, ['i-1', 'i-2', 'i-3']],
  ])('%s', (_, drains, target, ending) => {
    expect(shown(...drains)).toEqual({ target, ending });
  });
});
