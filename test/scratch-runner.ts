/**
 * Runs tests of the tree in whose folder this process was started, again and again: each message has the folders or files of
 * tests, the answer the name of the first that fails, or `null`. What was loaded and did not change is kept, which takes a tenth of
 * the time that a process for each run takes.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createVitest, type TestModule, type Vitest } from 'vitest/node';

const root = process.cwd();
const sources = new Map<string, string>();
let vitest: Vitest | null = null;

process.on('message', (tests: readonly string[]) => {
  void failingOf(tests).then((failing) => process.send!(failing));
});

async function failingOf(tests: readonly string[]): Promise<string | null> {
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
    return `no test in ${tests.join(', ')}`;
  }
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications, false);
  const [failed] = testModules.flatMap((file) => [...file.children.allTests('failed')]);
  const [broken] = testModules.filter((file) => file.state() === 'failed');
  return failed?.fullName ?? nameOf(broken) ?? (unhandledErrors.length > 0 ? 'an error that no test catches' : null);
}

const nameOf = (file: TestModule | undefined): string | null =>
  file === undefined ? null : `${file.moduleId.slice(root.length + 1)}: ${file.errors()[0]?.message ?? 'as a whole'}`;

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
