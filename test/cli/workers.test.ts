import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { inWorkers } from '../../cli/workers.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'outrigger-workers-'));
afterAll(() => rmSync(folder, { recursive: true }));

const workers = new URL('../../cli/workers.ts', import.meta.url).href;

/** A module that answers tasks by this function. */
function scriptOf(work: string): URL {
  const file = path.join(folder, `${work.length}.mjs`);
  writeFileSync(file, `import { answerTasks } from ${JSON.stringify(workers)};\nanswerTasks(${work});\n`);
  return pathToFileURL(file);
}

const nameOf = (task: number): string => `task ${task}`;

test('results are in the order of the tasks, whichever is done first', async () => {
  const script = scriptOf('async (ms) => await new Promise((resolve) => setTimeout(() => resolve(new Set([ms])), ms))');
  const done: unknown[] = [];
  const results = await inWorkers(script, [60, 1, 30], { nameOf, onDone: (one) => done.push(one) });
  expect(results).toEqual([new Set([60]), new Set([1]), new Set([30])]);
  expect(done).toHaveLength(3);
});

test('progress is told of the task by its index', async () => {
  const script = scriptOf(
    'async (at, onProgress) => { for (const end = performance.now() + 300; performance.now() < end; ) onProgress(at); }',
  );
  const told: number[][] = [];
  await inWorkers(script, [7], { nameOf, onProgress: (...one) => told.push(one) });
  expect(told[0]).toEqual([0, 7]);
  expect(told.length).toBeLessThan(5);
});

test('a task that fails, and a worker that ends, are errors that name the task', async () => {
  const failing = inWorkers(scriptOf('async () => { throw new Error("broken"); }'), [1], { nameOf });
  await expect(failing).rejects.toMatchObject({ message: 'task 1 failed', cause: { message: 'broken' } });
  const ending = inWorkers(scriptOf('async () => process.exit(3)'), [2], { nameOf });
  await expect(ending).rejects.toMatchObject({
    message: 'task 2 failed',
    cause: { message: 'the worker ended with 3' },
  });
});
