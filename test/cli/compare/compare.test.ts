import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { type Announcements, type Comparison } from '../../../cli/compare/comparison.ts';
import { readAnnouncements } from '../../../cli/compare/announcements.ts';
import { aboutComparison } from '../../../cli/compare/answer.ts';
import { comparisonReport } from '../../../cli/compare/report.ts';
import { scaleUpsOf } from '../../../cli/compare/scale-ups.ts';
import type { ClusterStores } from '../../../cli/explain/stored.ts';
import { momentOf } from '../../../cli/history/period.ts';
import { podKey, type PodKey } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import type { HistoryDecision } from '../../../core/ports/decision-history.ts';
import { documentSchema } from '../../../providers/schema/documents.ts';
import { NOW } from '../../scenario-builders.ts';
import { printed } from '../history/stored-history.ts';
import { besideAnother, besideAnotherToTheEnd } from './beside.ts';

const NO_ANNOUNCEMENTS: Announcements = {
  by: null,
  status: null,
  pods: new Map(),
  nodes: new Map(),
  interrupted: new Set(),
};

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const DAY = { since: momentOf('24h') };

async function compared(
  announced: Announcements = NO_ANNOUNCEMENTS,
  output: 'text' | 'json' = 'json',
  play = besideAnother,
) {
  let comparison: Comparison | undefined;
  const answer = async (stored: ClusterStores) => {
    const answered = await aboutComparison(DAY, announced, stored);
    comparison = answered.ok ? answered.value.comparison : undefined;
    return answered;
  };
  return { ...(await printed(answer, { output, dryRun: true, play })), comparison };
}

const EVENTS = {
  items: [
    {
      kind: 'Event',
      reason: 'TriggeredScaleUp',
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'waits' },
      source: { component: 'cluster-autoscaler' },
      firstTimestamp: '2026-01-01T12:00:11Z',
    },
    {
      kind: 'Event',
      reason: 'ScaleDown',
      involvedObject: { kind: 'Node', name: 'n1' },
      source: { component: 'cluster-autoscaler' },
      firstTimestamp: '2026-01-01T12:12:30Z',
    },
    {
      kind: 'Event',
      reason: 'ScaleDown',
      involvedObject: { kind: 'Node', name: 'n1' },
      source: { component: 'cluster-autoscaler' },
      firstTimestamp: '2026-01-01T12:12:50Z',
    },
    {
      kind: 'Event',
      reason: 'TriggeredScaleUp',
      involvedObject: { kind: 'Pod', namespace: 'default', name: 'waits' },
      source: { component: 'outrigger' },
      firstTimestamp: '2026-01-01T12:00:01Z',
    },
    {
      kind: 'ConfigMap',
      metadata: { name: 'cluster-autoscaler-status' },
      data: {
        status:
          'time: 2026-01-01 12:14:00 +0000 UTC\nautoscalerStatus: Running\nclusterWide: {health: {status: Healthy}, scaleUp: {status: NoActivity}, scaleDown: {status: NoCandidates}}\n',
      },
    },
  ],
};

it('tells of each scale-up and removal what each would have done, and whether it was safe', async () => {
  const { code, comparison } = await compared();
  expect(code).toBe(0);
  expect(comparison?.scaleUps).toMatchObject([
    {
      pods: ['default/waits'],
      outrigger: { at: Date.UTC(2026, 0, 1, 12), sizes: [{ group: 'web-b', from: 0, to: 1 }] },
      acting: { at: Date.UTC(2026, 0, 1, 12, 0, 40), exact: false, sizes: [{ group: 'web-b', from: 0, to: 2 }] },
    },
  ]);
  expect(comparison?.removals.map(({ node, by, safe }) => [node, by, safe])).toEqual([
    ['n1', 'both', true],
    ['b2', 'outrigger', true],
    ['n2', 'acting', false],
  ]);
  expect(comparison?.removals.find(({ node }) => node === 'n2')?.why).toContain('NotReplicated');
});

it('takes the last removals from events where no decision is kept after them, and the size is lower', async () => {
  const announced = readAnnouncements(
    JSON.stringify({
      items: ['n3', 'b1'].map((name) => ({
        kind: 'Event',
        reason: 'ScaleDown',
        involvedObject: { kind: 'Node', name },
        source: { component: 'cluster-autoscaler' },
        firstTimestamp: '2026-01-01T12:16:30Z',
      })),
    }),
  );
  const { comparison } = await compared(announced.ok ? announced.value : undefined, 'json', besideAnotherToTheEnd);
  // The size of the group of `b1` is as before: the other has replaced the node, or has given the removal up.
  expect(comparison?.removals.filter(({ node }) => ['n3', 'b1'].includes(node))).toMatchObject([
    { node: 'n3', by: 'acting', acting: { at: Date.UTC(2026, 0, 1, 12, 16, 30), exact: true } },
  ]);
});

