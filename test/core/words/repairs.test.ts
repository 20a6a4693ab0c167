import { expect, it } from 'vitest';
import { groupName, instanceId } from '../../../core/model/values/names.ts';
import { launchFailureId } from '../../../core/model/node-group.ts';
import { repairText } from '../../../core/words/repairs.ts';

const group = groupName('web');

it('what a repair does', () => {
  expect(repairText({ kind: 'DeleteUnregistered', group, instance: instanceId('i-1') })).toBe(
    'terminate an unregistered instance of web: i-1',
  );
  expect(repairText({ kind: 'IncreaseToMin', group, from: 0, to: 1 })).toBe(
    'raise the target to the minimum: web 0 → 1',
  );
  expect(repairText({ kind: 'DeleteErrored', group, instance: launchFailureId(group, 1) })).toBe(
    'lower the target of web by what failed to launch',
  );
});
