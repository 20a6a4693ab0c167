import type { Scenario } from '../../../core/model/scenario.ts';
import type { State } from '../../../core/model/state.ts';
import { group, NOW, running } from '../../scenario-builders.ts';
import { BEFORE, clusterOf, replica, workerNode } from '../scaledown/cluster.ts';

const FULL = { requests: { cpu: '3', memory: '1Gi' } };

/** Two full nodes, of which `old` has drifted: a node of group `spare` is to be launched for its pod. */
export const driftedWorld = (state: Partial<State> = {}, now = NOW): Scenario => ({
  ...clusterOf({
    nodes: ['b', 'old'].map((name) => workerNode(name)),
    pods: [replica('p', 'old', FULL), replica('q', 'b', FULL)],
    groups: [
      group('web', {
        nodes: ['b', 'old'],
        instances: [running('i-b', 'b'), { ...running('i-old', 'old'), drifted: 'launch template version 1, not 2' }],
      }),
      group('spare'),
      group('other', { max: 0 }),
    ],
    options: { driftReplacement: 'replace' },
    state: { ...BEFORE, lastScaleUpEvaluation: NOW, ...state },
  }),
  now,
});
