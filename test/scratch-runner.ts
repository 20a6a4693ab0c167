/**
 * Runs tests of the tree in whose folder this process was started, again and again: each message has the folders or files of
 * tests, the answer the first that fails, or `null`. What was loaded and did not change is kept, which takes a tenth of
 * the time that a process for each run takes.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest, type Vitest } from 'vitest/node';
import type { Failure } from './scratch-trees.ts';

const root = process.cwd();
const sources = new Map<string, string>();
let vitest: Vitest | null = null;

process.on('message', (tests: readonly string[]) => {
  void firstFailure(tests).then((failure) => process.send!(failure));
});

async function firstFailure(tests: readonly string[]): Promise<Failure | null> {
  vitest ??= await createVitest('test', {
    root,
    watch: false,
    project: ['unit', 'process', 'cdk'],
    maxWorkers: 1,
    bail: 1,
    reporters: [{}],
  });
  forgetChanged(vitest);
  const specifications = await vitest.globTestSpecifications([...tests]);
  if (specifications.length === 0) {
    return { test: `there is no test in ${tests.join(', ')}`, file: null };
  }
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, false);
  const [broken] = testModules.filter((file) => file.state() === 'failed');
  if (broken !== undefined) {
    const [failed] = broken.children.allTests('failed');
    const test = failed?.fullName ?? broken.errors()[0]?.message ?? 'the file as a whole';
    return { test, file: broken.moduleId.slice(root.length + 1) };
  }
  return unhandledErrors.length > 0 ? { test: 'none: an error is not caught', file: null } : null;
}

/** Without a watcher, what has changed is found by reading it. */
function forgetChanged(running: Vitest): void {
  for (const file of globSync('{core,config,providers,functions,runtime,cli,cdk,test}/**/*.ts', { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8');
    if (sources.has(file) && sources.get(file) !== text) {
      running.invalidateFile(join(root, file));
    }
    sources.set(file, text);
  }
}
