import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Change, failingTest, type ScratchTree, withChanges } from '../scratch-trees.ts';
import type { Done, Task } from '../simulate-faults/worker.ts';
import type { Defect } from './defects.ts';

/** What is asked to find a defect. */
export type Finder = 'units' | 'simulation';

/** What has found a defect; `null`: it was asked, and has not. Absent where it was not asked. */
export interface Findings {
  /** The first failing test. */
  readonly units?: string | null;
  /** The invariant that fails, and the first seed with which it does. */
  readonly simulation?: { readonly invariant: string; readonly seed: number } | null;
}

/** A seed that is not done by then has met a loop without an end. */
const LONGEST_SEED_MS = 300_000;

/**
 * The texts of the files with a defect in them.
 *
 * @throws Error where the text that a defect replaces is not there exactly once: the code has moved on, and the defect has to.
 */
export function changesOf(root: string, { id, places }: Defect): readonly Change[] {
  const texts = new Map<string, string>();
  for (const { file, find, replace } of places) {
    const parts = (texts.get(file) ?? readFileSync(join(root, file), 'utf8')).split(find);
    if (parts.length !== 2) {
      throw new Error(`defect ${id}: its text is ${parts.length - 1} times in ${file}, not once: ${find}`);
    }
    texts.set(file, parts.join(replace));
  }
  return [...texts].map(([file, to]) => ({ file, to }));
}

/** Plants a defect in a scratch tree, and has it looked for. */
export async function look(
  tree: ScratchTree,
  defect: Defect,
  by: ReadonlySet<Finder>,
  seeds: number,
): Promise<Findings> {
  const { tests, simulation } = defect;
  return await withChanges(tree, changesOf(tree.folder, defect), async () => ({
    ...(by.has('units') && { units: await failingTest(tree, tests) }),
    ...(by.has('simulation') && simulation !== undefined && { simulation: await failingSeed(tree, simulation, seeds) }),
  }));
}

/** Runs the fault simulation, from seed 1 on, until it fails. */
async function failingSeed(
  { folder }: ScratchTree,
  { provider, draw }: NonNullable<Defect['simulation']>,
  seeds: number,
): Promise<Exclude<Findings['simulation'], undefined>> {
  const worker = fork(join(folder, 'test/simulate-faults/worker.ts'), { cwd: folder });
  try {
    for (let seed = 1; seed <= seeds; seed += 1) {
      const task: Task = { kind: 'run', seed, provider, draw };
      const failure = await new Promise<string | null>((resolve) => {
        const timer = setTimeout(() => resolve('no end'), LONGEST_SEED_MS);
        worker.once('exit', () => resolve('the process has ended'));
        worker.once('message', ({ failure: found }: Done) => {
          clearTimeout(timer);
          resolve(found);
        });
        worker.send(task);
      });
      if (failure !== null) {
        return { invariant: failure, seed };
      }
      worker.removeAllListeners('exit');
    }
    return null;
  } finally {
    worker.kill('SIGKILL');
  }
}
