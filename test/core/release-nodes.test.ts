import { expect, test } from 'vitest';
import { evaluate, evaluateScaleUp } from '../../core/evaluate.ts';
import { AWAITING_PODS_TAINT } from '../../core/model/cluster/node.ts';
import { node, pod } from '../builders.ts';
import { group, NOW, scenario, times } from '../scenario-builders.ts';
import { throwingAt } from './model/isolation/poison.ts';

const READY = { type: 'Ready', status: 'True', reason: '', since: null } as const;

test.each([evaluate, evaluateScaleUp])(
  'a node that cannot be released changes no plan, and the others are released: %o',
  (decide) => {
    const taints = [{ key: AWAITING_PODS_TAINT, value: '', effect: 'NoSchedule' }];
    const [a, b] = ['a', 'b'].map((name) =>
      node(name, { cpu: 4, memory: '16Gi' }, { taints, conditions: [READY], createdAt: NOW }),
    );
    const { scaleUp, unexpectedErrors } = decide(
      scenario({
        groups: [group('web', { nodes: ['a', 'b'], target: 2, taints })],
        nodes: [{ ...a!, conditions: [throwingAt(READY, 'since')] }, b!],
        pods: times(2, (i) => pod(`p-${i}`, { owner: 'ReplicaSet/p', requests: { cpu: 3 } })),
        options: { plannedPlacement: true },
      }),
    );
    expect(scaleUp).toMatchObject({ increases: [], releases: [{ node: 'b', pods: ['default/p-1'] }] });
    expect(unexpectedErrors).toMatchObject([{ during: 'ScaleUp', node: 'a' }]);
  },
);
