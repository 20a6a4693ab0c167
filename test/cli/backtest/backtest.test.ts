import { describe, expect, it, test } from 'vitest';
import { backtest } from '../../../cli/backtest/backtest.ts';
import { writeBacktest } from '../../../cli/backtest/document.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { node, pod } from '../../builders.ts';
import { group } from '../../scenario-builders.ts';
import { minute, periodOf, seenAt } from '../history/minutes.ts';

const quiet = { name: 'shop', onTime: () => {} };
describe('an interruption', () => {
  const web = pod('web-1', { node: 'n1', owner: 'ReplicaSet/web', requests: { cpu: 3 }, createdAt: minute(-60) });
  const seen = (at: number, on: string, nodes: readonly string[]) =>
    seenAt(at, {
      groups: [group('web', { nodes, min: 1 })],
      nodes: nodes.map((name) => node(name, { cpu: 4, memory: '16Gi' }, { createdAt: minute(at) })),
      pods: [{ ...web, uid: on, nodeName: node(on).name }],
    });

  it('that the history shows takes a node in each run, which its group replaces', async () => {
    const period = await periodOf(seen(0, 'n1', ['n1']), seen(10, 'n2', ['n2']), seen(40, 'n2', ['n2']));
    const { played, history, base } = await backtest(period, { ...quiet, seed: 1, settings: {}, peer: null });
    expect(played.interruptions).toBe(1);
    expect([history, base].map(({ figures }) => [figures.nodesLaunched, figures.nodesGone])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });
});

test('notes say what the figures do not show', async () => {
  const claims = [{ kind: 'claim' as const, name: 'data', claimName: 'data', readOnly: false }];
  const seen = (at: number, options: Parameters<typeof seenAt>[1]['options'] = {}) => ({
    ...seenAt(at, {
      groups: [
        group('web', { nodes: ['n1'] }),
        group('large', { node: { cpu: 8 } }),
        group('none', { template: null }),
      ],
      nodes: [node('n1', { cpu: 4, memory: '16Gi' }), node('other', { cpu: 2, memory: '8Gi' })],
      pods: [
        pod('db-0', {
          node: 'n1',
          owner: 'StatefulSet/db',
          requests: { cpu: 3 },
          spec: { volumes: claims },
          createdAt: minute(0),
        }),
      ],
      options,
    }),
    isMadeAgain: true as const,
  });
  const period = await periodOf(seen(0), seen(90, { scaleDownUnneededTime: minutes(2) }));
  const played = await backtest(period, { ...quiet, seed: 1, settings: {}, peer: null });
  const source = { cluster: null, mode: 'observe' as const, wanted: period, settings: {}, peer: null };
  const { notes, history } = writeBacktest(played, source);
  expect(history).toMatchObject({ usd: null, evictions: null, lostCoreHours: null });
  expect(notes).toEqual([
    expect.stringMatching(/^Pods that began and ended between two kept decisions are unknown.*1h30m/),
    expect.stringMatching(/^Files have no decisions/),
    expect.stringMatching(/^Outrigger observed/),
    expect.stringMatching(/^The options changed 1 time /),
    expect.stringMatching(/^Node groups have nodes of different sizes/),
    'Never removed in a run, and in no figure: 1 node in no node group.',
    'Nothing shows the nodes of none: not simulated.',
    'USD is without large, web, whose price is unknown.',
    'Not simulated: the disks, claimed devices, scheduling gates or PodGroups of 1 pod.',
  ]);
});
