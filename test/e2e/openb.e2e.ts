import type { V1Node, V1Pod } from '@kubernetes/client-node';
import { expect, test } from 'vitest';
import { AWAITING_PODS_TAINT } from '../../core/model/cluster/node.ts';
import { sampleOf } from '../sample.ts';
import { isWrite, openCluster, type E2eCluster } from './cluster.ts';
import { followChanges } from './changes.ts';
import { allowOptions } from './local-rights.ts';
import { openbKinds } from './placement/openb-kinds.ts';
import { recordNominated, REGISTERS_CLOSED } from './placement/nominations.ts';
import { recordOpenings, spreadInWords } from './placement/openings.ts';
import { recordStarts } from './placement/starts.ts';
import type { SizeChange } from './servers/aws-recorder.ts';
import type { Outrigger } from './servers/outrigger.ts';

const PODS = 400;
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const MAX_SIZE = 80;
const BOOT_MS = 5_000;
/** By CPU alone 137 nodes would do; packed as large pods can be, 142. Figures of the README, and of decision 32. */
const USUAL = { nodes: '152 to 165', seconds: '16 to 23' };
const USUAL_PLANNED = { nodes: '142 or 143', seconds: '14 to 16' };
/**
 * How many nodes it takes, and how often some are bought, is up to the scheduler too, which spreads pods where the plan
 * packs them, the more so the more nodes come at once; and how long, to the host that this runs on. Up to 167 nodes were seen on a
 * busy host: what is beyond 180 is none of the scheduler's doing.
 */
const LIMIT_NODES = 180;
const LIMIT_ROUNDS = 12;

const NO_TAGS: Readonly<Record<string, string>> = {};

interface Way {
  readonly how: string;
  readonly name: string;
  readonly options: readonly Readonly<Record<string, unknown>>[];
  readonly tags: Readonly<Record<string, string>>;
}

const WITHOUT_PLAN: Way = {
  how: 'on groups that grow alike in three zones',
  name: 'openb',
  options: [],
  tags: NO_TAGS,
};
/** For a measurement: `OUTRIGGER_E2E_RUNS=10`. */
const PLANNED = Array.from({ length: Number(process.env['OUTRIGGER_E2E_RUNS'] ?? 1) }, (_, run): Way => ({
  how: `where the plan has them (run ${run + 1})`,
  name: `openb-planned-${run + 1}`,
  options: [{ plannedPlacement: true }],
  tags: REGISTERS_CLOSED,
}));
/**
 * Share of the nominated pods that run on their nominated node; 0.93 to 1 on a host with ten times its work, and 0.78 where all pods ran
 * after 105 seconds instead of 15.
 */
const AS_PLANNED = 0.6;

test.each(sampleOf('ways to run the trace', [WITHOUT_PLAN, ...PLANNED], 1))(
  '400 pods of a production trace run $how',
  async (way) => {
    const { total, sizes, rounds, nominated, asPlanned, left } = await runTrace(way);
    // Launches beyond the plan are shared by similar groups, too.
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
    expect(total).toBeLessThanOrEqual(LIMIT_NODES);
    expect(rounds).toBeLessThanOrEqual(LIMIT_ROUNDS);
    expect(asPlanned).toBeGreaterThanOrEqual(AS_PLANNED * nominated);
    // No node that is ready stays closed.
    expect(left).toEqual([]);
  },
);

