import { describe, expect, it } from 'vitest';
import type { Node } from '../../../../core/model/cluster/node.ts';
import type { Pod, TopologySpreadConstraint } from '../../../../core/model/cluster/pod.ts';
import type { Labels } from '../../../../core/model/cluster/selectors.ts';
import { node, pod, selector, spreadConstraint } from '../../../builders.ts';
import { fit, rooms, verdicts } from '../fit.ts';

const WEB = { app: 'web' };
const constraint = (extra: Partial<TopologySpreadConstraint> = {}): TopologySpreadConstraint =>
  spreadConstraint('zone', selector(WEB), extra);
const spread = (...constraints: readonly Partial<TopologySpreadConstraint>[]): Pod =>
  pod('p', { labels: WEB, spec: { topologySpread: constraints.map(constraint) } });
/** `a1:2` is node a1 in zone a (its first letter) with two matching pods; `-x` is a node x without a zone. */
function cluster(text: string): { readonly nodes: readonly Node[]; readonly pods: readonly Pod[] } {
  const nodes: Node[] = [];
  const pods: Pod[] = [];
  for (const word of text.split(' ')) {
    const [name, count = '0'] = word.split(':') as [string, string?];
    const labels: Labels = name.startsWith('-') ? {} : { zone: name[0]! };
    nodes.push(node(name.replace('-', ''), {}, { labels }));
    for (let i = 0; i < Number(count); i++) {
      pods.push(pod(`${name}-${i}`, { labels: WEB, node: name.replace('-', '') }));
    }
  }
  return { nodes, pods };
}
/** Names of the nodes that the pod may go to. */
const feasible = (pending: Pod, given: ReturnType<typeof cluster>): string =>
  Object.entries(fit(pending, given))
    .filter(([, verdict]) => verdict === 'ok')
    .map(([name]) => name)
    .join(' ');

describe('one constraint', () => {
  it.each<[string, Partial<TopologySpreadConstraint>, string, string]>([
    ['keeps zones even', {}, 'a1:1 b1 c1', 'b1 c1'],
    ['counts a zone over all of its nodes', {}, 'a1:1 a2:1 b1:1', 'b1'],
    ['lets any zone in when all are even', {}, 'a1:2 b1:2', 'a1 b1'],
    ['allows maxSkew', { maxSkew: 2 }, 'a1:1 b1 c1', 'a1 b1 c1'],
    ['and no more', { maxSkew: 2 }, 'a1:2 b1 c1', 'b1 c1'],
    ['needs the label', {}, 'a1 -x', 'a1'],
    ['sees the emptiest of zones of one node', {}, 'a1:3 b1:2 c1:1', 'c1'],
    ['lets a single zone grow without end', {}, 'a1:9', 'a1'],
    ['takes the minimum for zero below minDomains', { minDomains: 3 }, 'a1:1 b1:1', ''],
    ['not at minDomains', { minDomains: 2 }, 'a1:1 b1:1', 'a1 b1'],
    ['lets in up to maxSkew below minDomains', { minDomains: 3, maxSkew: 2 }, 'a1:1 b1:2', 'a1'],
    ['has no say when it only wishes', { whenUnsatisfiable: 'ScheduleAnyway' }, 'a1:9 b1 -x', 'a1 b1 x'],
    ['counts nothing for no selector', { labelSelector: null }, 'a1:9 b1', 'a1 b1'],
    ['counts nothing for an empty selector, but the pod itself', { labelSelector: selector() }, 'a1:9 b1', 'a1 b1'],
    [
      'counts itself below minDomains for an empty selector',
      { labelSelector: selector(), minDomains: 9 },
      'a1 b1',
      'a1 b1',
    ],
    ['is met nowhere by a key that no node has', { topologyKey: 'nowhere' }, 'a1 b1', ''],
    ['does not count a pod that does not match itself', { labelSelector: selector({ app: 'db' }) }, 'a1 b1', 'a1 b1'],
  ])('%s', (_, extra, text, expected) => {
    expect(feasible(spread(extra), cluster(text))).toBe(expected);
  });
});

it('distinguishes a missing label from too many pods', () => {
  expect(verdicts(spread({}), cluster('a1:1 b1 -x'))).toEqual({
    a1: { plugin: 'PodTopologySpread', reasons: ["node(s) didn't match pod topology spread constraints"] },
    b1: null,
    x: {
      plugin: 'PodTopologySpread',
      reasons: ["node(s) didn't match pod topology spread constraints (missing required label)"],
    },
  });
});

it('rejects a selector with an unknown operator, on every node', () => {
  const labelSelector = selector({}, { key: 'app', operator: 'Like', values: ['web'] });
  expect(verdicts(spread({ labelSelector }), cluster('a1'))).toEqual({
    a1: { plugin: 'PodTopologySpread', reasons: ['"Like" is not a valid label selector operator'] },
  });
});

