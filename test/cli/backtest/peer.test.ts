import { expect, test } from 'vitest';
import { loadOf } from '../../../cli/backtest/load-of.ts';
import { underPeer } from '../../../cli/backtest/peer.ts';
import { defaultOptions } from '../../../core/model/options.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { node } from '../../builders.ts';
import { group } from '../../scenario-builders.ts';
import { periodOf, seenAt } from '../history/minutes.ts';

const period = await periodOf(
  ...[0, 30].map((at) =>
    seenAt(at, {
      groups: [
        group('web', {
          nodes: ['n1'],
          options: { consolidation: 'replace', scaleDownUnneededTime: minutes(3), spotInterruption: 'drain' },
        }),
      ],
      nodes: [node('n1', { cpu: 4, memory: '16Gi' })],
      options: { consolidation: 'delete', fillOldestNodesFirst: true, maxNodesTotal: 40, maxDrainParallelism: 12 },
    }),
  ),
);
const played = loadOf(period, 'shop', 1);

test('a run of Cluster Autoscaler has its defaults and the limits of the cluster', () => {
  expect(underPeer(played, 'cluster-autoscaler').options).toEqual({
    ...defaultOptions('cluster-autoscaler'),
    maxNodesTotal: 40,
  });
});

test('and of the options of node groups those that it reads from tags', () => {
  expect(underPeer(played, 'cluster-autoscaler').groups.map(({ options }) => options)).toEqual([
    { scaleDownUnneededTime: minutes(3) },
  ]);
});

test('Outrigger’s own run has all of them', () => {
  expect(underPeer(played, null)).toBe(played.load);
});
