import { expect, test } from 'vitest';
import type { Pod } from '../../../core/model/cluster/pod.ts';
import type { Controller } from '../../../core/model/cluster/workloads.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { daemonMissing } from '../../../core/disruption/daemons.ts';
import { clusterObjects, controller, node, pod } from '../../builders.ts';
import { group, NOW } from '../../scenario-builders.ts';
import { ago } from '../scaledown/cluster.ts';

const AGENT: Controller = controller('DaemonSet/agent', {
  namespace: 'monitoring',
  template: pod('agent', { namespace: 'monitoring', owner: 'DaemonSet/agent', requests: { cpu: '90m' } }),
});

const agentOn = (name: string, more: Partial<Pod> = {}): Pod =>
  pod(`agent-${name}`, { namespace: 'monitoring', node: name, owner: 'DaemonSet/agent', ...more });

/** Group `web` has a node that has just come, and others of its nodes; `other-0` is of another group. */
const missing = (ofWeb: readonly string[], pods: readonly Pod[], sets: readonly Controller[] = [AGENT]) =>
  daemonMissing(
    {
      objects: clusterObjects({
        nodes: [
          node('new', { cpu: 4 }, { createdAt: addTime(NOW, minutes(1)) }),
          ...[...ofWeb, 'other-0'].map((name) => node(name, { cpu: 4 }, { createdAt: ago(90) })),
        ],
        pods,
        controllers: sets,
      }),
      nodeGroups: [group('web', { nodes: ['new', ...ofWeb] }), group('other', { nodes: ['other-0'] })],
    },
    NOW,
  )?.daemonSet ?? null;

test.each([
  ['runs on another node of the group', ['web-0'], [agentOn('web-0')], 'monitoring/agent'],
  [
    'has a pod on the new node that is not ready',
    ['web-0'],
    [agentOn('web-0'), agentOn('new', { ready: false })],
    'monitoring/agent',
  ],
  ['has a ready pod on the new node', ['web-0'], [agentOn('web-0'), agentOn('new')], null],
  ['runs on no node', ['web-0'], [], null],
  ['runs on nodes of other groups alone', ['web-0'], [agentOn('other-0')], null],
  ['runs on nodes of other groups, while the group has no other node', [], [agentOn('other-0')], 'monitoring/agent'],
])('a DaemonSet that %s', (_, ofWeb, pods, expected) => {
  expect(missing(ofWeb, pods)).toBe(expected);
});

test('a DaemonSet of kube-system is awaited on each new node', () => {
  const network = { ...AGENT, namespace: 'kube-system', template: { ...AGENT.template!, namespace: 'kube-system' } };
  expect(missing(['web-0'], [], [network])).toBe('kube-system/agent');
});
