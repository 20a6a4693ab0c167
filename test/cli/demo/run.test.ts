import { execFileSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import pc from 'picocolors';
import { beforeAll, describe, expect, test } from 'vitest';
import { demoCommand } from '../../../cli/commands/demo.ts';
import { DEFAULT_LOAD } from '../../../simulation/load/default-load.ts';
import type { DemoLoad } from '../../../simulation/load/load.ts';
import { printed } from '../../../cli/demo/show/printed.ts';
import { readLoad } from '../../../simulation/load/read-load.ts';
import { record } from '../../../simulation/recording/record.ts';
import type { TimelineEntry, Recording } from '../../../simulation/recording/recording.ts';
import { type DemoOptions, demo } from '../../../cli/demo/run.ts';
import { createStage } from '../../../cli/demo/show/stage.ts';
import { percentiles } from '../../../simulation/recording/summarize.ts';
import type { ApiCall } from '../../../simulation/api-call.ts';
import { chanceFor } from '../../../simulation/chance.ts';
import { parseDocuments } from '../../../providers/scenario/documents.ts';
import { cases } from '../../cases.ts';
import { recordingOf } from '../../simulation/recording/recordings.ts';
import { captured } from '../captured.ts';

const ROOT = join(import.meta.dirname, '../../..');
const PLAIN = { colors: pc.createColors(false), width: 80 };

function loadOf(raw: unknown): DemoLoad {
  const load = readLoad(raw);
  if (!load.ok) {
    throw new Error(JSON.stringify(load.error));
  }
  return load.value;
}

const GROUP = { name: 'web-a', zone: 'us-east-1a', instanceType: 'm5.xlarge', minSize: 1, maxSize: 5 };
const HEAD = { apiVersion: 'outrigger.dev/v1alpha1', kind: 'Workload', nodeGroups: [GROUP] };

const ofKind = <Kind extends TimelineEntry['kind']>({ timeline }: Recording, kind: Kind) =>
  timeline.filter((entry): entry is Extract<TimelineEntry, { kind: Kind }> => entry.kind === kind);

/** A load that is over after a few decisions. */
const SMALL = {
  ...HEAD,
  options: { scaleDownUnneededTime: '2m' },
  load: [
    { at: '5s', deploy: { name: 'web', replicas: 8, requests: { cpu: '1' } } },
    { at: '2m', scale: { name: 'web', replicas: 1 } },
  ],
};

/** Runs the command in this process. */
const run = (options: Partial<DemoOptions>, input = '') =>
  captured((streams) => demo({ json: false, provider: 'aws', ...options }, streams), input);

test('on Cluster API the load runs on MachineDeployments, and no text is about Auto Scaling groups', async () => {
  const { code, stdout, stderr } = await run({ provider: 'clusterapi' });
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('MachineDeployments');
  expect(stdout).not.toMatch(/Auto Scaling|EKS|EC2/);
  expect(stdout).toMatch(/pods placed +88 of 88/);
  expect(stdout).toMatch(/web-a +web-a-\w{5}-\w{5} +[░█▒x·]+ +drained of 3 pods/);
});

test('--speed of earlier versions is accepted with a warning', async () => {
  const { code, stderr } = await run({ load: '-', speed: '3' }, JSON.stringify(SMALL));
  expect([code, stderr]).toEqual([0, 'Warning: --speed has no effect any more: the run is printed at once.\n']);
});

test('options that are set are in place of those of the load', async () => {
  const load = {
    ...HEAD,
    options: { scaleDownUnneededTime: '9m', maxNodesTotal: 3 },
    load: [{ at: '5s', deploy: { name: 'web', replicas: 12, requests: { cpu: '1' } } }],
  };
  const nodesOf = async (...set: readonly string[]) => {
    const { code, stdout, stderr } = await run({ load: '-', output: 'json', set }, JSON.stringify(load));
    expect([code, stderr]).toEqual([0, '']);
    return (JSON.parse(stdout) as Recording).summary.nodes.most;
  };
  expect(await nodesOf()).toBe(3);
  expect(await nodesOf('max-nodes-total=2')).toBe(2);
  expect(await nodesOf('maxNodesTotal=2', 'expander=price')).toBe(2);
  expect(await run({ set: ['maxNodesTotl=2'] })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('did you mean maxNodesTotal?'),
  });
});