describe('which pods count', () => {
  const nodes = [node('a', {}, { labels: { zone: 'a' } }), node('b', {}, { labels: { zone: 'b' } })];
  it.each<[string, Partial<Pod>, boolean]>([
    ['of the same namespace', {}, true],
    ['of another namespace', { namespace: 'other' }, false],
    ['with other labels', { labels: { app: 'db' } }, false],
    ['that terminate', { deletedAt: 1 as never }, false],
    ['that have finished', { phase: 'Failed' }, false],
    ['that are bound and Pending', { phase: 'Pending' }, true],
  ])('%s', (_, extra, counts) => {
    const pods = [{ ...pod('there', { labels: WEB, node: 'a' }), ...extra }];
    expect(feasible(spread({}), { nodes, pods })).toBe(counts ? 'b' : 'a b');
  });

  it('with matchLabelKeys only those that share the value', () => {
    const pods = [pod('old', { labels: { ...WEB, hash: '1' }, node: 'a' })];
    const ofRevision = (hash: Labels): Pod => ({
      ...spread({ matchLabelKeys: ['hash'] }),
      labels: { ...WEB, ...hash },
    });
    expect(feasible(ofRevision({ hash: '2' }), { nodes, pods })).toBe('a b');
    expect(feasible(ofRevision({ hash: '1' }), { nodes, pods })).toBe('b');
    expect(feasible(ofRevision({}), { nodes, pods })).toBe('b');
  });
});

describe('which nodes make a domain', () => {
  const tainted = { taints: [{ key: 'k', value: '', effect: 'NoSchedule' }] };
  const there = [pod('1', { labels: WEB, node: 'a' })];

  it('not those that the affinity shuts out, unless it is ignored', () => {
    const nodes = [
      node('a', {}, { labels: { zone: 'a', disk: 'ssd' } }),
      node('b', {}, { labels: { zone: 'b', disk: 'hdd' } }),
    ];
    const picky = (extra: Partial<TopologySpreadConstraint>): Pod => {
      const { spec, ...rest } = spread(extra);
      return { ...rest, spec: { ...spec, nodeSelector: { disk: 'ssd' } } };
    };
    expect(feasible(picky({}), { nodes, pods: there })).toBe('a');
    expect(feasible(picky({ nodeAffinityPolicy: 'Ignore' }), { nodes, pods: there })).toBe('');
  });

  it('those with taints, unless they are honoured and not tolerated', () => {
    const nodes = [node('a', {}, { labels: { zone: 'a' } }), node('b', {}, { ...tainted, labels: { zone: 'b' } })];
    expect(feasible(spread({}), { nodes, pods: there })).toBe('');
    expect(feasible(spread({ nodeTaintsPolicy: 'Honor' }), { nodes, pods: there })).toBe('a');
    const { spec, ...rest } = spread({ nodeTaintsPolicy: 'Honor' });
    const tolerations = [{ key: 'k', operator: 'Exists', value: '', effect: '', tolerationSeconds: null }];
    expect(feasible({ ...rest, spec: { ...spec, tolerations } }, { nodes, pods: there })).toBe('b');
  });

  it('cordoned ones do', () => {
    const nodes = [
      node('a', {}, { labels: { zone: 'a' } }),
      node('b', {}, { unschedulable: true, labels: { zone: 'b' } }),
    ];
    expect(feasible(spread({ nodeTaintsPolicy: 'Honor' }), { nodes, pods: there })).toBe('');
  });

  it('those that carry the keys of all constraints', () => {
    const nodes = [node('a', {}, { labels: { zone: 'a', rack: 'r' } }), node('b', {}, { labels: { zone: 'b' } })];
    // Zone b is no domain, for want of a rack, so it cannot be the emptiest.
    expect(feasible(spread({}, { topologyKey: 'rack', maxSkew: 9 }), { nodes, pods: there })).toBe('a');
    expect(feasible(spread({}), { nodes, pods: there })).toBe('b');
  });
});

it('asks all constraints, each by its own selector', () => {
  const given = cluster('a1:1 a2 b1:1 b2');
  expect(feasible(spread({}, { topologyKey: 'kubernetes.io/hostname' }), given)).toBe('a2 b2');
  expect(
    feasible(spread({}, { topologyKey: 'kubernetes.io/hostname', labelSelector: selector({ app: 'db' }) }), given),
  ).toBe('a1 a2 b1 b2');
});

describe('room', () => {
  it.each<[string, Partial<TopologySpreadConstraint>, string]>([
    ['up to the others and maxSkew', {}, 'a1 b1:1 c1:2'],
    ['more skew', { maxSkew: 3 }, 'a1:1 b1 c1:2'],
    ['none to catch up with', {}, 'a1:1 b1:1'],
    ['alone', {}, 'a1:4'],
    ['below minDomains', { minDomains: 2, maxSkew: 4 }, 'a1:1'],
    ['the second emptiest bounds', { maxSkew: 2 }, 'a1 b1:5 c1:7'],
    ['several at the minimum', {}, 'a1 b1 c1:7'],
    ['no selector', { labelSelector: null }, 'a1 b1'],
    ['an empty selector', { labelSelector: selector() }, 'a1 b1'],
    ['of others', { labelSelector: selector({ app: 'db' }) }, 'a1 b1'],
    ['per node', { topologyKey: 'kubernetes.io/hostname', maxSkew: 2 }, 'a1 b1'],
  ])('%s', (_, extra, text) => {
    const { room, placed } = rooms(spread(extra), cluster(text));
    expect(room).toBe(placed);
    expect(placed).toBeGreaterThan(0);
  });

  it('is the least of several constraints', () => {
    const both = spread({ maxSkew: 3 }, { topologyKey: 'kubernetes.io/hostname', maxSkew: 2 });
    expect(rooms(both, cluster('a1 b1'))).toEqual({ room: 2, placed: 2 });
  });
});