it('corrects the node-hours of the other by each difference', async () => {
  const { comparison } = await compared();
  const hours = (name: string) => comparison?.groups.find(({ group }) => group === name)?.nodeHours;
  // Two nodes from 12:00:40 on. One node in their place, 40 seconds earlier, which lives as long as they do on average: until
  // 12:30, and until 12:12:20, when Outrigger would have removed the second one.
  const ms = 60_000;
  const [early, one, other] = [40_000, 30 * ms - 40_000, 12 * ms + 20_000 - 40_000];
  expect(hours('web-b')?.acting).toBeCloseTo((2 * one) / 3_600_000, 2);
  expect(hours('web-b')?.outrigger).toBeCloseTo((early + (one + other) / 2) / 3_600_000, 2);
  // Outrigger removes `n1` a minute earlier, and keeps `n2`, which is gone at 12:15, until the end.
  expect(hours('web')?.acting).toBeCloseTo((13 + 14 + 30) / 60, 2);
  expect(hours('web')?.outrigger).toBeCloseTo((12 + 30 + 30 - 1) / 60, 2);
  expect(comparison?.acting).toMatchObject({ nodesAdded: 2, nodesRemoved: 2 });
  expect(comparison?.acting.usd).toBeCloseTo(
    0.25 * (hours('web')?.acting ?? 0) + 0.5 * (hours('web-b')?.acting ?? 0),
    2,
  );
});

it('takes the times of the events of the other, and none of its own', async () => {
  const announced = readAnnouncements(JSON.stringify(EVENTS, null, 4));
  expect(announced).toMatchObject({
    ok: true,
    value: { by: 'Cluster Autoscaler', status: expect.stringContaining('Running, Healthy, scale-up NoActivity') },
  });
  const { comparison } = await compared(announced.ok ? announced.value : undefined);
  expect(comparison?.scaleUps[0]?.acting).toMatchObject({ at: Date.UTC(2026, 0, 1, 12, 0, 11), exact: true });
  expect(comparison?.removals[0]).toMatchObject({
    node: 'n1',
    acting: { at: Date.UTC(2026, 0, 1, 12, 12, 30), exact: true },
  });
});

/** An event in the form in which Karpenter writes it: by the recorder of client-go. */
const byKarpenter = (
  reason: string,
  message: string,
  involvedObject: {
    readonly apiVersion: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
  },
  time: string,
) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: {
    name: `${involvedObject.name}.18a3f1d2c0b4e5f6`,
    namespace: involvedObject.namespace ?? 'default',
    creationTimestamp: time,
  },
  involvedObject: { ...involvedObject, uid: '5f0c8a52-3a53-4a5e-9f51-0d2a4b8d1c11', resourceVersion: '4711' },
  reason,
  message,
  type: 'Normal',
  source: { component: 'karpenter' },
  reportingComponent: 'karpenter',
  reportingInstance: '',
  firstTimestamp: time,
  lastTimestamp: time,
  count: 1,
  eventTime: null,
});
const WAITS = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'waits' };
const CLAIM = { apiVersion: 'karpenter.sh/v1', kind: 'NodeClaim', name: 'default-4z6vk' };
const nodeOf = (name: string) => ({ apiVersion: 'v1', kind: 'Node', name });
const KARPENTER = [
  // The pod of the same name, a day earlier.
  byKarpenter('Nominated', 'Pod should schedule on: nodeclaim/default-8xk2p', WAITS, '2025-12-31T12:00:05Z'),
  byKarpenter('Nominated', 'Pod should schedule on: nodeclaim/default-4z6vk', WAITS, '2026-01-01T12:00:06Z'),
  byKarpenter(
    'Launched',
    'Status condition transitioned, Type: Launched, Status: Unknown -> True, Reason: Launched',
    CLAIM,
    '2026-01-01T12:00:08Z',
  ),
  byKarpenter('DisruptionBlocked', 'Node is nominated for a pending pod', nodeOf('n1'), '2026-01-01T12:05:00Z'),
  byKarpenter('DisruptionTerminating', 'Disrupting NodeClaim: Empty', CLAIM, '2026-01-01T12:12:20Z'),
  byKarpenter('DisruptionTerminating', 'Disrupting Node: Empty', nodeOf('n1'), '2026-01-01T12:12:20Z'),
  byKarpenter(
    'TerminatingOnInterruption',
    'Interruption triggered termination for the Node',
    nodeOf('n2'),
    '2026-01-01T12:13:10Z',
  ),
];