test('nodes of Graviton types are of arm64, and cost what they cost', () => {
  const groups = ['m7g.large', 'g5.xlarge'].map((instanceType) => ({ ...GROUP, name: instanceType, instanceType }));
  const load = loadOf({ ...HEAD, nodeGroups: groups, load: [{ at: '5s', deploy: { name: 'web', replicas: 1 } }] });
  expect(load.groups.map(({ labels, price }) => [labels['kubernetes.io/arch'], price])).toEqual([
    ['arm64', 0.0816],
    [undefined, 1.006],
  ]);
});

describe('a group with a warm pool', () => {
  const loadWith = (more: object) => ({
    ...HEAD,
    nodeGroups: [{ ...GROUP, minSize: 0, boot: '90s', ready: '3s', ...more }],
    load: [{ at: '5s', deploy: { name: 'web', replicas: 6, requests: { cpu: '1' } } }],
    until: '4m',
  });
  const pooled = loadWith({ warmPool: { size: 1, state: 'Hibernated', boot: '10s' } });

  test('has its first pods running sooner, and the demo says which nodes came from the pool', async () => {
    const cold = await record(loadOf(loadWith({})));
    const warm = await record(loadOf(pooled));
    expect(cold.summary.pendingToRunning!.p50).toBeGreaterThan(90);
    expect(warm.summary.pendingToRunning!.p50).toBeLessThan(30);
    expect([cold.summary.nodes.warm, warm.summary.nodes.warm, warm.summary.nodes.bought]).toEqual([undefined, 1, 2]);
    const { stdout } = await run({ load: '-' }, JSON.stringify(pooled));
    expect(stdout).toMatch(/group +zone +type +nodes +min–max +warm pool +price/);
    expect(stdout).toMatch(/web-a .* 0–5 +1 hibernated/);
    expect(stdout).toContain('1 node is ready, 13 s after launch, from the warm pool');
    expect(stdout).toContain('2 launched (1 from warm pools)');
  });

  test('joins within its boot when that is shorter than what its state usually takes', () => {
    const boots = loadOf(loadWith({ boot: '6s', warmPool: { size: 1 } })).groups.map(({ warmPool }) => warmPool!.boot);
    expect(boots).toEqual([{ min: 6_000, max: 6_000 }]);
  });

  test.each<[object, Partial<DemoOptions>, string]>([
    [
      { warmPool: { size: 1, boot: '2m' } },
      {},
      'nodeGroups[0].warmPool.boot: expected at most the boot of the group, which is up to 1m30s: what waits in a warm pool joins no later than a new instance, found "2m"',
    ],
    [
      { warmPool: { size: 1 } },
      { provider: 'clusterapi' },
      'node group web-a: expected no warmPool with --provider clusterapi, since a MachineDeployment has none; found one of 1. Take it out',
    ],
  ])('is refused where it cannot be so: %j', async (more, options, expected) => {
    const { code, stderr } = await run({ load: '-', ...options }, JSON.stringify(loadWith(more)));
    expect(code).toBe(2);
    expect(stderr).toContain(expected);
  });
});

test('on Cluster API a group of several zones is refused, with what to do', async () => {
  const { zone: _zone, ...group } = GROUP;
  const nodeGroups = [{ ...group, zones: ['us-east-1a', 'us-east-1b'] }];
  const load = { ...HEAD, nodeGroups, load: [{ at: '5s', deploy: { name: 'web', replicas: 1 } }] };
  const { code, stderr } = await run({ provider: 'clusterapi', load: '-' }, JSON.stringify(load));
  expect(code).toBe(2);
  expect(stderr).toContain('node group web-a: expected one zone with --provider clusterapi');
});

