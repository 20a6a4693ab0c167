/**
 * `npm run bench:peers`: Outrigger, Karpenter and, where `CLUSTER_AUTOSCALER` names its program, Cluster Autoscaler on one real control
 * plane, one after the other in each round. `ROUNDS=3` rounds; prints the medians, and every run. With
 * `CROWD=1000x30` a burst, the loss of a zone and a fall beside 1,000 other nodes with 30 pods each.
 */
import Table from 'cli-table3';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { openCluster } from '../../e2e/cluster.ts';
import { PATIENCE_MS } from '../../e2e/servers/server-process.ts';
import { PEERS } from './autoscalers.ts';
import { createCrowd } from './crowd.ts';
import { startKarpenter } from './karpenter.ts';
import type { Figures, Ground, Peer } from './peer.ts';
import { type Scenario, SCENARIOS } from './scenarios.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 3);
const ZONES = ['us-east-1a', 'us-east-1b', 'us-east-1c'];
const BOOT_MS = 5_000;
const CROWD_PATIENCE_MS = 1_200_000;

interface Run {
  readonly scenario: Scenario;
  readonly peer: Pick<Peer, 'name'>;
  readonly figures: Figures;
}

const runs: Run[] = [];
const SIMULATED: Pick<Peer, 'name'> = { name: 'Karpenter, simulated' };

const planned = SCENARIOS.flatMap((scenario, of) =>
  Array.from({ length: ROUNDS }, (_, round) =>
    PEERS.map((peer, index) => ({
      scenario,
      peer,
      cluster: `peers-${of}-${round}-${index}`,
      title: `${scenario.name}: ${peer.name}, round ${round + 1}`,
    })),
  ).flat(),
);

test.each(planned)('$title', async ({ scenario, peer, cluster: name }) => {
  const ground: Ground = { ...scenario.ground, zones: ZONES, bootMs: BOOT_MS };
  const cluster = await openCluster(name);
  const { instanceType, most: max } = ground;
  await cluster.createGroups({ name: 'g', instanceType, zones: ZONES, min: 1, max, desired: 1, tags: peer.tags });
  cluster.bridge(BOOT_MS);
  await cluster.untilNodes(ZONES.length);
  if (scenario.crowd !== undefined) {
    const removeCrowd = await createCrowd(cluster, scenario.crowd, ZONES);
    onTestFinished(removeCrowd, CROWD_PATIENCE_MS);
  }
  const autoscaler = await peer.start(cluster, ground);
  onTestFinished(async () => void (await autoscaler.stop()), PATIENCE_MS);
  const figures = await scenario.run(cluster, autoscaler, ZONES);
  runs.push({ scenario, peer, figures });
  if (peer.start === startKarpenter && scenario.simulate !== undefined) {
    runs.push({ scenario, peer: SIMULATED, figures: await scenario.simulate(ground, figures) });
  }
  process.stdout.write(`${name}, ${peer.name}: ${JSON.stringify(figures)}\n`);
  expect(figures['nodes']).toBeGreaterThan(ZONES.length);
});

afterAll(() => {
  for (const scenario of SCENARIOS) {
    const of = (peer: Run['peer']): readonly Figures[] =>
      runs.filter((one) => one.scenario === scenario && one.peer === peer).map(({ figures }) => figures);
    const peers = [...PEERS, SIMULATED].filter((peer) => of(peer).length > 0);
    const names = Object.keys(peers.flatMap(of)[0] ?? {});
    const table = new Table({
      head: [scenario.name, ...peers.map(({ name }) => name)],
      style: { head: [], border: [] },
    });
    table.push(
      ...names.map((name) => [name, ...peers.map((peer) => cellOf(of(peer).map((figures) => figures[name])))]),
    );
    process.stdout.write(`${table.toString()}\n`);
  }
});

/** The median, and the least and the most. */
function cellOf(values: readonly (number | undefined)[]): string {
  const sorted = values.filter((value) => value !== undefined).toSorted((a, b) => a - b);
  if (sorted.length === 0) {
    return '';
  }
  const text = (value: number | undefined): string =>
    value === undefined ? '–' : Number(value.toPrecision(value < 100 ? 2 : 3)).toString();
  return `${text(sorted[Math.floor(sorted.length / 2)])} (${text(sorted[0])}–${text(sorted.at(-1))})`;
}
