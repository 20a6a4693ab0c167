import { expect, test } from 'vitest';
import { decisionText } from '../../../cli/simulate/text.ts';
import { evaluate } from '../../../core/evaluate.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { node } from '../../builders.ts';
import { backoffSince, group, running, scenario, times } from '../../scenario-builders.ts';

const cluster = (given: Parameters<typeof scenario>[0]): readonly string[] => {
  const lines = decisionText(evaluate(scenario(given)), 120).split('\n');
  const start = lines.findIndex((line) => line.startsWith('Cluster:'));
  return start === -1 ? [] : lines.slice(start, lines.indexOf('', start));
};
const down = { conditions: [{ type: 'Ready', status: 'False', reason: '', since: null }] };

test('a cluster without nodes is not spoken of', () => {
  expect(cluster({ groups: [group('a')] })).toEqual([]);
});

test('nodes are counted in total, those of no group included', () => {
  const nodes = [...times(3, (i) => node(`n${i}`)), node('alone', {}, down)];
  expect(cluster({ groups: [group('a', { nodes: ['n0', 'n1', 'n2'], target: 3 })], nodes })).toEqual([
    'Cluster: healthy, 4 nodes',
    '            Ready  Unready',
    '  in total      3        1',
  ]);
});

test('groups that are not as they should be are named, with what is wrong', () => {
  const nodes = times(5, (i) => node(`n${i}`, {}, i > 0 ? down : {}));
  const ill = group('ill', {
    nodes: nodes.map(({ name }) => name),
    target: 7,
    instances: [...nodes.map(({ name }) => running(`i-${name}`, name)), running('i-new', null)],
  });
  const backoff = { [groupName('waits')]: backoffSince() };
  const evened = group('evened', { cloudActions: ['ZonesRebalanced'] });
  const groups = [ill, evened, group('waits'), group('well')];
  const [heading, , ...rows] = cluster({ groups, nodes, state: { backoff } });
  expect(heading).toBe('Cluster: unhealthy, 5 nodes');
  expect(rows.map((row) => row.trim().split(/ {2,}/))).toEqual([
    ['in total', '1', '4', '1'],
    [
      'evened',
      '0',
      '0',
      '0',
      expect.stringMatching(/^target 0, AWS rebalances its zones: Suspend its process AZRebalance\.$/),
    ],
    ['ill', '1', '4', '1', expect.stringMatching(/^target 7, unhealthy, 5 instead of 7 nodes since 2026-/)],
    ['waits', '0', '0', '0', expect.stringMatching(/^target 0, in backoff until 2026-/)],
  ]);
});