test('the run is also a page, whose file is named when it cannot be written', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'demo-'));
  const file = join(folder, 'run.html');
  const small = (html?: string) => run({ load: '-', ...(html !== undefined && { html }) }, JSON.stringify(SMALL));
  const page = await small(file);
  const plain = await small();
  expect([page.code, page.stdout, page.stderr]).toEqual([0, plain.stdout, '']);
  expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>.*<\/html>\n$/s);
  const failed = await small(folder);
  expect([failed.code, failed.stdout]).toEqual([1, '']);
  expect(failed.stderr).toContain(`error: ${folder}: the page cannot be written: EISDIR`);
  rmSync(folder, { recursive: true });
});

test('-o json is what --json has always been', async () => {
  const small = JSON.stringify(SMALL);
  const asFlag = await run({ load: '-', json: true }, small);
  expect(await run({ load: '-', output: 'json' }, small)).toEqual(asFlag);
  expect(JSON.parse(asFlag.stdout)).toMatchObject({ kind: 'DemoRecording' });
});

test('names with wide characters are cut and aligned by the columns that they take', async () => {
  const nodeGroups = ['網路商店'.repeat(8), 'web'].map((name) => ({ ...GROUP, name }));
  const { stdout } = await run({ load: '-' }, JSON.stringify({ ...SMALL, nodeGroups }));
  const rows = stdout.split('\n').filter((line) => /^(?:網|web).*█/.test(line));
  // Nine wide characters and the ellipsis take 19 columns.
  expect([...new Set(rows.map((row) => row.slice(0, row.indexOf('ip-'))))]).toEqual([
    `${'網路商店'.repeat(2)}網…  `,
    `web${' '.repeat(18)}`,
  ]);
});

test('names in a load do not steer the terminal', async () => {
  const { stderr } = await run({ load: '-' }, JSON.stringify({ ...HEAD, 'a\u009B2J': 1 }));
  expect(stderr).toMatch(/a\uFFFD2J/);
  expect(stderr).not.toMatch(/(?!\n)\p{Cc}/u);
});