async function runTrace({ name, options, tags }: Way) {
  const usual = tags === NO_TAGS ? USUAL : USUAL_PLANNED;
  const kinds = openbKinds(PODS);
  expect(kinds.reduce((sum, { replicas }) => sum + replicas, 0)).toBe(PODS);
  const cluster = await openCluster(name);
  const groups = { name: 'r5', instanceType: 'r5.12xlarge', zones: ZONES, min: 1, max: MAX_SIZE, desired: 1, tags };
  if (tags !== NO_TAGS) await allowOptions(cluster, { plannedPlacement: true });
  await cluster.createGroups(groups);
  cluster.bridge(BOOT_MS, []);
  await cluster.untilNodes(ZONES.length);
  const files = await Promise.all(options.map((each) => cluster.optionsFile(each)));
  const outrigger = await cluster.outriggerWithWebhook('outrigger', ...files.map((file) => `--options=${file}`));

  const start = performance.now();
  const since = (at: number) => ((at - start) / 1000).toFixed(2).padStart(6);
  const nodes = recordNodes(cluster);
  const evaluated = recordEvaluated(cluster);
  const started = recordStarts(cluster);
  const nominated = recordNominated(cluster);
  const openings = recordOpenings(cluster);
  await Promise.all(kinds.map((kind, index) => cluster.createDeployment(`kind-${index}`, kind.replicas, kind)));
  const created = performance.now();
  const running = await cluster.untilRunning(PODS);
  const allRunning = performance.now();
  nodes.stop();
  evaluated.stop();
  started.stop();
  nominated.stop();
  openings.stop();
  const asPlanned = nominated.asPlanned(running);
  const left = (await cluster.kube.list<V1Node>('/api/v1/nodes')).flatMap(({ metadata, spec }) =>
    spec?.taints?.some(({ key }) => key === AWAITING_PODS_TAINT) === true ? [metadata?.name] : [],
  );

  const sizeChanges = cluster.recorder.sizeChanges();
  const sizesByGroup = await cluster.sizes();
  const sizes = Object.values(sizesByGroup);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const first = sizeChanges[0]?.at ?? Number.NaN;
  const rounds = 1 + laterRounds(sizeChanges, evaluated.all());
  process.stdout.write(
    [
      `${name}: ${PODS} pods of ${kinds.length} kinds on ${total} nodes (${sizes.join(' + ')}; usually ${usual.nodes}), ${rounds} rounds`,
      `${since(created)} s  deployments created`,
      `${since(evaluated.all())} s  all pods evaluated by the scheduler`,
      `${since(first)} s  first size set`,
      ...history(start, allRunning, sizeChanges, nodes.counts).map(
        ({ at, asked, there }) => `${since(at)} s  ${asked} nodes asked for, ${there} there`,
      ),
      `${since(allRunning)} s  all running (usually ${usual.seconds} s)`,
      `pods run after: ${spreadInWords(started.after(start))}`,
      `${nominated.to.size} pods nominated, ${asPlanned} of them where they run`,
      ...(tags === NO_TAGS ? [] : [`from readiness to open: ${spreadInWords(openings.held())} (goal: 1 s)`]),
      '',
    ].join('\n'),
  );

  expect(new Set(running.map(({ spec }) => spec?.nodeName)).size).toBeGreaterThan(1);
  expect(sizeChanges.length).toBeGreaterThan(0);
  for (const group of Object.keys(sizesByGroup)) {
    const asked = sizeChanges.filter((change) => change.group === group).map(({ size }) => size);
    expect(Math.max(...asked), `size asked of ${group}`).toBeLessThanOrEqual(MAX_SIZE);
    // It only ever grew, and to what a decision gave its reasons for.
    expect(asked).toEqual([...new Set(asked)].toSorted((a, b) => a - b));
    expect(decidedSizes(outrigger, group)).toEqual(expect.arrayContaining(asked));
  }
  // The rights that it is deployed with are enough. The webhook is written, what is decided is told in events and in the
  // status, and a node that comes too late for any pod is marked.
  const requests = cluster.audited();
  expect(requests.filter(({ responseStatus }) => responseStatus?.code === 403)).toEqual([]);
  const written = requests.filter(isWrite).map(({ requestURI }) => requestURI);
  const TOLD = /^\/api\/v1\/namespaces\/(?:[^/]+\/events|kube-system\/configmaps\/cluster-autoscaler-status)\b/;
  const NOMINATED = /^\/api\/v1\/namespaces\/[^/]+\/pods\/[^/]+\/status\b/;
  const ofPods = tags === NO_TAGS ? [] : written.filter((uri) => NOMINATED.test(uri));
  expect(
    written.filter((uri) => !uri.startsWith('/api/v1/nodes/') && !TOLD.test(uri) && !ofPods.includes(uri)),
  ).toEqual([expect.stringMatching(new RegExp(`validatingwebhookconfigurations/outrigger-local-${name}`))]);
  return { total, sizes, rounds, nominated: nominated.to.size, asPlanned, left };
}

/** The sizes of a group that were decided. */
const decidedSizes = (outrigger: Outrigger, group: string): readonly number[] =>
  outrigger
    .logged()
    .flatMap(({ increases }) => (increases ?? []) as readonly { readonly group: string; readonly to: number }[])
    .filter((increase) => increase.group === group)
    .map(({ to }) => to);

/** Sizes that are set so soon after each other are of one round. */
const ROUND_MS = 2_000;

/** How often sizes were raised again, once the first round knew of every pod. */
function laterRounds(changes: readonly SizeChange[], known: number): number {
  let rounds = 0;
  let last = known;
  for (const { at } of changes) {
    if (at > last + ROUND_MS) rounds += 1;
    last = Math.max(last, at);
  }
  return rounds;
}

/** Notes when the scheduler has evaluated every pod. */
function recordEvaluated({ kube, name }: E2eCluster) {
  let all = Number.NaN;
  const stop = followChanges<V1Pod>(kube, `/api/v1/namespaces/${name}/pods`, (pods) => {
    if (Number.isNaN(all) && pods.length === PODS && pods.every(isEvaluated)) all = performance.now();
  });
  return { all: () => all, stop };
}

const isEvaluated = ({ spec, status }: V1Pod): boolean =>
  spec?.nodeName !== undefined || status?.conditions?.some(({ type }) => type === 'PodScheduled') === true;

interface NodeCount {
  readonly at: number;
  readonly count: number;
}

/** Notes the number of Nodes at each change until stopped. */
function recordNodes({ kube }: E2eCluster) {
  const counts: NodeCount[] = [];
  const stop = followChanges<V1Node>(kube, '/api/v1/nodes', (nodes) => {
    if (nodes.length !== counts.at(-1)?.count) counts.push({ at: performance.now(), count: nodes.length });
  });
  return { counts, stop };
}

const HALF_SECOND = 500;

/** Nodes asked for and nodes there, at each half second at which either has changed. */
function history(start: number, end: number, sizes: readonly SizeChange[], counts: readonly NodeCount[]) {
  const rows: { readonly at: number; readonly asked: number; readonly there: number }[] = [];
  for (let at = start; at < end + HALF_SECOND; at += HALF_SECOND) {
    const bySize = new Map(sizes.filter((change) => change.at <= at).map(({ group, size }) => [group, size]));
    // A group that was not asked to grow yet has the one node that it began with.
    const asked = [...bySize.values()].reduce((sum, size) => sum + size, ZONES.length - bySize.size);
    const there = counts.findLast((each) => each.at <= at)?.count ?? 0;
    const last = rows.at(-1);
    if (last?.asked !== asked || last.there !== there) rows.push({ at, asked, there });
  }
  return rows;
}
