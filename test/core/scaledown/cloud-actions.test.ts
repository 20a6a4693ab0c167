import { describe, expect, it } from 'vitest';
import type { GroupName } from '../../../core/model/values/names.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import type { CloudAction } from '../../../core/model/cloud-action.ts';
import type { DisruptionReason } from '../../../core/model/disruption.ts';
import { groupsToCheck, conflictsWithCloud } from '../../../core/scaledown/cloud-actions.ts';
import { group as scenarioGroup } from '../../scenario-builders.ts';

const [a, b] = [groupName('a'), groupName('b')];
const DISRUPTION = {
  replacement: null,
  maxCost: 0,
  basis: 'price',
  saving: 0,
  moves: 0,
  since: epochMs(0),
  deadline: epochMs(0),
  state: 'Waiting',
} as const;
const removing = (...groups: readonly GroupName[]) => ({
  scaleDown: {
    removals: groups.map((group, n) => ({
      node: nodeName(`n${n}`),
      group,
      kind: 'empty' as const,
      pods: [],
      destinations: [],
    })),
  },
});
const group = (name: GroupName, ...cloudActions: readonly CloudAction[]) =>
  scenarioGroup(name, { nodes: [`node-${name}`], cloudActions, options: { nodeRepair: 'replace' } });
const told = (...nodeGroups: readonly NodeGroup[]) => ({ nodeGroups });
const both = told(group(a), group(b));

describe('a group that would lose a node', () => {
  it('is checked once for what the cloud does to it', () => {
    expect([...groupsToCheck(removing(a, a, b), both, new Set())]).toEqual([a, b]);
    expect([...groupsToCheck(removing(a, b), both, new Set([a]))]).toEqual([b]);
    expect(groupsToCheck(removing(), both, new Set()).size).toBe(0);
  });

  it.each(['Updating', 'InstanceRefresh'] as const)('keeps its nodes while the cloud replaces them: %s', (action) => {
    expect(conflictsWithCloud(removing(a), told(group(a, action), group(b)))).toBe(true);
    expect(conflictsWithCloud(removing(a), told(group(a), group(b, action)))).toBe(false);
  });

  it('loses them in spite of actions that are no replacement of all nodes', () => {
    expect(conflictsWithCloud(removing(a), told(group(a, 'NodeRepair', 'CapacityRebalance'), group(b)))).toBe(false);
  });
});

describe('a group of an unhealthy node', () => {
  const replacing = (reason: DisruptionReason) => ({
    scaleDown: { removals: [], disruptions: [{ ...DISRUPTION, nodes: [nodeName('node-a')], reason }] },
  });

  it('is checked for what the cloud does to it before the node is replaced', () => {
    expect([...groupsToCheck(replacing('Unhealthy'), both, new Set())]).toEqual([a]);
    expect([...groupsToCheck(replacing('Expired'), both, new Set())]).toEqual([]);
  });

  it('is left to the cloud where the cloud repairs its nodes', () => {
    expect(conflictsWithCloud(replacing('Unhealthy'), told(group(a, 'NodeRepair'), group(b)))).toBe(true);
    expect(conflictsWithCloud(replacing('Unhealthy'), told(group(a), group(b, 'NodeRepair')))).toBe(false);
  });
});