describe('the demo', () => {
  let recording: Recording;
  beforeAll(async () => {
    recording = await recordingOf(DEFAULT_LOAD);
  });

  test('every pod finds a place, through the real functions', () => {
    const { summary } = recording;
    expect(summary.end).toBe('idle');
    expect(summary.pods.placed).toBe(summary.pods.created);
    expect(summary.pods.pending).toBe(0);
    expect(summary.stuck).toEqual([]);
    expect(ofKind(recording, 'Trouble')).toEqual([]);
  });

  test('it decides within a second of the first pending pod, from the event and not from the schedule', () => {
    const decided = ofKind(recording, 'Decision').filter(({ increases }) => increases.length > 0);
    expect(decided.length).toBeGreaterThanOrEqual(3);
    expect(recording.summary.pendingToDecision!.max).toBeLessThan(1);
    // Not at the full minute, when the scan evaluates anyway.
    expect(decided.filter(({ at }) => at % 60 > 5).length).toBeGreaterThanOrEqual(3);
  });

  test('sizes are set as they were decided, balanced over the zones and within their bounds', () => {
    const sizes = new Map<string, number>(recording.nodeGroups.map(({ name, desiredSize }) => [name, desiredSize]));
    for (const { group, from, to } of ofKind(recording, 'SizeSet')) {
      expect(from).toBe(sizes.get(group));
      sizes.set(group, to);
      expect(to).toBeLessThanOrEqual(recording.nodeGroups.find(({ name }) => name === group)!.maxSize);
    }
    for (const { increases } of ofKind(recording, 'Decision')) {
      for (const { group, from, to } of increases) {
        expect(ofKind(recording, 'SizeSet')).toContainEqual(expect.objectContaining({ group, from, to }));
      }
    }
    const web = recording.nodeGroups.filter(({ name }) => name.startsWith('web-'));
    const bought = web.map(({ name }) => ofKind(recording, 'InstanceLaunched').filter(({ group }) => group === name));
    const counts = bought.map((launches) => launches.length);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
    expect([...sizes.values()].reduce((sum, size) => sum + size, 0)).toBe(recording.summary.nodes.end);
  });

  test('the summary adds up what the timeline says', () => {
    const since = new Map(ofKind(recording, 'PodUnschedulable').map(({ pod, at }) => [pod, at]));
    const waits = ofKind(recording, 'PodRunning')
      .flatMap(({ pod, at }) => (since.has(pod) ? [at - since.get(pod)!] : []))
      .sort((a, b) => a - b);
    expect(recording.summary.pods.waited).toBe(since.size);
    expect(recording.summary.pendingToRunning!.max).toBeCloseTo(waits.at(-1)!, 3);
    // An instance of the start is paid for from the start, a later one from its launch; both until they are terminated.
    const price = (group: string): number => recording.nodeGroups.find(({ name }) => name === group)!.price!;
    const { seconds } = recording.summary;
    const hours = [
      ...recording.nodeGroups.flatMap(({ name, nodes }) => nodes.map(() => ({ group: name, hours: seconds }))),
      ...ofKind(recording, 'InstanceLaunched').map(({ group, at }) => ({
        group: group as string,
        hours: seconds - at,
      })),
      ...ofKind(recording, 'NodeGone').map(({ group, at }) => ({ group: group as string, hours: at - seconds })),
    ].map((one) => ({ ...one, hours: one.hours / 3_600 }));
    const kept = hours.filter((one) => one.hours > 0);
    const total = (some: typeof hours): number => some.reduce((sum, one) => sum + one.hours, 0);
    const cost = (some: typeof hours): number => some.reduce((sum, one) => sum + one.hours * price(one.group), 0);
    expect(recording.summary.nodeHours).toBeCloseTo(total(hours), 2);
    expect(recording.summary.cost).toBeCloseTo(cost(hours), 2);
    expect(recording.summary.withoutScaleDown.nodeHours).toBeCloseTo(total(kept), 2);
    expect(recording.summary.withoutScaleDown.cost).toBeCloseTo(cost(kept), 2);
  });

  test('the same seed gives the same bytes, another one another course', async () => {
    const load = loadOf(DEFAULT_LOAD);
    const again = JSON.stringify(await record(load));
    expect(again).toBe(JSON.stringify(recording));
    const other = await record({ ...load, seed: 2 });
    expect(JSON.stringify(other.timeline)).not.toBe(JSON.stringify(recording.timeline));
    expect(other.summary.pods.pending).toBe(0);
  });

  test('each decision is recorded once, also where another commit came before it', () => {
    const removals = ofKind(recording, 'ScaleDown').flatMap(({ removals: nodes }) => nodes.map(({ node }) => node));
    expect(removals).toHaveLength(new Set(removals).size);
    const increases = ofKind(recording, 'Decision').flatMap(({ increases: groups }) =>
      groups.map(({ group, from }) => `${group} ${from}`),
    );
    expect(increases).toHaveLength(new Set(increases).size);
  });

  test('told in words: what came, what waited, why which group grew, which nodes went how, and what has come of it', () => {
    const story = printed(recording, { ...PLAIN, width: 200 });
    for (const part of [
      'Deployment shop: 12 pods of 500m CPU, 1Gi memory',
      'Deployment checkout: 12 pods of 500m CPU, 1Gi memory; minAvailable: 11',
      'safe-to-evict: "false"',
      'Insufficient cpu.',
      /decide +Add 3 nodes for 21 pods, 0\.\d s after the first became pending/,
      /▸ +web-[abc] +1 node +for 3 pods +\d+% unused/,
      'least-waste',
      /scale +batch 0 → 3/,
      /batch +2 zones +□□□·/,
      /nodes +\d nodes are ready, \d+–\d+ s after launch/,
      'all 12 pods of checkout are running',
      'all 20 pods of report have finished',
      /unneeded +\d+ nodes: \d+ without pods, 2 whose pods fit elsewhere. Removal if unneeded for 10 min/,
      /taint +soft taint on \d+ nodes? \(DeletionCandidateOfClusterAutoscaler:PreferNoSchedule\)/,
      /stays +ip-10-0-0-\d+ of batch, because of pod ledger-\S+: cluster-autoscaler.kubernetes.io\/safe-to-evict is "false"/,
      /⋮ +\d+ min( \d+ s)? later/,
      /decide +Remove \d+ nodes: \d+ without pods, 2 after evicting 5 pods/,
      /ip-10-0-0-\d+ +3 pods +room on ip-10-0-0-/,
      /taint +no more pods are scheduled to \d+ nodes?( \(ToBeDeletedByClusterAutoscaler:NoSchedule\))?/,
      'checkout: 11 of its 12 pods must be available',
      /moved +3 pods of checkout run elsewhere, \d+ s after the first eviction; at least 11 were available throughout/,
      /gone +\d+ instances terminated: /,
      /pods placed +(\d+) of \1\n/,
      /pending → running +p50 \d+ s/,
      /nodes +3 → 12 → 4: 9 launched, 6 removed empty, 2 drained/,
      /pods moved +5; \d+ evictions delayed by a budget; no budget was violated/,
      /node-hours +\d\.\d\d \(\$\d\.\d\d\), without scale-down \d\.\d\d \(\$\d\.\d\d\); \$\d\.\d\d\/h at the end/,
      /kept +ip-10-0-0-\d+, because of pod ledger-/,
    ]) {
      expect(story).toMatch(part);
    }
  });
});

