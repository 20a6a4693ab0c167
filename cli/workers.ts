import { availableParallelism } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';

/** Message of a worker: the result of a task, or the progress with a task. */
type Message = { readonly kind: 'done'; readonly done: unknown } | { readonly kind: 'progress'; readonly at: number };

interface WorkerOptions<Task, Done> {
  /** Name of a task, for the error of a worker that has ended. */
  readonly nameOf: (task: Task) => string;
  readonly onDone?: (done: Done) => void;
  /** Told the progress with a task, by its index, a few times a second. */
  readonly onProgress?: (index: number, at: number) => void;
}

const WORKERS = availableParallelism();
/** Time between two messages about the progress. */
const PROGRESS_MS = 250;

/**
 * Shares tasks out among threads, one for each core. A thread takes the next task when its last one is done.
 *
 * @param script module that the threads run, which calls `answerTasks`.
 * @returns the results, in the order of the tasks.
 */
export async function inWorkers<Task, Done>(
  script: URL,
  tasks: readonly Task[],
  options: WorkerOptions<Task, Done>,
): Promise<readonly Done[]> {
  const queue = tasks.entries();
  const results: Done[] = [];
  const workers = Array.from({ length: Math.min(WORKERS, tasks.length) }, () => new Worker(script));
  try {
    await Promise.all(
      workers.map(async (worker) => {
        for (const [index, task] of queue) {
          const done = await answer(worker, task, index, options);
          results[index] = done;
          options.onDone?.(done);
        }
      }),
    );
  } finally {
    await Promise.all(workers.map(async (worker) => await worker.terminate()));
  }
  return results;
}

async function answer<Task, Done>(
  worker: Worker,
  task: Task,
  index: number,
  { nameOf, onProgress }: WorkerOptions<Task, Done>,
): Promise<Done> {
  const { promise, resolve, reject } = Promise.withResolvers<Done>();
  const onMessage = (message: Message): void => {
    if (message.kind === 'done') {
      resolve(message.done as Done);
    } else {
      onProgress?.(index, message.at);
    }
  };
  const onError = (cause: unknown): void => reject(new Error(`${nameOf(task)} failed`, { cause }));
  const onExit = (code: number): void => onError(new Error(`the worker ended with ${code}`));
  worker.on('message', onMessage).once('error', onError).once('exit', onExit);
  worker.postMessage(task, []);
  try {
    return await promise;
  } finally {
    worker.off('message', onMessage).off('error', onError).off('exit', onExit);
  }
}

/**
 * Answers the tasks that `inWorkers` gives this thread.
 *
 * @param work may tell its progress as a number.
 */
export function answerTasks(work: (task: never, onProgress: (at: number) => void) => Promise<unknown>): void {
  const port = parentPort;
  if (port === null) {
    throw new Error('answerTasks: called outside of a worker');
  }
  let told = performance.now();
  const onProgress = (at: number): void => {
    if (performance.now() - told >= PROGRESS_MS) {
      told = performance.now();
      port.postMessage({ kind: 'progress', at } satisfies Message);
    }
  };
  const answerTask = async (task: unknown): Promise<void> => {
    port.postMessage({ kind: 'done', done: await work(task as never, onProgress) } satisfies Message);
  };
  port.on('message', (task) => void answerTask(task));
}
