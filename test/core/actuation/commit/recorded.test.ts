import { describe, expect, it } from 'vitest';
import { evaluate, evaluateScaleDown, evaluateScaleUp } from '../../../../core/evaluate.ts';
import { INSTANCE_TYPE_LABEL } from '../../../../core/model/cluster/node.ts';
import { recorded } from '../../../../core/actuation/commit/recorded.ts';
import { node } from '../../../builders.ts';
import { group, scenario } from '../../../scenario-builders.ts';

const given = scenario({
  groups: [
    group('web', { min: 1, max: 5, nodes: ['n1'], labels: { [INSTANCE_TYPE_LABEL]: 'm5.xlarge' } }),
    group('bare', { template: null }),
  ],
  nodes: [node('n1', { cpu: 4, memory: '16Gi' })],
});

const LIMITS = { min: 1, max: 5, template: { instanceType: 'm5.xlarge', cpu: 4_000, memory: 16 * 1024 ** 3 } };

describe('a decision is stored with what was observed of its node groups', () => {
  it.each([
    ['scale-up: limits and templates', evaluateScaleUp, { bare: { min: 0, max: 10 }, web: LIMITS }],
    ['scale-down: the nodes', evaluateScaleDown, { bare: { nodes: [] }, web: { nodes: ['n1'] } }],
    ['both', evaluate, { bare: { min: 0, max: 10, nodes: [] }, web: { ...LIMITS, nodes: ['n1'] } }],
  ] as const)('%s', (_, evaluation, nodeGroups) => {
    const decision = evaluation(given);
    expect(recorded(decision, given)).toEqual({ ...decision, nodeGroups });
  });

  it('with the reason for which a group cannot grow, whatever pods there are', () => {
    const groups = [
      group('off', { launchSuspended: true }),
      group('paused', { paused: 'its Cluster is paused' }),
      group('wrong', { invalid: 'tag x: wrong', launchSuspended: true }),
    ];
    const { nodeGroups: stored } = recorded(evaluateScaleUp(scenario({ groups })), { nodeGroups: groups });
    expect(stored).toMatchObject({
      off: { cannotGrow: { reason: 'LaunchSuspended', message: 'its process Launch is suspended' } },
      paused: { cannotGrow: { reason: 'LaunchSuspended', message: 'its Cluster is paused' } },
      wrong: { cannotGrow: { reason: 'Invalid', message: 'tag x: wrong' } },
    });
  });

  it('where its template states no cpu and no memory, as none of them', () => {
    const empty = group('web');
    const nodeGroups = [
      { ...empty, template: { ...empty.template!, node: { ...empty.template!.node, allocatable: {} } } },
    ];
    const { nodeGroups: stored } = recorded(evaluateScaleUp(given), { nodeGroups });
    expect(stored).toMatchObject({ web: { template: { instanceType: null, cpu: 0, memory: 0 } } });
  });
});
