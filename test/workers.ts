import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';

const WORKERS = availableParallelism();

/**
 * Shares tasks out among processes, each of which takes the next one when it is done with the last.
 *
 * @param script what the processes run: it answers each message with one.
 * @param ended in words, that a process has ended in the middle of a task, and what to do.
 */
export async function inWorkers<Task extends object>(
  script: string,
  tasks: readonly Task[],
  onDone: (done: never) => void,
  ended: (task: Task, code: number | null) => string,
): Promise<void> {
  const queue = tasks.values();
  await Promise.all(
    Array.from({ length: Math.min(WORKERS, tasks.length) }, async () => {
      const worker = fork(script);
      try {
        for (const task of queue) {
          onDone((await answer(worker, task, ended)) as never);
        }
      } finally {
        worker.kill();
      }
    }),
  );
}

/** Answers the tasks that `inWorkers` gives this process. */
export function answerTasks(work: (task: never) => Promise<unknown>): void {
  const answer = async (task: unknown): Promise<void> => {
    process.send!(await work(task as never));
  };
  process.on('message', (task) => {
    void answer(task);
  });
}

async function answer<Task extends object>(
  worker: ChildProcess,
  task: Task,
  ended: (task: Task, code: number | null) => string,
): Promise<unknown> {
  return await new Promise((resolve, reject) => {
    const onExit = (code: number | null): void => reject(new Error(ended(task, code)));
    worker.once('exit', onExit);
    worker.once('message', (done: unknown) => {
      worker.off('exit', onExit);
      resolve(done);
    });
    worker.send(task);
  });
}
