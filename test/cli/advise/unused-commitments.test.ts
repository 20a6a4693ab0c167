import { expect, test } from 'vitest';
import { commitmentText, unusedCommitments } from '../../../cli/advise/unused-commitments.ts';
import type { Commitment } from '../../../core/model/commitment.ts';
import { scalingGroup } from '../../simulation/builders.ts';
import { loadOf } from './loads.ts';

const load = loadOf(['m5.xlarge', 'c5.xlarge'], { cpu: '900m', memory: '512Mi' });
const groupsOf = (...types: readonly string[]) =>
  types.map((instanceType) => scalingGroup(instanceType, { instanceType, capacityType: 'on-demand' }));
const reserved = (type: string, coversSizes: boolean): Commitment => ({
  kind: 'ReservedInstances',
  type,
  zone: null,
  count: 2,
  available: null,
  coversSizes,
});
const plan = (family: string | null): Commitment => ({ kind: 'SavingsPlan', family, commitment: 1, rates: {} });
const spot = groupsOf('m5.xlarge').map((group) => ({ ...group, capacityType: 'spot' }));

test.each([
  ['reserved instances of one size', reserved('m5.xlarge', false), groupsOf('m5.2xlarge'), true],
  ['reserved instances of all sizes', reserved('m5.large', true), groupsOf('m5.2xlarge'), false],
  ['reserved instances, and Spot nodes', reserved('m5.xlarge', false), spot, true],
  ['the plan of a family', plan('m5'), groupsOf('c6a.xlarge', 'm5.large'), false],
  ['the plan of a family that is left', plan('m5'), groupsOf('c6a.xlarge'), true],
  ['a plan for all', plan(null), groupsOf('c6a.xlarge'), false],
  ['what the cluster does not use now', reserved('r5.xlarge', false), groupsOf('c6a.xlarge'), false],
  ['what could not be read', { kind: 'Unread', call: 'DescribeSavingsPlans' } as const, groupsOf('c6a.xlarge'), false],
] as const)('a layout leaves capacity unused that is paid for: %s', (_, commitment, groups, isLeft) => {
  expect(unusedCommitments({ ...load, commitments: [commitment] }, { groups })).toHaveLength(isLeft ? 1 : 0);
});

test('commitments have the names of AWS', () => {
  const all = [reserved('m5.xlarge', false), plan('m5'), plan(null)];
  expect(unusedCommitments({ ...load, commitments: all }, { groups: [] }).map(commitmentText)).toEqual([
    'ReservedInstances for m5.xlarge',
    'SavingsPlan for m5',
    'SavingsPlan for all families',
  ]);
});
