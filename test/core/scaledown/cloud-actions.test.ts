import { describe, expect, it } from 'vitest';
import type { GroupName } from '../../../core/model/values/names.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import type { NodeGroup } from '../../../core/model/node-group.ts';
import { defaultOptions } from '../../../core/model/options.ts';
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
const group = (name: GroupName, { updating = false, repair = 'replace' } = {}) => ({
  ...scenarioGroup(name, { nodes: [`node-${name}`] }),
  name,
  updating,
  options: { nodeRepair: repair },
});
const told = (...nodeGroups: readonly NodeGroup[]) => ({ nodeGroups, options: defaultOptions() });
const both = told(group(a), group(b));

describe('a group that would lose a node', () => {
  it('is checked once for what the cloud does to it', () => {
    expect([...groupsToCheck(removing(a, a, b), both, new Set())]).toEqual([a, b]);
    expect([...groupsToCheck(removing(a, b), both, new Set([a]))]).toEqual([b]);
    expect(groupsToCheck(removing(), both, new Set()).size).toBe(0);
  });

  it('keeps its nodes while the cloud updates it', () => {
    expect(conflictsWithCloud(removing(a), told(group(a, { updating: true }), group(b)))).toBe(true);
    expect(conflictsWithCloud(removing(a), told(group(a), group(b, { updating: true })))).toBe(false);
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
    expect(conflictsWithCloud(replacing('Unhealthy'), told(group(a, { repair: 'off' }), group(b)))).toBe(true);
    expect(conflictsWithCloud(replacing('Unhealthy'), told(group(a), group(b, { repair: 'off' })))).toBe(false);
  });
});
