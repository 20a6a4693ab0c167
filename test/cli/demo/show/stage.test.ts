import pc from 'picocolors';
import { beforeAll, describe, expect, test } from 'vitest';
import { isRemovalTaint } from '../../../../core/model/cluster/removal-taints.ts';
import { DEFAULT_LOAD } from '../../../../simulation/load/default-load.ts';
import { livesOf } from '../../../../simulation/recording/lives.ts';
import { printed } from '../../../../cli/demo/show/printed.ts';
import type { TimelineEntry, Recording } from '../../../../simulation/recording/recording.ts';
import { createStage } from '../../../../cli/demo/show/stage.ts';
import { recordingOf } from '../../../simulation/recording/recordings.ts';

const ofKind = <Kind extends TimelineEntry['kind']>({ timeline }: Recording, kind: Kind) =>
  timeline.filter((entry): entry is Extract<TimelineEntry, { kind: Kind }> => entry.kind === kind);

describe.each([1, 2])('the whole life, with seed %i', (seed) => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await recordingOf(DEFAULT_LOAD, seed);
  });

  test('all that is not needed any more goes: empty nodes, and some that are drained', () => {
    expect(recording.summary).toMatchObject({
      end: 'idle',
      nodes: { start: 3, most: 12, end: 4, bought: 9, empty: 6, drained: 2 },
      pods: { pending: 0 },
    });
    expect(ofKind(recording, 'Trouble')).toEqual([]);
  });

  test('no node goes before its time is over', () => {
    const { nodeGroups, timeline, summary, unneededTime } = recording;
    const removed = livesOf({ nodeGroups, timeline }, summary.seconds).filter(({ removal }) => removal !== null);
    expect(removed).toHaveLength(8);
    for (const { unneeded, leaving } of removed) {
      expect(leaving[0]!.from - unneeded.at(-1)!.from).toBeGreaterThan(unneededTime!);
    }
  });

  test('a node is tainted, then emptied, then ended', () => {
    const stage = createStage(recording.nodeGroups);
    const tainted = new Set<string>();
    const wrong: TimelineEntry[] = [];
    let ended = 0;
    for (const entry of recording.timeline) {
      if (entry.kind === 'NodeTainted' && isRemovalTaint(entry.taint)) {
        tainted.add(entry.node);
      } else if (entry.kind === 'NodeGone') {
        ended += 1;
        const holds = stage.node(entry.node)!.pods.size > 0;
        wrong.push(...(holds || !tainted.has(entry.node) ? [entry] : []));
      } else if (entry.kind === 'PodEvicted' || entry.kind === 'PodBound') {
        wrong.push(...(tainted.has(entry.node) === (entry.kind === 'PodEvicted') ? [] : [entry]));
      }
      stage.advance(entry);
    }
    expect(wrong).toEqual([]);
    expect(ended).toBe(8);
  });

  test('pods with a budget leave one at a time, and run elsewhere before the next one goes', () => {
    const { budgets, evictions } = recording.summary;
    expect(budgets).toEqual([{ workload: 'default/checkout', minAvailable: 11, evictions: 3, fewest: 11 }]);
    expect(evictions.refused).toBeGreaterThan(0);
    const course = recording.timeline.flatMap((entry) =>
      (entry.kind === 'PodEvicted' || entry.kind === 'PodRunning') && entry.workload === 'default/checkout'
        ? [entry.kind]
        : [],
    );
    const first = course.indexOf('PodEvicted');
    expect(course.slice(first)).toEqual(Array.from({ length: 3 }, () => ['PodEvicted', 'PodRunning']).flat());
  });

  test('the node whose pod must not be evicted stays, and says why', () => {
    const kept = recording.summary.staying.filter(({ reason }) => reason === 'BlockedByPod');
    expect(kept).toEqual([
      expect.objectContaining({
        pod: expect.stringMatching(/^default\/ledger-/),
        podReason: 'NotSafeToEvictAnnotation',
        message: 'cluster-autoscaler.kubernetes.io/safe-to-evict is "false"',
      }),
    ]);
    expect(ofKind(recording, 'PodEvicted').filter(({ workload }) => workload === 'default/ledger')).toEqual([]);
  });

  test('it is cheaper than a cluster that never shrinks', () => {
    const { cost, nodeHours, withoutScaleDown, hourly } = recording.summary;
    expect(nodeHours).toBeLessThan(withoutScaleDown.nodeHours);
    expect(cost!).toBeLessThan(withoutScaleDown.cost!);
    expect(hourly!.end).toBeCloseTo(3 * 0.192 + 0.384, 4);
    expect(hourly!.most).toBeCloseTo(9 * 0.192 + 3 * 0.384, 4);
  });

  test('a row of the chart for each instance, with what became of it', () => {
    const lines = printed(recording, { colors: pc.createColors(false), width: 80 }).split('\n');
    const rows = lines.slice(lines.indexOf('Nodes') + 2, lines.indexOf('Summary') - 2);
    expect(rows).toHaveLength(12);
    expect(rows.filter((row) => /░+█+·*▒+x+ +(removed empty|drained of \d pods)$/.test(row))).not.toEqual([]);
    const ends = rows.map((row) => row.replace(/^.*[█▒x·] +/, ''));
    expect(ends.toSorted()).toEqual(
      [
        ...Array.from({ length: 6 }, () => 'removed empty'),
        'drained of 2 pods',
        'drained of 3 pods',
        'blocked by ledger',
        ...Array.from({ length: 3 }, () => 'node group at minimum'),
      ].toSorted(),
    );
  });
});