describe('other loads', () => {
  test('a pod that no group can hold is named with the reason, and the run ends well all the same', async () => {
    const load = {
      ...HEAD,
      load: [
        { at: '1s', deploy: { name: 'giant', replicas: 2, requests: { cpu: 64 } } },
        { at: '2s', deploy: { name: 'web', replicas: 6, requests: { cpu: 1 } } },
      ],
    };
    const { code, stdout } = await run({ load: '-' }, JSON.stringify(load));
    expect(code).toBe(0);
    expect(stdout).toMatch(/pods placed +6 of 8, 2 still pending/);
    expect(stdout).toContain('Still pending: no node group fits 2 pods of giant (web-a: Insufficient cpu).');
  });

  test.each([7, 8, 9])(
    'after a shortage of Spot capacity, pods leave on-demand nodes once, with seed %i',
    async (seed) => {
      const [file] = parseDocuments(readFileSync(join(ROOT, 'examples/workloads/spot-shortage.yaml'), 'utf8'));
      const load = loadOf(file?.content.kind === 'value' ? file.content.value : null);
      const { summary } = await record({ ...load, seed });
      expect(summary).toMatchObject({
        nodes: { end: 6, bought: 10, drained: 4 },
        evictions: { pods: 16 },
        budgets: [{ fewest: 21 }],
      });
      expect(summary.hourly?.end).toBeCloseTo(6 * 0.0713, 4);
      // Six nodes as they were in the shortage cost 2.73 USD.
      expect(summary.cost).toBeLessThan(1.9);
    },
  );

  test('a group at its maximum leaves pods waiting, and says so', async () => {
    const { summary } = await record(
      loadOf({
        ...HEAD,
        nodeGroups: [{ ...GROUP, maxSize: 2 }],
        load: [{ at: '1s', deploy: { name: 'web', replicas: 12, requests: { cpu: 1 } } }],
      }),
    );
    expect(summary.nodes.end).toBe(2);
    expect(summary.pods.pending).toBe(6);
    expect(summary.stuck[0]!.reasons[0]!.reason).toMatch(/max/i);
  });

  test('taints, selectors and spread are kept', async () => {
    const { timeline, summary } = await record(
      loadOf({
        ...HEAD,
        nodeGroups: [
          { ...GROUP, minSize: 0 },
          {
            ...GROUP,
            name: 'gpu',
            instanceType: 'g4dn.xlarge',
            minSize: 0,
            taints: [{ key: 'gpu', effect: 'NoSchedule' }],
          },
        ],
        load: [
          { at: '1s', deploy: { name: 'web', replicas: 3, requests: { cpu: 1 } } },
          {
            at: '2s',
            job: {
              name: 'train',
              pods: 2,
              runsFor: '10s',
              requests: { cpu: 1, 'nvidia.com/gpu': 1 },
              spec: { tolerations: [{ key: 'gpu', operator: 'Exists' }] },
            },
          },
        ],
      }),
    );
    expect(summary.pods).toMatchObject({ placed: 5, pending: 0 });
    const launched = timeline.flatMap((entry) => (entry.kind === 'InstanceLaunched' ? [entry.group as string] : []));
    expect(launched.sort()).toEqual(['gpu', 'gpu', 'web-a']);
  });

  test('workloads grow, shrink and go', async () => {
    const { summary, timeline } = await record(
      loadOf({
        ...HEAD,
        load: [
          { at: '1s', deploy: { name: 'web', replicas: 2, requests: { cpu: '100m' } } },
          { at: '20s', scale: { name: 'web', replicas: 4 } },
          { at: '40s', scale: { name: 'web', replicas: 1 } },
          { at: '60s', delete: { name: 'web' } },
          { at: '80s', deploy: { name: 'web', replicas: 1, requests: { cpu: '100m' } } },
        ],
      }),
    );
    expect(summary.pods).toMatchObject({ created: 5, placed: 5, pending: 0 });
    expect(timeline.filter(({ kind }) => kind === 'PodDeleted')).toHaveLength(4);
  });

  test.each([
    { notice: '2m', announced: 1, evicted: 2 },
    { notice: '0s', announced: 0, evicted: 0 },
  ])('an interruption after $notice takes an instance, and its pods move', async ({ notice, announced, evicted }) => {
    const recording = await record(
      loadOf({
        ...HEAD,
        options: { scaleDownUnneededTime: '1h' },
        nodeGroups: [{ ...GROUP, desiredSize: 2 }],
        load: [
          { at: '1s', deploy: { name: 'web', replicas: 4, requests: { cpu: '900m' } } },
          { at: '30s', interruption: { group: 'web-a', notice } },
        ],
      }),
    );
    const [gone, ...others] = ofKind(recording, 'NodeGone');
    expect(others).toEqual([]);
    expect(ofKind(recording, 'Announced').map(({ instances }) => instances)).toEqual(
      Array.from({ length: announced }, () => [gone!.instance]),
    );
    expect(recording.summary.evictions.pods).toBe(evicted);
    expect(recording.summary.pods).toMatchObject({ pending: 0 });
  });

  test('`until` ends it', async () => {
    const { summary } = await record(
      loadOf({
        ...HEAD,
        until: '30s',
        load: [{ at: '1s', deploy: { name: 'web', replicas: 20, requests: { cpu: 1 } } }],
      }),
    );
    expect(summary).toMatchObject({ end: 'time is up', seconds: 30 });
  });

  test.each(globSync('examples/workloads/*.yaml', { cwd: ROOT }))('%s can be played', async (file) => {
    const [document] = parseDocuments(readFileSync(join(ROOT, file), 'utf8'));
    const { summary, timeline } = await record(
      loadOf(document!.content.kind === 'value' ? document!.content.value : null),
    );
    expect(summary.end).toBe('idle');
    expect(timeline.filter(({ kind }) => kind === 'Trouble')).toEqual([]);
  });
});

