import { describe, expect, test } from 'vitest';
import type { PriorityTiers } from '../../../../core/model/cluster/priorities.ts';
import { createChooser } from '../../../../core/scaleup/expanders/chooser.ts';
import { option } from './option.ts';
import { tiers, context, chosen } from './chosen.ts';

describe('priority', () => {
  const options = ['spot-a', 'spot-b', 'demand-a', 'other'].map((name) => option(name));
  const cases: readonly {
    readonly what: string;
    readonly priorities: PriorityTiers | null;
    readonly winners: readonly string[];
    readonly why: string;
  }[] = [
    {
      what: 'the highest wins, groups that match nothing are left out',
      priorities: tiers({ 10: ['demand'], 50: ['^spot-'] }),
      winners: ['spot-a', 'spot-b'],
      why: 'priority: 2 groups have 50, the next best 10 (1 group without one left out); random: one of 2 equals',
    },
    {
      what: 'patterns match anywhere in the name',
      priorities: tiers({ 10: ['-a'], 20: ['mand'] }),
      winners: ['demand-a'],
      why: 'priority: 20, the next best 10 (2 groups without one left out)',
    },
    {
      what: 'a group that matches several has the highest of them',
      priorities: tiers({ 10: ['.*'], 50: ['spot-b'] }),
      winners: ['spot-b'],
      why: 'priority: 50, the next best 10',
    },
    {
      what: 'a priority that matches no group is passed by',
      priorities: tiers({ 10: ['other'], 99: ['gpu'] }),
      winners: ['other'],
      why: 'priority: 10 (3 groups without one left out)',
    },
    {
      what: 'negative priorities below -1 are never chosen',
      priorities: tiers({ [-1]: ['other'], [-2]: ['spot'] }),
      winners: ['other'],
      why: 'priority: -1 (3 groups without one left out)',
    },
    {
      what: 'all stay when none matches',
      priorities: tiers({ 10: ['gpu'], [-5]: ['spot'] }),
      winners: ['demand-a', 'other', 'spot-a', 'spot-b'],
      why: 'priority: not used, no group that helps matches a priority; random: one of 4 equals',
    },
    {
      what: 'all stay without a ConfigMap',
      priorities: null,
      winners: ['demand-a', 'other', 'spot-a', 'spot-b'],
      why: 'priority: not used, there is no ConfigMap kube-system/cluster-autoscaler-priority-expander; random: one of 4 equals',
    },
    {
      what: 'all stay when there is a mistake in it',
      priorities: { ok: false, error: 'the key priorities is missing' },
      winners: ['demand-a', 'other', 'spot-a', 'spot-b'],
      why: 'priority: not used, ConfigMap kube-system/cluster-autoscaler-priority-expander: the key priorities is missing; random: one of 4 equals',
    },
  ];
  test.each(cases)('$what', ({ priorities, winners, why }) => {
    expect(chosen(['priority'], options, { priorities })).toEqual({ winners, why });
  });

  test('figures tell the priority of each group that has one', () => {
    const { figures } = createChooser(['priority'], context({ priorities: tiers({ 5: ['spot'] }) }));
    expect(options.map(figures)).toEqual([{ priority: 5 }, { priority: 5 }, {}, {}]);
  });

  test('patterns that no reader lets pass are a defect', () => {
    expect(() => createChooser(['priority'], context({ priorities: tiers({ 5: ['*'] }) }))).toThrow('got past');
  });
});
