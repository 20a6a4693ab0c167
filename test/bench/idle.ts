/** The CPU time of scale-up and scale-down in a cluster at rest, which `docs/cost.md` goes by. */
import { scaleDownHandler } from '../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../functions/scale-up/scale-up.ts';
import { DEFAULT_TLS } from '../../providers/kubernetes/client/connection.ts';
import { invocation, sqsEvent, testWorld, WEB } from '../functions/test-world.ts';
import { idleGroup } from './idle-cluster.ts';
import { startServer } from './list-server.ts';
import { type Benchmark, cpuSince } from './measure.ts';
import { createClusterReader } from '../cluster-access.ts';

const TICKS = 60;

/** Milliseconds of CPU of what a cluster at rest has been through, in order. */
export interface AtRest {
  readonly evaluations: number[];
  readonly glances: number[];
  /** Another hour. */
  readonly pass: () => Promise<void>;
}

/** Hours at rest, one after the other, as a sandbox has them: its first evaluations are of code that is not optimized yet. */
export async function clusterAtRest(nodes: number): Promise<AtRest> {
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
  const evaluations: number[] = [];
  const glances: number[] = [];
  const pass = async (): Promise<void> => {
    for (let minute = 0; minute < TICKS; minute += 1) {
      world.time += 60_000;
      for (const tick of ticks) {
        const before = { cpu: process.cpuUsage(), reads };
        await tick();
        (reads > before.reads ? evaluations : glances).push(cpuSince(before.cpu));
      }
    }
  };
  return { evaluations, glances, pass };
}

async function hoursAtRest(nodes: number): Promise<() => Promise<string>> {
  const { evaluations, glances, pass } = await clusterAtRest(nodes);
  return async () => {
    await pass();
    return `CPU: ${mean(evaluations)} ms an evaluation (${evaluations.length}), ${mean(glances)} ms a glance (${glances.length})`;
  };
}

const mean = (all: readonly number[]): number => Math.round(all.reduce((sum, one) => sum + one, 0) / all.length);

export const idleBenchmarks: Readonly<Record<string, Benchmark>> = Object.fromEntries(
  [10, 100, 1_000].map((nodes) => [`at-rest-${nodes}`, { goalMs: null, runs: 1, prepare: () => hoursAtRest(nodes) }]),
);