const GROUP = { name: 'web', zone: 'us-east-1a', instanceType: 'm5.xlarge', minSize: 1, maxSize: 5 };
const HEAD = { apiVersion: 'outrigger.dev/v1alpha1', kind: 'Workload', nodeGroups: [GROUP] };
const web = { name: 'web', replicas: 8, requests: { cpu: 1 } };
const FALL = [
  { at: '1s', deploy: web },
  { at: '3m', scale: { name: 'web', replicas: 1 } },
];

describe('other loads that fall', () => {
  test('with scale-down off, every node stays, and the run ends at once', async () => {
    const { summary } = await recordingOf({ ...HEAD, options: { scaleDownEnabled: false }, load: FALL });
    expect(summary).toMatchObject({ end: 'idle', nodes: { end: 3, empty: 0, drained: 0 } });
    expect(summary.seconds).toBeLessThan(5 * 60);
    expect(summary.withoutScaleDown).toEqual({ nodeHours: summary.nodeHours, cost: summary.cost });
  });

  test('nodes go sooner where the time is shorter, and what is said of it is that time', async () => {
    const recording = await recordingOf({ ...HEAD, options: { scaleDownUnneededTime: '3m' }, load: FALL });
    expect(recording.summary).toMatchObject({ end: 'idle', nodes: { end: 1 } });
    const story = printed(recording, { colors: pc.createColors(false), width: 120 });
    expect(story).toContain('Removal if unneeded for 3 min');
  });

  test('where the time depends on the group, none is told', async () => {
    const recording = await recordingOf({
      ...HEAD,
      nodeGroups: [{ ...GROUP, options: { scaleDownUnneededTime: '3m' } }],
      load: FALL,
    });
    expect(recording.unneededTime).toBeNull();
    expect(printed(recording, { colors: pc.createColors(false), width: 120 })).toMatch(
      /Removal after the unneeded time of the node group\n/,
    );
  });

  test('load that comes back in time finds its nodes', async () => {
    const recording = await recordingOf({
      ...HEAD,
      load: [...FALL, { at: '6m30s', scale: { name: 'web', replicas: 8 } }],
    });
    expect(recording.summary.nodes).toMatchObject({ bought: 2, end: 3, empty: 0, drained: 0 });
    const story = printed(recording, { colors: pc.createColors(false), width: 120 });
    expect(story).toMatch(/unneeded +\d nodes?.*\n[^]*needed +\d nodes? (is|are) needed again/);
  });

  test('a budget that lets nothing go keeps the node, and is named', async () => {
    const { summary } = await recordingOf({
      ...HEAD,
      nodeGroups: [{ ...GROUP, minSize: 0 }],
      load: [
        { at: '1s', deploy: web },
        { at: '2m', deploy: { name: 'api', replicas: 1, requests: { cpu: 1 }, minAvailable: 1 } },
        { at: '3m', delete: { name: 'web' } },
      ],
    });
    expect(summary).toMatchObject({ end: 'idle', nodes: { end: 1 }, evictions: { pods: 0 } });
    expect(summary.staying).toMatchObject([{ reason: 'BlockedByPod', podReason: 'NotEnoughPdb' }]);
  });

  describe('a budget in percent', () => {
    /** Pods of `api` between those of `web`, which go. */
    const evicting = async (minAvailable: number | string, replicas = 4): Promise<Recording> =>
      await recordingOf({
        ...HEAD,
        nodeGroups: [{ ...GROUP, minSize: 0 }],
        load: [
          { at: '1s', deploy: { ...web, replicas: 5 } },
          { at: '2m', deploy: { name: 'api', replicas, requests: { cpu: '500m' }, minAvailable } },
          { at: '4m', scale: { name: 'api', replicas: 4 } },
          { at: '5m', delete: { name: 'web' } },
        ],
      });

    test.each([
      ['50%', 2, { evictions: 1, fewest: 3 }],
      ['51%', 3, { evictions: 1, fewest: 3 }],
      ['100%', 4, { evictions: 0, fewest: null }],
    ])('%s of four pods is %i', async (percentage, pods, kept) => {
      const { timeline, summary } = await evicting(percentage);
      const plain = await evicting(pods);
      expect(timeline).toEqual(plain.timeline);
      expect(summary.budgets).toEqual([{ workload: 'default/api', minAvailable: pods, ...kept }]);
    });

    test('is of the pods that there are at the eviction', async () => {
      const { summary } = await evicting('50%', 8);
      expect(summary.budgets).toEqual([{ workload: 'default/api', minAvailable: 2, evictions: 1, fewest: 3 }]);
    });
  });

  test('without scale-down, load that comes back is not paid for twice', async () => {
    const again = { at: '20m', scale: { name: 'web', replicas: 8 } };
    const { summary } = await recordingOf({ ...HEAD, load: [...FALL, again] });
    expect(summary.nodes).toMatchObject({ bought: 4, most: 3 });
    // The largest size is reached in the first minute, and kept.
    const hours = summary.seconds / 3_600;
    expect(summary.withoutScaleDown.nodeHours).toBeLessThanOrEqual(3 * hours);
    expect(summary.withoutScaleDown.nodeHours).toBeGreaterThan(3 * hours - 0.05);
  });

  test('the work that evicted pods of Jobs had done is counted as lost', async () => {
    const { timeline, summary } = await recordingOf({
      ...HEAD,
      options: { scaleDownUtilizationThreshold: 1, jobProtectionAge: '0s' },
      nodeGroups: [{ ...GROUP, minSize: 0 }],
      load: [
        { at: '1s', deploy: { ...web, annotations: { 'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false' } } },
        { at: '1m', job: { name: 'train', pods: 1, runsFor: '40m', requests: { cpu: '2' } } },
        { at: '3m', scale: { name: 'web', replicas: 1 } },
      ],
    });
    const evicted = timeline.find((entry) => entry.kind === 'PodEvicted' && entry.workload === 'default/train');
    const began = timeline.find((entry) => entry.kind === 'PodRunning' && entry.workload === 'default/train');
    expect(summary.evictions.ofJobs).toBe(1);
    expect(summary.evictions.lostCoreHours).toBeCloseTo((2 * (evicted!.at - began!.at)) / 3_600, 3);
    const lines = printed(
      { ...(await recordingOf({ ...HEAD, load: FALL })), summary },
      { colors: pc.createColors(false), width: 120 },
    );
    expect(lines).toMatch(/pods moved +\d+; 1 of Jobs begins again: \d+\.\d+ core-hours of work are lost/);
  });

  test('with an end, the run lasts until then, even where the cluster is idle before', async () => {
    const load = [{ at: '1s', deploy: web }];
    const { summary } = await recordingOf({ ...HEAD, load, until: '30m' });
    expect(summary).toMatchObject({ end: 'idle', seconds: 1_800 });
  });

  test('a finished Job goes when its time is over, and its pods with it; without one it stays', async () => {
    const job = { name: 'once', pods: 2, runsFor: '30s', requests: { cpu: 1 } };
    const gone = async (more: object) =>
      ofKind(
        await recordingOf({ ...HEAD, load: [{ at: '1s', job: { ...job, ...more } }], until: '5m' }),
        'PodDeleted',
      ).map(({ at }) => Math.round(at));
    const { timeline } = await recordingOf({ ...HEAD, load: [{ at: '1s', job }], until: '5m' });
    const ended = timeline.findLast(({ kind }) => kind === 'PodFinished')!.at;
    expect(await gone({})).toEqual([]);
    expect(await gone({ ttlSecondsAfterFinished: 60 })).toEqual([Math.round(ended + 60), Math.round(ended + 60)]);
  });
});

