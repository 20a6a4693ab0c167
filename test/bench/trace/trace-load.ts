import { chanceFor } from '../../../simulation/chance.ts';
import { openbPodsOf, type TracedPod } from '../../openb.ts';
import { groupsIn, type RawLoad, workloadDocument } from './documents.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Number of pods of a load that falls. */
const FALLING = 400;

interface Excerpt {
  readonly name: string;
  /** The days of the trace. */
  readonly first: number;
  readonly end: number;
  /** How many times as dense as in the trace pods come; they run as long. */
  readonly density: number;
  readonly takes: (pod: TracedPod) => boolean;
  readonly withGpus: boolean;
}

const CPU_TYPES = ['m5.4xlarge', 'm5.8xlarge', 'r5.12xlarge'];
const GPU_TYPES = ['g5.4xlarge', 'g5.8xlarge', 'g5.12xlarge', 'g5.48xlarge'];
/** Room of the largest of these types for a pod beside DaemonSets. */
const LARGEST = { milliCpu: 47_600, memoryMib: 340_000 };

const onCpus: Pick<Excerpt, 'takes' | 'withGpus'> = { takes: ({ gpus }) => gpus === 0, withGpus: false };

const EXCERPTS: readonly Excerpt[] = [
  { name: 'cpu3', first: 123, end: 126, density: 1, ...onCpus },
  { name: 'cpux10', first: 115, end: 150, density: 10, ...onCpus },
  { name: 'all3', first: 119, end: 122, density: 1, takes: () => true, withGpus: false },
  { name: 'gpu3', first: 119, end: 122, density: 1, takes: ({ gpus }) => gpus > 0, withGpus: true },
];

/** Pods without GPUs of three times `density` days of the trace, in three days. */
export const cpuLoad = (name: string, first: number, density: number, seed: number): RawLoad =>
  loadOf({ name, first, end: first + 3 * density, density, ...onCpus }, seed);

/**
 * 400 pods without GPUs, a Deployment for each size, as they are for an hour; then each Deployment falls to a share of it, for five
 * hours.
 */
export function fallLoad(name: string, seed: number): RawLoad {
  const chance = chanceFor(seed, 'fall');
  const pods = openbPodsOf(0, 150).filter(({ gpus }) => gpus === 0);
  const first = Math.floor(chance.next() * (pods.length - FALLING));
  const share = 0.3 + 0.3 * chance.next();
  const sizes = Map.groupBy(
    pods.slice(first, first + FALLING),
    ({ milliCpu, memoryMib }) => `${milliCpu}m of ${memoryMib}Mi`,
  );
  const deployments = [...sizes.values()].map((own, index) => {
    const [{ milliCpu, memoryMib }] = own as [TracedPod, ...TracedPod[]];
    return { name: `size-${index}`, own, requests: { cpu: `${milliCpu}m`, memory: `${memoryMib}Mi` } };
  });
  return workloadDocument({
    name,
    seed,
    until: 6 * HOUR,
    steps: [
      ...deployments.map(({ name: of, own, requests }) => ({
        at: 0,
        deploy: { name: of, replicas: own.length, requests },
      })),
      ...deployments.map(({ name: of, own }) => ({
        at: HOUR,
        scale: { name: of, replicas: Math.ceil(own.length * share) },
      })),
    ],
    groups: groupsIn(['r5.12xlarge']),
  });
}

/** Every pod of an excerpt of the trace is a Job of one pod. */
export const TRACE_LOADS: Readonly<Record<string, (seed: number) => RawLoad>> = Object.fromEntries(
  EXCERPTS.map((excerpt) => [excerpt.name, (seed: number) => loadOf(excerpt, seed)]),
);

function loadOf({ name, first, end, density, takes, withGpus }: Excerpt, seed: number): RawLoad {
  const fits = ({ milliCpu, memoryMib }: TracedPod): boolean =>
    withGpus || (milliCpu <= LARGEST.milliCpu && memoryMib <= LARGEST.memoryMib);
  const until = ((end - first) * DAY) / density;
  const steps = openbPodsOf(first, end)
    .filter((pod) => takes(pod) && fits(pod))
    .map((pod) => {
      // A pod that ran before the excerpt runs from its beginning for the time that was left.
      const from = Math.max(pod.from, first * DAY);
      return {
        at: Math.floor((from - first * DAY) / density),
        job: {
          name: pod.name,
          pods: 1,
          runsFor: `${Math.ceil(pod.to - from)}s`,
          ttlSecondsAfterFinished: 3_600,
          requests: {
            cpu: `${pod.milliCpu}m`,
            memory: `${pod.memoryMib}Mi`,
            ...(withGpus && { 'nvidia.com/gpu': `${pod.gpus}` }),
          },
        },
      };
    })
    .filter(({ at }) => at < until);
  return workloadDocument({
    name,
    seed,
    until,
    steps,
    groups: groupsIn(withGpus ? GPU_TYPES : CPU_TYPES, withGpus ? { boot: { min: '70s', max: '110s' } } : {}),
  });
}
