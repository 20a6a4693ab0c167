/** The CPU time of scale-up and scale-down in an idle cluster, which `docs/cost.md` goes by. */
import { scaleDownHandler } from '../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../functions/scale-up/scale-up.ts';
import { DEFAULT_TLS } from '../../providers/kubernetes/client/connection.ts';
import { invocation, sqsEvent, testWorld, WEB } from '../functions/test-world.ts';
import { idleGroup } from './idle-cluster.ts';
import { startServer } from './list-server.ts';
import { type Benchmark, cpuSince } from './measure.ts';
import { createClusterReader } from '../cluster-access.ts';

const SCANS = 60;

/** Milliseconds of CPU of what an idle cluster has been through, in order. */
export interface IdleCluster {
  readonly evaluations: number[];
  readonly checks: number[];
  /** Another hour. */
  readonly pass: () => Promise<void>;
}

/** Hours of an idle cluster, one after the other, as a sandbox has them: its first evaluations are of code that is not optimized yet. */
export async function idleCluster(nodes: number): Promise<IdleCluster> {
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
  const resting = { ...world, cluster: () => cluster };
  const scaleUp = scaleUpHandler(resting);
  const scaleDown = scaleDownHandler(resting);
  const scans = [
    () => scaleUp(sqsEvent({ cluster: WEB, scan: new Date(world.now()).toISOString() }), invocation()),
    () => scaleDown({ cluster: WEB }, invocation()),
  ];
  const evaluations: number[] = [];
  const checks: number[] = [];
  const pass = async (): Promise<void> => {
    for (let minute = 0; minute < SCANS; minute += 1) {
      world.time += 60_000;
      for (const scan of scans) {
        const before = { cpu: process.cpuUsage(), reads };
        await scan();
        (reads > before.reads ? evaluations : checks).push(cpuSince(before.cpu));
      }
    }
  };
  return { evaluations, checks, pass };
}

async function idleHours(nodes: number): Promise<() => Promise<string>> {
  const { evaluations, checks, pass } = await idleCluster(nodes);
  return async () => {
    await pass();
    return `CPU: ${mean(evaluations)} ms an evaluation (${evaluations.length}), ${mean(checks)} ms a change check (${checks.length})`;
  };
}

const mean = (all: readonly number[]): number => Math.round(all.reduce((sum, one) => sum + one, 0) / all.length);

export const idleBenchmarks: Readonly<Record<string, Benchmark>> = Object.fromEntries(
  [10, 100, 1_000].map((nodes) => [`idle-${nodes}`, { goalMs: null, runs: 1, prepare: () => idleHours(nodes) }]),
);
