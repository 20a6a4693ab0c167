/**
 * Runs tests of the tree in whose folder this process was started, again and again: each message has the folders or files of
 * tests, the answer the first that fails, or `null`. What was loaded and did not change is kept, which takes a tenth of
 * the time that a process for each run takes.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest, type Reporter, type TestModule, type Vitest } from 'vitest/node';
import type { Failure } from './scratch-trees.ts';
import { PRODUCT } from '../scripts/measure/product.ts';

const root = process.cwd();
const sources = new Map<string, string>();
let vitest: Vitest | null = null;
/** The failure of this run alone: of a file that vitest does not reach, it still holds the result of an earlier run. */
let failure: Failure | null = null;

const inFile = (test: string, { moduleId }: TestModule): Failure => ({ test, file: moduleId.slice(root.length + 1) });

const reporter: Reporter = {
  onTestCaseResult: (test) => {
    if (test.result().state === 'failed') {
      failure ??= inFile(test.fullName, test.module);
    }
  },
  onTestModuleEnd: (file) => {
    if (file.state() === 'failed') {
      failure ??= inFile(file.errors()[0]?.message ?? 'the file as a whole', file);
    }
  },
};

process.on('message', (tests: readonly string[]) => {
  void firstFailure(tests).then((found) => process.send!(found));
});

async function firstFailure(tests: readonly string[]): Promise<Failure | null> {
  vitest ??= await createVitest('test', {
    root,
    watch: false,
    project: ['unit', 'process', 'cdk'],
    maxWorkers: 1,
    bail: 1,
    reporters: [reporter],
  });
  forgetChanged(vitest);
  const specifications = await vitest.globTestSpecifications([...tests]);
  if (specifications.length === 0) {
    return { test: `there is no test in ${tests.join(', ')}`, file: null };
  }
  failure = null;
  const { unhandledErrors } = await vitest.runTestSpecifications(specifications, false);
  return failure ?? (unhandledErrors.length > 0 ? { test: 'none: an error is not caught', file: null } : null);
}

/** Without a watcher, what has changed is found by reading it. */
function forgetChanged(running: Vitest): void {
  for (const file of globSync(`{${PRODUCT.join(',')},test}/**/*.ts`, { cwd: root })) {
    const text = readFileSync(join(root, file), 'utf8');
    if (sources.has(file) && sources.get(file) !== text) {
      running.invalidateFile(join(root, file));
    }
    sources.set(file, text);
  }
}
