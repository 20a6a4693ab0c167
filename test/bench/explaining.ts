import { evaluateScaleUp } from '../../core/evaluate.ts';
import { decisionEvents } from '../../core/words/decision-events.ts';
import type { Transport } from '../../providers/kubernetes/client/transport.ts';
import { createEventRecorder } from '../../providers/kubernetes/events.ts';
import { scenario, times } from '../scenario-builders.ts';
import { largeClusterGroups, largeClusterNodes, largeClusterPods } from './large-cluster.ts';
import type { Benchmark } from './measure.ts';

/** The part of an evaluation's CPU time that its events may add. */
const MOST_ADDED = 0.1;
const RUNS = 11;
/** Kinds of pods that no group can hold. */
const KINDS = 40;

const ANSWERS_AT_ONCE: Transport = { send: () => Promise.resolve(undefined as never), close: () => undefined };

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

/** CPU time in milliseconds: other processes on the machine do not count. */
async function cpuOf<T>(work: () => T | Promise<T>): Promise<readonly [ms: number, T]> {
  const before = process.cpuUsage();
  const result = await work();
  const { user, system } = process.cpuUsage(before);
  return [(user + system) / 1_000, result];
}

/**
 * A thousand waiting pods among 150 groups and 150 000 pods with a node: what their events cost beside the evaluation. The API
 * server answers at once.
 *
 * @param helped whether groups can grow for the pods.
 */
const explaining = (helped: boolean): Benchmark => ({
  goalMs: null,
  runs: 3,
  prepare: () => {
    const { running, pending } = largeClusterPods();
    const pods = pending
      .slice(0, 1_000)
      .map((pod, i) => (helped ? pod : { ...pod, spec: { ...pod.spec, nodeSelector: { pool: `none-${i % KINDS}` } } }));
    const base = scenario({ groups: largeClusterGroups(), nodes: largeClusterNodes(), pods: [] });
    return async () => {
      const recorder = createEventRecorder(ANSWERS_AT_ONCE, {
        now: () => base.now,
        warn: () => undefined,
        statusObject: async () => null,
      });
      const shares: { evaluation: number; events: number }[] = [];
      for (const version of times(RUNS, (i) => i)) {
        // Each evaluation has a list of its own, of which nothing is remembered.
        const given = { ...base, objects: { ...base.objects, pods: [...running, ...pods] } };
        const [evaluation, decision] = await cpuOf(() => evaluateScaleUp(given));
        const [events] = await cpuOf(() => recorder.recordEvents(decisionEvents(given, decision, version)));
        shares.push({ evaluation, events });
      }
      const [evaluation, events] = [
        median(shares.map((one) => one.evaluation)),
        median(shares.map((one) => one.events)),
      ];
      const text = `events add ${((events / evaluation) * 100).toFixed(1)} % to ${evaluation.toFixed(1)} ms of CPU`;
      if (events > MOST_ADDED * evaluation) {
        throw new Error(`${text}; at most ${MOST_ADDED * 100} % is the goal`);
      }
      return text;
    };
  },
});

export const explainingBenchmarks: Readonly<Record<string, Benchmark>> = {
  'events of 1 000 pods that groups grow for': explaining(true),
  'events of 1 000 pods that no group can hold': explaining(false),
};
