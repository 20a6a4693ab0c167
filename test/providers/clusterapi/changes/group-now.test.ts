import { expect, test } from 'vitest';
import { type GroupNow, rollsOutNow } from '../../../../providers/clusterapi/changes/group-now.ts';
import { managementStandIn } from './group-stand-in.ts';

test.each([
  ['while an old MachineSet is to have one', 1, true],
  ['and not while an old MachineSet is empty', 0, false],
])('a MachineDeployment replaces its Machines %s', (_, replicas, expected) => {
  const { resource, bounds, sets } = managementStandIn().state;
  const old = { ...sets[0]!, uid: 'old', name: 'web-0', replicas };
  const group: GroupNow = { resource, bounds, holders: [...sets, old], machines: [], paused: null };
  expect(rollsOutNow(group)).toBe(expected);
});