describe('in a world where calls fail', () => {
  // So many evaluations fail that the clocks of unneeded nodes start anew again and again: the last node may go after hours.
  const load = loadOf({ ...(DEFAULT_LOAD as object), until: '4h' });

  test('every pod finds its place all the same, no budget is broken, and what goes is empty', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(10_000), fc.integer({ min: 5, max: 30 }), async (seed, percent) => {
        const chance = chanceFor(seed, 'faults');
        const fault = ({ operation }: ApiCall) =>
          chance.next() * 100 < percent ? new Error(`${operation}: the connection was reset`) : null;
        const { summary, timeline, nodeGroups } = await record({ ...load, seed }, { fault });
        expect(summary).toMatchObject({ end: 'idle', pods: { pending: 0 } });
        expect(timeline.some(({ kind }) => kind === 'Trouble')).toBe(true);
        const groups = new Map(nodeGroups.map((group) => [group.name, { ...group, size: group.desiredSize }]));
        const stage = createStage(nodeGroups);
        const wrong = timeline.filter((entry) => {
          // Pods that had to move have moved.
          const holds = entry.kind === 'NodeGone' && stage.node(entry.node)!.pods.size > 0;
          stage.advance(entry);
          if (entry.kind !== 'SizeSet') {
            return holds;
          }
          const group = groups.get(entry.group)!;
          const before = group.size;
          group.size = entry.to;
          return entry.from !== before || entry.to < group.minSize || entry.to > group.maxSize;
        });
        expect(wrong).toEqual([]);
        for (const { fewest, minAvailable } of summary.budgets) {
          expect(fewest ?? minAvailable).toBeGreaterThanOrEqual(minAvailable);
        }
        // A node that is left is not left marked.
        expect([...stage.groups.values()].map(({ leaving }) => leaving)).toEqual(nodeGroups.map(() => 0));
      }),
      { numRuns: cases(1) },
    );
  });
});

