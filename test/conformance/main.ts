/**
 * `npm run conformance [-- --clusters N --seed S --pods P --kubernetes V]`: makes clusters by chance, asks the real
 * kube-scheduler of each version about pods in its share of them, and compares its whole answer with ours: the nodes
 * that pass every filter, and how many of the others fail for which reason. `--replay FILE` asks every version about the
 * clusters in files that an earlier run wrote.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Option } from 'commander';
import { parseAllDocuments, stringify } from 'yaml';
import { type Kube, kube } from '../e2e/servers/kube.ts';
import { KUBERNETES, type KubernetesVersion } from '../e2e/servers/kubernetes.ts';
import { apply } from './api.ts';
import { type Cluster, FIXTURES, type Manifest, randomCluster } from './cluster.ts';
import { startScheduler } from './control-plane.ts';
import { type Disagreement, examine, minimise } from './examine.ts';
import { startExtender } from './extender.ts';
import { positive, toolCommand, wholeNumber } from '../tool-command.ts';
import { random } from './random.ts';
import { tally } from './tally.ts';

interface Flags {
  readonly clusters: number;
  readonly seed: number;
  readonly pods: number;
  readonly out: string;
  readonly replay: readonly string[];
  readonly kubernetes: readonly KubernetesVersion[];
}

const values = toolCommand('conformance', "Compare the scheduler's verdicts with those of the real kube-scheduler")
  .option('--clusters <number>', 'number of clusters', positive, 300)
  .option('--seed <number>', 'seed of the first cluster; the others follow it', wholeNumber, 1)
  .option('--pods <number>', 'number of pods in each cluster', positive, 16)
  .option('--out <directory>', 'where clusters that show a difference are written', path.join('.cache', 'conformance'))
  .option(
    '--replay <file>',
    'a cluster that an earlier run wrote; may be repeated',
    (file, others: readonly string[]) => [...others, file],
    [],
  )
  .addOption(
    new Option('--kubernetes <version...>', 'versions of kube-scheduler, which share the clusters')
      .choices(Object.keys(KUBERNETES))
      .default(Object.keys(KUBERNETES)),
  )
  .parse()
  .opts<Flags>();

/** Makes a cluster to ask about when its turn comes. */
type MakeCluster = () => Promise<Cluster> | Cluster;

/** The clusters that the kube-scheduler of a version is asked about: every other one where there are two versions. */
function clustersFor(version: KubernetesVersion): readonly MakeCluster[] {
  if (values.replay.length > 0) {
    return values.replay.map((file) => () => read(file));
  }
  const { minor } = KUBERNETES[version];
  const seeds = Array.from({ length: values.clusters }, (_, i) => values.seed + i);
  const share = values.kubernetes.indexOf(version);
  return seeds
    .filter((_, i) => i % values.kubernetes.length === share)
    .map((seed) => () => randomCluster(`s${seed}`, random(seed), values.pods, minor));
}

async function read(file: string): Promise<Cluster> {
  const objects = parseAllDocuments(await readFile(file, 'utf8')).map((document) => document.toJS() as Manifest);
  const waits = ({ kind, spec }: Manifest): boolean => kind === 'Pod' && spec?.['nodeName'] === undefined;
  return { name: file, objects: objects.filter((object) => !waits(object)), pending: objects.filter(waits) };
}

async function main(): Promise<number> {
  let disagreements = 0;
  for (const version of values.kubernetes) {
    disagreements += await compareWith(version);
  }
  return disagreements === 0 ? 0 : 1;
}

/** @returns the number of pods that the kube-scheduler of the version and we judge differently. */
async function compareWith(version: KubernetesVersion): Promise<number> {
  const clusters = clustersFor(version);
  const work = await mkdtemp(path.join(tmpdir(), 'outrigger-conformance-'));
  await mkdir(values.out, { recursive: true });
  const extender = await startExtender();
  const scheduler = await startScheduler(version, path.join(work, 'state'), work, extender.url);
  const api = kube(scheduler.connection);
  const reasons = tally();
  let disagreements = 0;
  let repeated = 0;
  const refused: string[] = [];
  const start = performance.now();
  try {
    await Promise.all(FIXTURES.map((object) => apply(api, object)));
    for (const make of clusters) {
      const cluster = await make();
      const examined = await examine(api, cluster, KUBERNETES[version].minor);
      examined.messages.forEach(reasons.count);
      refused.push(...examined.refused);
      repeated += examined.repeated;
      disagreements += examined.disagreements.length;
      for (const disagreement of examined.disagreements) {
        await report(api, cluster, version, disagreement);
      }
    }
  } finally {
    api.close();
    await scheduler.stop();
    await extender.stop();
    await rm(work, { recursive: true, force: true });
  }
  const seconds = (performance.now() - start) / 1000;
  process.stdout.write(
    `${reasons.table()}\nKubernetes ${version}: ${reasons.messages()} pods in ${clusters.length} clusters: ` +
      `${disagreements} disagreements (${repeated} asked again, ${refused.length} objects refused by the API server) ` +
      `in ${seconds.toFixed(0)} s, ${(clusters.length / seconds).toFixed(1)} clusters a second\n`,
  );
  for (const refusal of refused.slice(0, 5)) {
    process.stdout.write(`refused: ${refusal.slice(0, 300)}\n`);
  }
  return disagreements;
}

/** Prints both answers, and writes the smallest cluster that shows the difference as manifests. */
async function report(
  api: Kube,
  cluster: Cluster,
  version: KubernetesVersion,
  { pod, scheduler, ours }: Disagreement,
): Promise<void> {
  process.stdout.write(
    `${pod.metadata.name}\n  scheduler: ${scheduler}\n  ours:      ${ours.join('\n         or: ')}\n`,
  );
  if (values.replay.length > 0) {
    return;
  }
  const smallest = await minimise(api, cluster, KUBERNETES[version].minor, pod);
  const file = path.join(values.out, `${pod.metadata.name}.yaml`);
  await writeFile(
    file,
    [...smallest.objects, pod].map((object) => stringify(object, { aliasDuplicateObjects: false })).join('---\n'),
  );
  process.stdout.write(`  ${file}: ${smallest.objects.length} of ${cluster.objects.length} objects\n`);
}

process.exitCode = await main();
