import { describe, expect, it } from 'vitest';
import type { GroupName } from '../../../core/model/values/names.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { groupsToCheck, removesUpdating } from '../../../core/scaledown/updating-groups.ts';

const [a, b] = [groupName('a'), groupName('b')];
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
const group = (name: GroupName, updating: boolean) => ({ name, updating });

describe('a group that would lose a node', () => {
  it('is checked once for an update of the cloud', () => {
    expect([...groupsToCheck(removing(a, a, b), new Set())]).toEqual([a, b]);
    expect([...groupsToCheck(removing(a, b), new Set([a]))]).toEqual([b]);
    expect(groupsToCheck(removing(), new Set()).size).toBe(0);
  });

  it('keeps its nodes while the cloud updates it', () => {
    expect(removesUpdating(removing(a), [group(a, true), group(b, false)])).toBe(true);
    expect(removesUpdating(removing(a), [group(a, false), group(b, true)])).toBe(false);
  });
});
