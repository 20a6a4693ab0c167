import type { Decision } from '../../../../core/model/decision.ts';
import type { Options } from '../../../../core/model/options.ts';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import { pod } from '../../../builders.ts';
import { group, scenario, times } from '../../../scenario-builders.ts';

export const BIG = 16;
export const SMALL = 16;

/** Nodes of 4 CPUs: a big pod requests three of them, a small one the fourth. Packed, each node holds one of both. */
export const bigAndSmall = (count: number): readonly Pod[] => [
  ...times(count, (i) => pod(`big-${i}`, { requests: { cpu: 3 }, owner: 'ReplicaSet/big' })),
  ...times(count, (i) => pod(`small-${i}`, { requests: { cpu: 1 }, owner: 'ReplicaSet/small' })),
];

export const GROUPS = ['a', 'b'].map((zone) => ({
  ...group(`g-${zone}`, { max: 40, zone: `us-east-1${zone}`, node: { cpu: 4, memory: '64Gi' } }),
  price: 0.2,
}));

export const given = (options: Partial<Options>, pods = bigAndSmall(BIG)): Scenario =>
  scenario({ groups: GROUPS, pods, options });

export const later = (before: Scenario, { scaleUp, state }: Decision, pods = before.objects.pods): Scenario => ({
  ...before,
  state,
  objects: { ...before.objects, pods },
  nodeGroups: before.nodeGroups.map((one) => ({
    ...one,
    targetSize: scaleUp.increases.find(({ group: name }) => name === one.name)?.to ?? one.targetSize,
  })),
});

export const added = ({ scaleUp }: Decision): number =>
  scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);
export const spare = ({ state }: Decision): number =>
  Object.values(state.reservedPacking).reduce((sum, one) => sum + one.spare, 0);
