import { chanceFor, type Chance } from '../../../simulation/chance.ts';
import { groupsIn, type RawLoad, type RawStep, workloadDocument } from './documents.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** How often a horizontal autoscaler looks; it shrinks to the most that it has wanted in two looks. */
const LOOK = 300;
/** How much of the noise is left at the next look. */
const NOISE_KEPT = 0.9;

interface Service {
  readonly name: string;
  readonly cpu: string;
  readonly memory: string;
  /** Replicas on average, and the hour of the peak. */
  readonly mean: number;
  readonly peak: number;
}

const SERVICES: readonly Service[] = [
  { name: 'front', cpu: '250m', memory: '512Mi', mean: 48, peak: 14 },
  { name: 'shop', cpu: '500m', memory: '1Gi', mean: 32, peak: 15 },
  { name: 'search', cpu: '1', memory: '3Gi', mean: 14, peak: 13 },
  { name: 'cart', cpu: '500m', memory: '1Gi', mean: 18, peak: 19 },
  { name: 'pictures', cpu: '2', memory: '2Gi', mean: 5, peak: 16 },
  { name: 'reports', cpu: '1', memory: '4Gi', mean: 4, peak: 10 },
];

/** Requests of the pods of a batch Job. */
const SHAPES = [
  { cpu: '500m', memory: '1Gi' },
  { cpu: '1', memory: '2Gi' },
  { cpu: '2', memory: '6Gi' },
  { cpu: '4', memory: '15Gi' },
];

/** Length and size of a web load. */
export interface Extent {
  readonly days: number;
  /** How many times as large its Deployments are as those of a small shop. */
  readonly size: number;
  /** Share of the load that is left on the sixth and the seventh day. */
  readonly weekend: number;
  readonly jobsPerHour: number;
  /** Median of how long the pods of a Job run, in seconds. */
  readonly medianRun: number;
  /** Hours by which each Deployment has its peak later than usual. */
  readonly later: number;
  /** Difference between night and day, as a share of the mean. */
  readonly swing: number;
  /** Noise that comes anew at each look, as a share of the mean. */
  readonly noise: number;
}

/**
 * Some days of a web shop: six Deployments follow the time of day, with noise, through a horizontal autoscaler, and batch
 * Jobs come at random. Drawn from the seed.
 */
export function webLoad(
  name: string,
  seed: number,
  { days = 3, jobsPerHour = 3, medianRun = 8 * 60, ...daily }: Partial<Extent> = {},
): RawLoad {
  const until = days * DAY;
  const services = SERVICES.flatMap((service) =>
    serviceSteps(service, { ...DAILY, ...daily, until }, chanceFor(seed, service.name)),
  );
  const steps = [...services, ...jobSteps(until, { jobsPerHour, medianRun }, chanceFor(seed, 'jobs'))];
  const [small, ...others] = ['m5.xlarge', 'm5.4xlarge', 'r5.12xlarge'] as const;
  const groups = [...groupsIn([small], { minSize: 1 }), ...groupsIn(others)];
  return workloadDocument({ name, seed, until, groups, steps });
}

/** How Deployments follow the time of day, where a load says nothing else. */
type Daily = Pick<Extent, 'size' | 'weekend' | 'later' | 'swing' | 'noise'>;
const DAILY: Daily = { size: 1, weekend: 1, later: 0, swing: 0.75, noise: 0.04 };

function serviceSteps(
  { name, cpu, memory, mean, peak }: Service,
  { size, until, weekend, later, swing, noise: fresh }: Daily & { readonly until: number },
  chance: Chance,
): readonly RawStep[] {
  const wanted: number[] = [];
  let noise = 0;
  for (let at = 0; at < until; at += LOOK) {
    noise = NOISE_KEPT * noise + fresh * normal(chance);
    const day = 1 + swing * Math.cos((2 * Math.PI * (at - (peak + later) * HOUR)) / DAY);
    const share = Math.floor(at / DAY) % 7 >= 5 ? weekend : 1;
    wanted.push(Math.max(2, Math.round(mean * size * share * Math.max(0, day + noise))));
  }
  const replicas = wanted.map((count, look) => Math.max(count, wanted[look - 1] ?? count));
  const fewest = Math.min(...replicas);
  const minAvailable = Math.max(1, Math.floor(fewest * 0.75));
  return replicas.flatMap((count, look): readonly RawStep[] => {
    const at = look * LOOK;
    if (look === 0) {
      return [{ at, deploy: { name, replicas: count, requests: { cpu, memory }, minAvailable } }];
    }
    // Looks of different autoscalers come at different times.
    return count === replicas[look - 1] ? [] : [{ at: at + (peak % 5) * 7, scale: { name, replicas: count } }];
  });
}

function jobSteps(
  until: number,
  { jobsPerHour, medianRun }: Pick<Extent, 'jobsPerHour' | 'medianRun'>,
  chance: Chance,
): readonly RawStep[] {
  const steps: RawStep[] = [];
  let at = 0;
  for (let n = 0; ; n += 1) {
    at += Math.ceil((-Math.log(1 - chance.next()) * HOUR) / jobsPerHour);
    if (at >= until) {
      return steps;
    }
    steps.push({
      at,
      job: {
        name: `batch-${n}`,
        // From 1 to 40, the smaller the more often.
        pods: Math.floor(40 ** chance.next()),
        runsFor: `${Math.max(20, Math.round(medianRun * Math.exp(normal(chance))))}s`,
        ttlSecondsAfterFinished: HOUR,
        requests: SHAPES[Math.floor(chance.next() * SHAPES.length)]!,
      },
    });
  }
}

/** Draws a number of mean 0 and deviation 1, by Box and Muller. */
const normal = (chance: Chance): number =>
  Math.sqrt(-2 * Math.log(1 - chance.next())) * Math.cos(2 * Math.PI * chance.next());
