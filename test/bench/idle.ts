/** The CPU time of scale-up and scale-down in a cluster at rest, which `docs/cost.md` goes by. */
import { scaleDownHandler } from '../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../functions/scale-up/scale-up.ts';
import { DEFAULT_TLS } from '../../providers/kubernetes/client/connection.ts';
import { createClusterReader } from '../../providers/kubernetes/read/reader.ts';
import { invocation, sqsEvent, testWorld, WEB } from '../functions/test-world.ts';
import { idleGroup } from './idle-cluster.ts';
import { startServer } from './list-server.ts';
import type { Benchmark } from './measure.ts';

const TICKS = 60;

/** Hours at rest, one after the other, as a sandbox has them: its first evaluations are of code that is not optimized yet. */
async function hoursAtRest(nodes: number): Promise<() => Promise<string>> {
  const server = await startServer('idle-server.ts', String(nodes));
  const connected = createClusterReader({ server, tls: DEFAULT_TLS, token: null, proxy: null });
  const world = testWorld({ groups: [idleGroup(nodes)] });
  let reads = 0;
  const reader: typeof connected = {
    ...connected,
    read: (...given) => {
      reads += 1;
      return connected.read(...given);
    },
  };
  const cluster = { ...world.cluster(WEB)!, reader };
  const atRest = { ...world, cluster: () => cluster };
  const scaleUp = scaleUpHandler(atRest);
  const scaleDown = scaleDownHandler(atRest);
  const ticks = [
    () => scaleUp(sqsEvent({ cluster: WEB, tick: new Date(world.now()).toISOString() }), invocation()),
    () => scaleDown({ cluster: WEB }, invocation()),
  ];
  const cpuMs = { evaluations: [] as number[], glances: [] as number[] };
  return async () => {
    for (let minute = 0; minute < TICKS; minute += 1) {
      world.time += 60_000;
      for (const tick of ticks) {
        const before = { cpu: process.cpuUsage(), reads };
        await tick();
        const { user, system } = process.cpuUsage(before.cpu);
        cpuMs[reads > before.reads ? 'evaluations' : 'glances'].push((user + system) / 1_000);
      }
    }
    const { evaluations, glances } = cpuMs;
    return `CPU: ${mean(evaluations)} ms an evaluation (${evaluations.length}), ${mean(glances)} ms a glance (${glances.length})`;
  };
}

const mean = (all: readonly number[]): number => Math.round(all.reduce((sum, one) => sum + one, 0) / all.length);

export const idleBenchmarks: Readonly<Record<string, Benchmark>> = Object.fromEntries(
  [10, 100, 1_000].map((nodes) => [`at-rest-${nodes}`, { goalMs: null, runs: 1, prepare: () => hoursAtRest(nodes) }]),
);