describe('a load that cannot be understood', () => {
  const web = { name: 'web', replicas: 1 };
  const steps = (...load: readonly object[]) => ({ ...HEAD, load });
  const deploying = (more: object) => steps({ at: '1s', deploy: { ...web, ...more } });
  const withGroups = (...nodeGroups: readonly object[]) => ({ ...deploying({}), nodeGroups });
  const KNOWN_TYPE =
    'expected a known type, or its capacity in capacity: {cpu, memory, pods} (did you mean m5.xlarge?)';
  const BUDGET = 'minAvailable: expected a number of pods, or a percentage from 0% to 100%, found';
  const wrongBudget = { name: 'once', pods: 1, runsFor: '1m', minAvailable: -1 };
  test.each([
    [
      'another kind',
      { ...HEAD, kind: 'Scenario' },
      'kind: expected Workload (outrigger simulate evaluates a Scenario), found "Scenario"',
    ],
    ['no groups', withGroups(), 'nodeGroups: expected at least one node group'],
    ['no steps', HEAD, 'load: expected at least one step, found nothing'],
    ['a mistyped field', steps({ at: '1s', deploi: web }), 'did you mean deploy?'],
    ['two things at once', steps({ at: '1s', deploy: web, delete: { name: 'x' } }), 'load[0]: expected exactly one of'],
    ['a step without a time', steps({ deploy: web }), 'load[0].at: expected a duration such as 30s'],
    [
      'a bad quantity',
      deploying({ requests: { cpu: 'much' } }),
      'load[0].deploy.requests.cpu: expected a quantity such as 500m, 2 or 1.5Gi, found "much"',
    ],
    ['a budget that is no number', deploying({ minAvailable: 'half' }), `load[0].deploy.${BUDGET} "half"`],
    ['a budget of more than all pods', deploying({ minAvailable: '101%' }), `load[0].deploy.${BUDGET} "101%"`],
    ['a budget of a fraction of a pod', deploying({ minAvailable: 0.5 }), `load[0].deploy.${BUDGET} 0.5`],
    ['a budget below zero', steps({ at: '1s', job: wrongBudget }), `load[0].job.${BUDGET} -1`],
    [
      'an annotation without quotes',
      deploying({ annotations: { keep: false } }),
      'load[0].deploy.annotations.keep: expected a string (numbers and true or false in quotes), found false',
    ],
    ['a mistyped budget', deploying({ minAvailible: 1 }), 'did you mean minAvailable?'],
    [
      'an unknown type',
      withGroups({ ...GROUP, instanceType: 'm5.xlrge' }),
      `nodeGroups[0].instanceType: ${KNOWN_TYPE}`,
    ],
    [
      'bounds that cross',
      withGroups({ ...GROUP, minSize: 9 }),
      'nodeGroups[0].minSize: expected at most maxSize, which is 5, found 9',
    ],
    [
      'a size out of bounds',
      withGroups({ ...GROUP, desiredSize: 9 }),
      'nodeGroups[0].desiredSize: expected a size from 1 to 5, found 9',
    ],
    ['a name twice', withGroups(GROUP, GROUP), 'nodeGroups[1].name: expected each name once, found "web-a"'],
    [
      'a workload that is not there yet',
      steps({ at: '5s', deploy: web }, { at: '1s', scale: { name: 'web', replicas: 2 } }),
      'scale.name: expected a Deployment that is there at this time, found "default/web"',
    ],
    [
      'a group that is not there',
      steps({ at: '1s', capacity: { group: 'web-z', available: 1 } }),
      'load[0].capacity.group: expected a node group (did you mean web-a?), found "web-z"',
    ],
    ['an option that is not one', { ...deploying({}), options: { expanderr: 'random' } }, 'did you mean expander?'],
  ])('%s: exit code 2, and the place is named', async (_what, raw, message) => {
    const { code, stdout, stderr } = await run({ load: '-' }, JSON.stringify(raw));
    expect(stderr).toContain(message);
    expect(stderr).toContain('<stdin>');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  test.each([
    ['nothing', '', 'expected one Workload, found nothing'],
    ['two documents', 'a: 1\n---\nb: 2\n', 'expected one Workload, found 2 documents'],
    ['no YAML', 'a: [1', '<stdin>:'],
  ])('%s', async (_what, yaml, message) => {
    const { code, stderr } = await run({ load: '-' }, yaml);
    expect(code).toBe(2);
    expect(stderr).toContain(message);
  });

  test('a file is named with the line of the mistake', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'load-'));
    try {
      const file = join(directory, 'load.yaml');
      writeFileSync(
        file,
        'apiVersion: outrigger.dev/v1alpha1\nkind: Workload\nnodeGroups:\n- {name: a, zone: z, instanceType: m5.large, maxSize: -1}\nload:\n- at: 1s\n  deploy: {name: web, replicas: 1}\n',
      );
      const { code, stderr } = await run({ load: file });
      expect(code).toBe(2);
      expect(stderr).toContain(`${file}:4: nodeGroups[0].maxSize: expected an integer of at least 0, found -1\n`);
      expect(await run({ load: join(directory, 'none.yaml') })).toMatchObject({ code: 2, stdout: '' });
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

describe('the command', () => {
  const node = process.execPath;
  const input = JSON.stringify(SMALL);
  const cli = (...args: readonly string[]) => [join(ROOT, 'cli/main.ts'), 'demo', '--load', '-', ...args];
  const env = { ...process.env, FORCE_COLOR: undefined, CI: undefined, NO_COLOR: '1' };

  test('--json prints one document and nothing else, the same bytes in another process', async () => {
    const json = execFileSync(node, cli('--json', '--seed', '7'), { input, encoding: 'utf8', env });
    expect(JSON.parse(json)).toMatchObject({ kind: 'DemoRecording', seed: 7 });
    expect((await run({ load: '-', json: true, seed: 7 }, input)).stdout).toBe(json);
  });

  test('NO_COLOR is kept to', () => {
    const out = execFileSync(node, cli(), { input, encoding: 'utf8', env });
    expect(out).toBe(stripVTControlCharacters(out));
    expect(out).toContain('Summary');
  });

  test.each([
    ['--seed', '-1'],
    ['--seed', '1.5'],
  ])('%s %s is refused', async (option, value) => {
    const command = demoCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} });
    await expect(command.parseAsync([`${option}=${value}`], { from: 'user' })).rejects.toThrow('Expected');
  });
});

test('percentiles are by nearest rank', () => {
  expect(percentiles([])).toBeNull();
  expect(percentiles([5])).toEqual({ p50: 5, p95: 5, max: 5 });
  expect(percentiles(Array.from({ length: 100 }, (_, i) => 100 - i))).toEqual({ p50: 50, p95: 95, max: 100 });
});
