import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../core/model/cluster/node.ts';
import { keysOf } from '../../../../providers/clusterapi/api/resources.ts';
import { type MachineNode, matchNodes } from '../../../../providers/clusterapi/groups/node-matching.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { node } from '../../../builders.ts';

const KEYS = keysOf('cluster.x-k8s.io');

const claim = (id: string, providerId: string | null, nodeRef: string | null = null): MachineNode => ({
  id,
  providerId,
  nodeRef,
});
const of = (name: string, providerId: string | null, more: Partial<Node> = {}): Node =>
  node(name, {}, { providerId, ...more });
const annotated = (machine: string, namespace?: string): Partial<Node> => ({
  annotations: {
    'cluster.x-k8s.io/machine': machine,
    ...(namespace !== undefined && { 'cluster.x-k8s.io/cluster-namespace': namespace }),
  },
});

type Shown = Readonly<Record<string, readonly string[]>>;

function shown(
  claims: readonly MachineNode[],
  nodes: readonly Node[],
): { matched: Shown; ambiguous: readonly string[] } {
  const { nodes: matched, ambiguous } = matchNodes(claims, nodes, KEYS);
  return { matched: Object.fromEntries([...matched].map(([id, own]) => [id, own.map(({ name }) => name)])), ambiguous };
}

describe('nodes and Machines', () => {
  it.each<[string, readonly MachineNode[], readonly Node[], Shown, (readonly string[])?]>([
    [
      'match by the provider ID',
      [claim('d/m', 'aws:///us-east-1a/i-1')],
      [of('n', 'aws:///us-east-1a/i-1')],
      { 'd/m': ['n'] },
    ],
    [
      'match where one ID has no zone',
      [claim('d/m', 'aws:////i-1')],
      [of('n', 'aws:///us-east-1a/i-1')],
      { 'd/m': ['n'] },
    ],
    [
      'match where one ID is that of the instance alone',
      [claim('d/m', 'i-1')],
      [of('n', 'aws:///us-east-1a/i-1')],
      { 'd/m': ['n'] },
    ],
    [
      'match by the provider ID before the name',
      [claim('d/m1', 'aws:///a/i-1', 'n2'), claim('d/m2', 'aws:///a/i-2', 'n1')],
      [of('n1', 'aws:///a/i-1'), of('n2', 'aws:///a/i-2')],
      { 'd/m1': ['n1'], 'd/m2': ['n2'] },
    ],
    [
      'match by nodeRef, where the Machine has no provider ID',
      [claim('d/m', null, 'n')],
      [of('n', 'openstack:///u')],
      { 'd/m': ['n'] },
    ],
    [
      'match by nodeRef, where the Node has no provider ID',
      [claim('d/m', 'metal3://x', 'n')],
      [of('n', null)],
      { 'd/m': ['n'] },
    ],
    ['match by nodeRef, where neither has one', [claim('d/m', null, 'n')], [of('n', null)], { 'd/m': ['n'] }],
    [
      'match by nodeRef, where only the zones differ',
      [claim('d/m', 'aws:///us-east-1/i-1', 'n')],
      [of('n', 'aws:///us-east-1a/i-1')],
      { 'd/m': ['n'] },
    ],
    [
      'do not match by the name of another instance',
      [claim('d/m', 'aws:///a/i-1', 'n')],
      [of('n', 'aws:///a/i-2')],
      {},
    ],
    [
      'match by the annotations of the Node',
      [claim('d/m', null), claim('e/m', null)],
      [of('n', null, annotated('m', 'd'))],
      { 'd/m': ['n'] },
    ],
    [
      'match by one annotation with both names',
      [claim('d/m', null)],
      [of('n', null, annotated('d/m'))],
      { 'd/m': ['n'] },
    ],
    ['do not match by half of the annotations', [claim('d/m', null)], [of('n', null, annotated('m'))], {}],
    ['do not match by nothing', [claim('d/m', null)], [of('n', null)], {}],
    [
      'of one ID are several, the newest first',
      [claim('d/m', 'aws:///a/i-1')],
      [
        of('old', 'aws:///a/i-1', { createdAt: epochMs(1_000) }),
        of('new', 'aws:///a/i-1', { createdAt: epochMs(2_000) }),
      ],
      { 'd/m': ['new', 'old'] },
    ],
    [
      'of one ID match the Machine that refers to the Node',
      [claim('d/m1', 'aws:///a/i-1', 'n'), claim('d/m2', 'aws:///a/i-1')],
      [of('n', 'aws:///a/i-1')],
      { 'd/m1': ['n'] },
    ],
    [
      'of one ID match the Machine that the Node names',
      [claim('d/m1', 'aws:///a/i-1', 'n'), claim('d/m2', 'aws:///a/i-1', 'n')],
      [of('n', 'aws:///a/i-1', annotated('m2', 'd'))],
      { 'd/m2': ['n'] },
    ],
    [
      'of one ID are ambiguous where nothing tells them apart',
      [claim('d/m1', 'aws:///a/i-1'), claim('d/m2', 'aws:///a/i-1')],
      [of('n', 'aws:///a/i-1')],
      {},
      ['n'],
    ],
    [
      'with the same last part in two scale sets match by all of it',
      [claim('d/m1', 'azure:///rg/a/virtualMachines/0'), claim('d/m2', 'azure:///rg/b/virtualMachines/0')],
      [of('n', 'azure:///RG/b/virtualMachines/0')],
      { 'd/m2': ['n'] },
    ],
    [
      'with the same last part in a scale set without Machines do not match',
      [claim('d/m1', 'azure:///rg/a/virtualMachines/0')],
      [of('n', 'azure:///rg/b/virtualMachines/0')],
      {},
    ],
    [
      'match all of an ID before a part of it',
      [claim('d/m1', 'gce://worker'), claim('d/m2', 'gce://p/zone-b/worker')],
      [of('n', 'gce://p/zone-b/worker')],
      { 'd/m2': ['n'] },
    ],
    [
      'of two instances and one Machine are ambiguous',
      [claim('d/m', 'gce://worker')],
      [of('n1', 'gce://p/zone-a/worker'), of('n2', 'gce://p/zone-b/worker')],
      { 'd/m': [] },
      ['n1', 'n2'],
    ],
    [
      'of two instances match the Machine that refers to one of them',
      [claim('d/m', 'gce://worker', 'n2')],
      [of('n1', 'gce://p/zone-a/worker'), of('n2', 'gce://p/zone-b/worker')],
      { 'd/m': ['n2'] },
      ['n1'],
    ],
    [
      'of the same name in two clusters are ambiguous without provider IDs',
      [claim('c1/m', null, 'worker-0'), claim('c2/m', null, 'worker-0')],
      [of('worker-0', null)],
      {},
      ['worker-0'],
    ],
    [
      'of the same name in two clusters match the one that the Node names',
      [claim('c1/m', null, 'worker-0'), claim('c2/m', null, 'worker-0')],
      [of('worker-0', null, annotated('m', 'c2'))],
      { 'c2/m': ['worker-0'] },
    ],
  ])('%s', (_case, claims, nodes, matched, ambiguous = []) => {
    expect(shown(claims, nodes)).toEqual({ matched, ambiguous });
    expect(shown(claims.toReversed(), nodes.toReversed())).toEqual({
      matched,
      ambiguous: expect.toSatisfy(
        (found: readonly string[]) => found.toSorted().join() === ambiguous.join(),
      ) as string[],
    });
  });
});
