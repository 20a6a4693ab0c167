import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { type Change, type ScratchTree, testThatFails, withChanges } from '../scratch-trees.ts';
import type { HostileTask } from '../hostile/worker.ts';
import type { Done, Task } from '../simulate-faults/worker.ts';
import type { Defect } from './defect.ts';

/** Checks that are asked to find a defect. */
export type Finder = 'units' | 'simulation' | 'hostile';

/** The invariant that fails, and the seed with which it does first; `null`: none does up to that seed. */
export interface Simulated {
  readonly invariant: string | null;
  readonly seed: number;
}

/** Checks that have found a defect. A check that was not asked is absent. */
export interface Findings {
  /** The first failing test; `null`: none. */
  readonly units?: string | null;
  readonly simulation?: Simulated;
}

type Simulation = NonNullable<Defect['simulation']>;

/** By this number of cases with hostile objects a defect has to be found. */
const HOSTILE_CASES = 2_000;

/** A seed that is not done by then has met a loop without an end. */
const LONGEST_SEED_MS = { hostile: 60_000, faults: 300_000 } as const;

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
  const changes = changesOf(tree.folder, defect);
  const units = by.has('units') ? await testThatFails(tree, changes, tests) : undefined;
  const isAsked = simulation !== undefined && by.has(simulation === 'hostile' ? 'hostile' : 'simulation');
  const most = simulation === 'hostile' ? HOSTILE_CASES : seeds;
  const found = isAsked ? await simulated(tree, changes, simulation, most) : undefined;
  return { ...(units !== undefined && { units }), ...(found !== undefined && { simulation: found }) };
}

/** The first seed with which the simulation fails, and does not without the changes. */
async function simulated(
  tree: ScratchTree,
  changes: readonly Change[],
  simulation: Simulation,
  seeds: number,
): Promise<Simulated> {
  const isFailing = async (seed: number): Promise<boolean> =>
    (await failingSeed(tree, simulation, seed, seed)).invariant !== null;
  for (let first = 1; first <= seeds;) {
    const found = await withChanges(tree, changes, async () => await failingSeed(tree, simulation, first, seeds));
    if (found.invariant === null || !(await isFailing(found.seed))) {
      return found;
    }
    first = found.seed + 1;
  }
  return { invariant: null, seed: seeds };
}

/** Runs the simulation with one seed after another, until it fails. */
async function failingSeed(
  { folder }: ScratchTree,
  simulation: Simulation,
  first: number,
  last: number,
): Promise<Simulated> {
  const script = simulation === 'hostile' ? 'test/hostile/worker.ts' : 'test/simulate-faults/worker.ts';
  const worker = new Worker(join(folder, script), { execArgv: [] });
  try {
    for (let seed = first; seed <= last; seed += 1) {
      const task: Task | HostileTask =
        simulation === 'hostile' ? { kind: 'run', seed } : { kind: 'run', seed, ...simulation };
      const invariant = await failureOf(worker, task);
      if (invariant !== null) {
        return { invariant, seed };
      }
    }
    return { invariant: null, seed: last };
  } finally {
    await worker.terminate();
  }
}

/** Message of a worker that is done with a seed. */
interface Answer {
  readonly done: Pick<Done, 'failure'>;
}

async function failureOf(worker: Worker, task: Task | HostileTask): Promise<string | null> {
  const over = new AbortController();
  const { signal } = over;
  const longest = 'draw' in task ? LONGEST_SEED_MS.faults : LONGEST_SEED_MS.hostile;
  worker.postMessage(task, []);
  try {
    // `once` rejects where the worker fails.
    return await Promise.race([
      once(worker, 'message', { signal }).then(([message]) => (message as Answer).done.failure),
      once(worker, 'exit', { signal }).then(() => 'the worker has ended'),
      delay(longest, 'no end', { signal }),
    ]);
  } catch (error) {
    return `the worker has failed: ${String(error)}`;
  } finally {
    over.abort();
  }
}