describe('a large run', () => {
  const LARGE = { ...HEAD, nodeGroups: [{ ...GROUP, minSize: 0, maxSize: 1_000 }] };
  const BURST = [{ at: '5s', deploy: { name: 'shop', replicas: 600, requests: { cpu: '500m' } } }];

  test('has a row for each group instead of each instance, and no false alarm', async () => {
    const recording = await recordingOf({ ...LARGE, load: BURST });
    expect(ofKind(recording, 'Trouble')).toEqual([]);
    expect(recording.summary.pods.placed).toBe(600);
    const lines = printed(recording, { colors: pc.createColors(false), width: 80 }).split('\n');
    const most = recording.summary.nodes.most;
    expect(most).toBeGreaterThan(80);
    expect(lines.slice(lines.indexOf('Nodes') + 2, lines.indexOf('Summary') - 1)).toEqual([
      expect.stringMatching(new RegExp(`^web  [ ▁▂▃▄▅▆▇█]{20,}  ${most} at most$`)),
      `${most} instances in all; up to 24 have a row each`,
    ]);
  });
});

describe('the width of the terminal', () => {
  test.each([40, 50, 60, 64, 70, 71, 72, 76, 80, 100, 140])('%i columns hold every line', async (width) => {
    const long = { ...GROUP, name: 'a-node-group-with-a-rather-long-name' };
    for (const load of [DEFAULT_LOAD, { ...HEAD, nodeGroups: [long], load: FALL }]) {
      const lines = printed(await recordingOf(load), { colors: pc.createColors(false), width }).split('\n');
      expect(lines.filter((line) => line.length > width || line !== line.trimEnd())).toEqual([]);
    }
  });
});
