/**
 * Evaluates a cluster of as many nodes as the second argument says, as a function does that has just started, and prints `Taken` as
 * JSON. The API server is another process, so that the CPU time and the memory of this one are the function's.
 */
import type { ClusterReader } from '../../../core/ports/cluster.ts';
import { scaleDownHandler } from '../../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';
import { DEFAULT_TLS } from '../../../providers/kubernetes/client/connection.ts';
import { invocation, notification, sqsEvent, testWorld, WEB } from '../../functions/test-world.ts';
import { idleCluster } from '../idle.ts';
import { largeClusterGroups } from '../large-cluster.ts';
import { startServer } from '../list-server.ts';
import { cpuSince } from '../measure.ts';
import { calibrate } from './calibration.ts';
import { createClusterReader } from '../../cluster-access.ts';

/** Milliseconds of CPU, by what was done. */
export interface Taken {
  readonly cpuMs: Readonly<Record<string, number>>;
  /** Time of a round of the calibration, before and after. */
  readonly calibrationMs: readonly [number, number];
  /** Peak of the whole process. */
  readonly peakMb: number;
  /** Outcome of the work, so that a fast wrong answer is seen. */
  readonly result: string;
}

type Work = (nodes: number) => Promise<Pick<Taken, 'cpuMs' | 'result'>>;

/** At rest: the second hour is measured, as the code of the first evaluations is not optimized yet. */
const HOURS_AT_REST = 2;

const WORKS: Readonly<Record<string, Work>> = { busy, idle };

const [work = '', nodes = ''] = process.argv.slice(2);
const before = calibrate();
const done = await WORKS[work]!(Number(nodes));
const taken: Taken = {
  ...done,
  calibrationMs: [before, calibrate()],
  peakMb: Math.round(process.resourceUsage().maxRSS / 1_024),
};
process.stdout.write(`${JSON.stringify(taken)}\n`, () => process.exit());

/** Two pods of five nodes wait for new nodes, and are gone when scale-down is evaluated; one node in ten can be removed. */
async function busy(nodes: number): Promise<Pick<Taken, 'cpuMs' | 'result'>> {
  const server = await startServer('large-server.ts', String(nodes));
  const reader = createClusterReader({ server, tls: DEFAULT_TLS, token: null, proxy: null });
  const groups = largeClusterGroups(nodes);
  const withoutPending: ClusterReader = {
    ...reader,
    read: async (...scope) => {
      const { objects, rejected } = await reader.read(...scope);
      return { objects: { ...objects, pods: objects.pods.filter(({ nodeName }) => nodeName !== null) }, rejected };
    },
  };
  const up = testWorld({ groups });
  const scaleUp = scaleUpHandler({ ...up, cluster: () => ({ ...up.cluster(WEB)!, reader }) });
  const down = testWorld({ groups });
  const scaleDown = scaleDownHandler({ ...down, cluster: () => ({ ...down.cluster(WEB)!, reader: withoutPending }) });
  const cpuMs = {
    scaleUp: await cpuOf(() => scaleUp(sqsEvent(notification), invocation())),
    scaleDown: await cpuOf(() => scaleDown({ cluster: WEB }, invocation())),
  };
  return {
    cpuMs,
    result: `${up.counts.get('ScaleUpNodes')} nodes added, ${down.counts.get('UnneededNodes')} unneeded`,
  };
}

/** Means of the last hour. */
async function idle(nodes: number): Promise<Pick<Taken, 'cpuMs' | 'result'>> {
  const { evaluations, checks, pass } = await idleCluster(nodes);
  for (let hour = 0; hour < HOURS_AT_REST; hour += 1) {
    evaluations.length = 0;
    checks.length = 0;
    await pass();
  }
  return {
    cpuMs: { evaluation: mean(evaluations), changeCheck: mean(checks) },
    result: `${evaluations.length} evaluations, ${checks.length} change checks`,
  };
}

function mean(all: readonly number[]): number {
  return all.reduce((sum, one) => sum + one, 0) / all.length;
}

async function cpuOf(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return cpuSince(before);
}