it('takes the times of nominations and disruptions of Karpenter, and counts no interruption as a removal', async () => {
  const announced = readAnnouncements(JSON.stringify({ items: KARPENTER }));
  expect(announced).toMatchObject({ ok: true, value: { by: 'Karpenter', status: null } });
  const { comparison } = await compared(announced.ok ? announced.value : undefined);
  expect(comparison?.other).toBe('Karpenter');
  expect(comparison?.scaleUps[0]?.acting).toMatchObject({ at: Date.UTC(2026, 0, 1, 12, 0, 6), exact: true });
  expect(comparison?.removals.map(({ node, by, acting }) => [node, by, acting?.at ?? null])).toEqual([
    ['n1', 'both', Date.UTC(2026, 0, 1, 12, 12, 20)],
    ['b2', 'outrigger', null],
  ]);
});

it('gives a pod without an event the time of the last event of its scale-up', () => {
  const pods = ['early', 'late', 'silent'].map((name) => podKey('default', name));
  const at = (time: number, target: number, pending: readonly PodKey[]) =>
    ({
      at: NOW + time,
      decision: {
        scaleUp: { result: 'ScaledUp', pods: pending.map((pod) => ({ pod, outcome: 'Triggered' })), increases: [] },
        registry: { groups: { web: { target, registered: 0 } }, totals: { registered: 0 } },
      },
    }) as unknown as HistoryDecision;
  const [scaleUp] = scaleUpsOf({
    decisions: [at(0, 0, pods), at(60_000, 2, [])],
    announced: {
      ...NO_ANNOUNCEMENTS,
      pods: new Map(pods.slice(0, 2).map((pod, i) => [pod, [epochMs(NOW + (i + 2) * 1_000)]])),
    },
    pendingSince: new Map(),
    prices: new Map(),
    since: NOW,
    until: epochMs(NOW + 120_000),
  });
  expect(scaleUp?.waits.map(({ actingAt }) => actingAt! - NOW)).toEqual([2_000, 3_000, 3_000]);
});

it('reads documents one after the other, as kubectl watches', () => {
  const watched = EVENTS.items.map((item) => JSON.stringify(item, null, 4)).join('\n');
  const whole = readAnnouncements(JSON.stringify(EVENTS));
  expect(readAnnouncements(watched)).toEqual(whole);
  expect(whole).toMatchObject({ value: { nodes: new Map([['n1', Date.UTC(2026, 0, 1, 12, 12, 30)]]) } });
});

it('says what is expected of a file that is no JSON', () => {
  expect(readAnnouncements('{"items": []}\n{nothing')).toEqual({
    ok: false,
    error: 'document 2: expected JSON, as kubectl get events,configmaps -A -o json prints it',
  });
});

it('prints JSON as its schema has it', async () => {
  const { stdout } = await compared();
  const document: unknown = JSON.parse(stdout);
  expect(z.fromJSONSchema(documentSchema('comparison')).safeParse(document).error).toBeUndefined();
  expect(document).toMatchObject({ kind: 'Comparison', cluster: 'web', decisions: expect.any(Number) });
});

it('has nothing to compare with where Outrigger acts', async () => {
  const answer = async (stored: ClusterStores) => await aboutComparison(DAY, NO_ANNOUNCEMENTS, stored);
  expect(await printed(answer, {})).toMatchObject({ code: 1, stderr: expect.stringContaining('no other autoscaler') });
});

it('has the same statements as text and as a page', async () => {
  const { stdout, comparison } = await compared(NO_ANNOUNCEMENTS, 'text');
  expect(stdout).toMatch(/1 pod\n.*Outrigger: web-b 0 → 1\n.*the other autoscaler: web-b 0 → 2, 40s later at most/);
  if (comparison === undefined) {
    throw new Error('nothing was compared');
  }
  const { decisions } = comparisonReport('web', comparison);
  expect(decisions.map(({ message }) => message)).toContainEqual(
    'Outrigger: web-b 0 → 1; the other autoscaler: web-b 0 → 2, 40s later at most',
  );
  expect(decisions).toHaveLength(4);
});
