import { mkdtemp, mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { stringify } from 'yaml';
import { keyOf } from '../../core/model/pod.ts';
import { ensureServers } from '../e2e/servers/cache.ts';
import { type Kube, kube, type KubeObject } from '../e2e/servers/kube.ts';
import { apply, clear, readObjects, remove } from './api.ts';
import { type Cluster, FIXTURES, type Manifest, randomCluster } from './cluster.ts';
import { startScheduler } from './control-plane.ts';
import { startExtender } from './extender.ts';
import { random } from './random.ts';
import { ourMessages } from './verdict.ts';

const { values } = parseArgs({
  options: {
    clusters: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    pods: { type: 'string', default: '16' },
    out: { type: 'string', default: path.join('.cache', 'conformance') },
  },
});

interface PodObject extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
  };
}

interface Disagreement {
  readonly pod: Manifest;
  readonly scheduler: string;
  readonly ours: readonly string[];
}

/** What the scheduler says of pods, by `namespace/name`. */
async function schedulerMessages(api: Kube, pods: readonly Manifest[]): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const message = ({ metadata, status }: PodObject): string | undefined => {
    const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
    return wanted.has(`${metadata?.namespace}/${metadata?.name}`) &&
      condition !== undefined &&
      condition.reason !== 'SchedulingGated'
      ? (condition.message ?? `condition without message: ${condition.reason}`)
      : undefined;
  };
  const judged = await api.until<PodObject>('/api/v1/pods', {
    what: 'the scheduler to look at every pod',
    timeoutMs: 30_000,
    holds: (objects) => objects.filter((pod) => message(pod) !== undefined).length === wanted.size,
  });
  return new Map(judged.map((pod) => [`${pod.metadata?.namespace}/${pod.metadata?.name}`, message(pod) ?? '']));
}

/** Asks the scheduler about pods and compares; the cluster is there already. */
async function compare(api: Kube, pods: readonly Manifest[]): Promise<readonly Disagreement[]> {
  const messages = await schedulerMessages(api, pods);
  const objects = await readObjects(api);
  const waiting = objects.pods.filter((pod) => messages.has(keyOf(pod)) && pod.nodeName === null);
  const ours = ourMessages(objects, waiting);
  const byKey = new Map([...ours].map(([pod, message]) => [keyOf(pod) as string, message]));
  return pods.flatMap((pod) => {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const scheduler = messages.get(key)!;
    const mine = byKey.get(key)!;
    tally(scheduler);
    return mine.includes(scheduler) ? [] : [{ pod, scheduler, ours: mine }];
  });
}

/** How often the scheduler gave each reason, to see that all of them were met. */
const reasons = new Map<string, number>();

function tally(message: string): void {
  const counted = message
    .replace(/^[^:]*: /, '')
    .replaceAll(/ s\d+-\w+/g, ' X')
    .replaceAll(/"[^"]*"/g, '"X"');
  for (const reason of new Set(counted.replace(/\.$/, '').split(', '))) {
    const plain = reason.replace(/^\d+ /, '');
    reasons.set(plain, (reasons.get(plain) ?? 0) + 1);
  }
}

/** Clusters whose objects the API server refuses would test less than they seem to. */
let refused = 0;
/** Pods that had to be asked about again. */
let repeated = 0;

async function examine(
  api: Kube,
  cluster: Cluster,
): Promise<{ asked: number; disagreements: readonly Disagreement[] }> {
  const accepted = async (objects: readonly Manifest[]): Promise<readonly Manifest[]> => {
    const results = await Promise.all(objects.map((object) => apply(api, object)));
    for (const [i, reason] of results.entries()) {
      if (reason !== null) {
        refused++;
        if (refused <= 10) {
          process.stderr.write(`refused ${objects[i]!.kind} ${objects[i]!.metadata.name}: ${reason.slice(0, 600)}\n`);
        }
      }
    }
    return objects.filter((_, i) => results[i] === null);
  };
  try {
    await accepted(cluster.objects);
    // The scheduler hears of each kind of object on a stream of its own: nothing says when it has heard of all. Most
    // often this is enough; pods it judged too early are asked about again below.
    await delay(20);
    const pods = await accepted(cluster.pending);
    let disagreements = await compare(api, pods);
    for (const patience of [100, 400, 1000]) {
      if (disagreements.length === 0) {
        break;
      }
      const again = disagreements.map(({ pod }) => pod);
      repeated += again.length;
      await Promise.all(again.map((pod) => remove(api, pod)));
      await delay(patience);
      await Promise.all(again.map((pod) => apply(api, pod)));
      disagreements = await compare(api, again);
    }
    return { asked: pods.length, disagreements };
  } finally {
    await clear(api, cluster);
  }
}

async function main(): Promise<number> {
  const servers = await ensureServers();
  const folder = await mkdtemp(path.join(tmpdir(), 'outrigger-conformance-'));
  const extender = await startExtender();
  const scheduler = await startScheduler(servers, folder, extender.url);
  const api = kube(scheduler.connection);
  let asked = 0;
  let wrong = 0;
  const start = performance.now();
  try {
    await Promise.all(FIXTURES.map((object) => apply(api, object)));
    for (let i = 0; i < Number(values.clusters); i++) {
      const seed = Number(values.seed) + i;
      const cluster = randomCluster(`s${seed}`, random(seed), Number(values.pods));
      const { asked: pods, disagreements } = await examine(api, cluster);
      asked += pods;
      wrong += disagreements.length;
      if (disagreements.length > 0) {
        await report(cluster, disagreements);
      }
    }
  } finally {
    api.close();
    await scheduler.stop();
    await extender.stop();
  }
  for (const [reason, count] of [...reasons].sort((a, b) => b[1] - a[1])) {
    process.stdout.write(`${String(count).padStart(7)} ${reason}\n`);
  }
  const seconds = (performance.now() - start) / 1000;
  process.stdout.write(
    `${asked} pods in ${values.clusters} clusters, ${wrong} disagreements, ${refused} objects refused, ${repeated} asked again, ` +
      `${seconds.toFixed(1)} s (${(Number(values.clusters) / seconds).toFixed(1)} clusters/s)\n`,
  );
  return wrong === 0 ? 0 : 1;
}

async function report(cluster: Cluster, disagreements: readonly Disagreement[]): Promise<void> {
  await mkdir(values.out, { recursive: true });
  for (const { pod, scheduler, ours } of disagreements) {
    const file = path.join(values.out, `${pod.metadata.name}.yaml`);
    await writeFile(file, [...cluster.objects, pod].map((object) => stringify(object)).join('---\n'));
    process.stdout.write(`${file}\n  scheduler: ${scheduler}\n  ours:      ${ours.join('\n         or: ')}\n`);
  }
}

process.exitCode = await main();
