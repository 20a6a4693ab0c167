import { NO_REFRESHES, REFRESHES } from './instance-refreshes.ts';
import { startProxy } from './proxy.ts';
import { withWarmPoolSizes } from './warm-pool-sizes.ts';
import { PATIENCE_MS } from './server-process.ts';

/** A call of an API that takes its parameters as a form, as Auto Scaling and EC2 do. */
export interface AwsCall {
  /** Arrival, by `performance.now()`. */
  readonly at: number;
  readonly action: string;
  readonly parameters: URLSearchParams;
  /** HTTP status of the answer. */
  readonly status: number;
}

/** A size that a group was asked to take. */
export interface SizeChange {
  readonly at: number;
  readonly group: string;
  readonly size: number;
}

/**
 * Stands in front of an AWS endpoint, passes everything on as it is, but for the sizes of warm pools and instance refreshes, and
 * remembers what was called.
 */
export interface AwsRecorder {
  readonly endpoint: string;
  /** All answered calls, in the order of their answers. */
  readonly calls: readonly AwsCall[];
  /** Calls that set a group's desired capacity, and were granted. */
  sizeChanges(): readonly SizeChange[];
  /** Resolves as soon as the condition holds of what was called so far. */
  until(what: string, holds: (recorder: AwsRecorder) => boolean): Promise<void>;
  stop(): Promise<void>;
}

export async function startAwsRecorder(target: string): Promise<AwsRecorder> {
  const calls: AwsCall[] = [];
  const watchers = new Set<() => void>();
  const proxy = await startProxy(target, async ({ action, parameters, forward }) => {
    const at = performance.now();
    const given = action === REFRESHES ? NO_REFRESHES : await forward();
    const answer = action === 'DescribeAutoScalingGroups' ? withWarmPoolSizes(given) : given;
    if (action !== null) calls.push({ at, action, parameters, status: answer.status });
    for (const check of watchers) check();
    return answer;
  });

  const recorder: AwsRecorder = {
    endpoint: proxy.endpoint,
    calls,
    sizeChanges: () =>
      calls
        .filter(({ action, status }) => action === 'SetDesiredCapacity' && status === 200)
        .map(({ at, parameters }) => ({
          at,
          group: parameters.get('AutoScalingGroupName') ?? '',
          size: Number(parameters.get('DesiredCapacity')),
        })),
    until: (what, holds) =>
      new Promise((resolve, reject) => {
        const check = () => {
          if (!holds(recorder)) return;
          clearTimeout(timer);
          watchers.delete(check);
          resolve();
        };
        const timer = setTimeout(() => {
          watchers.delete(check);
          const sizes = recorder.sizeChanges().map(({ group, size }) => `${group} ${size}`);
          reject(
            new Error(
              `After ${PATIENCE_MS / 1000} s still waiting for ${what}; sizes set: ${sizes.join(', ') || 'none'}`,
            ),
          );
        }, PATIENCE_MS);
        watchers.add(check);
        check();
      }),
    stop: () => proxy.stop(),
  };
  return recorder;
}
