import { type ChildProcess, fork, spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { linkModules } from './linked-modules.ts';

/** Milliseconds after which a command is taken to run, or to wait, for ever. On a busy machine one takes minutes. */
const LONGEST_MS = 600_000;
/** A failing test and its file; `null` if no particular file has failed. */
export interface Failure {
  readonly test: string;
  readonly file: string | null;
}

const RUNNER = join(import.meta.dirname, 'scratch-runner.ts');

/** The text of one file of a tree, and the text that is to be there instead. */
export interface Change {
  readonly file: string;
  readonly to: string;
}

/** A copy of the tree in which code is broken on purpose. */
export interface ScratchTree {
  readonly folder: string;
  /** The process that runs its tests; `null`: none yet, or none any more. */
  runner: ChildProcess | null;
  /** Files of tests that pass in the tree as it is. */
  readonly passing: Set<string>;
}

export interface Output {
  readonly code: number | null;
  readonly text: string;
}

/**
 * Shares items out among copies of a tree, one for each core, and removes the copies in the end.
 *
 * @param root the tree to copy: the files that git knows, or would take in, as they are now; `node_modules` is linked.
 */
export async function inScratchTrees<Item>(
  root: string,
  items: readonly Item[],
  work: (item: Item, tree: ScratchTree) => Promise<void>,
  trees = availableParallelism(),
): Promise<void> {
  const queue = items.values();
  const files = await filesOf(root);
  await Promise.all(
    Array.from({ length: Math.min(trees, items.length) }, async () => {
      const tree = await copyOf(root, files);
      try {
        for (const item of queue) {
          await work(item, tree);
        }
      } finally {
        endGroup(tree.runner);
        await rm(tree.folder, { recursive: true, force: true });
      }
    }),
  );
}

async function filesOf(root: string): Promise<readonly string[]> {
  const { code, text } = await runIn(root, ['git', 'ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  if (code !== 0) {
    throw new Error(`the files of ${root} cannot be listed: ${text}`);
  }
  return text.split('\0').filter((file) => file !== '');
}

async function copyOf(root: string, files: readonly string[]): Promise<ScratchTree> {
  const folder = await mkdtemp(join(tmpdir(), 'outrigger-broken-'));
  for (const file of files) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    // A file that was deleted, and is in git's index yet, is no part of the tree.
    await cp(join(root, file), join(folder, file)).catch(() => {});
  }
  linkModules(root, folder);
  return { folder, runner: null, passing: new Set() };
}

/** Does something while files of a tree have other texts. */
export async function withChanges<T>(
  { folder }: ScratchTree,
  changes: readonly Change[],
  work: () => Promise<T>,
): Promise<T> {
  const before = await Promise.all(changes.map(({ file }) => readFile(join(folder, file), 'utf8')));
  try {
    await Promise.all(changes.map(({ file, to }) => writeFile(join(folder, file), to)));
    return await work();
  } finally {
    await Promise.all(changes.map(({ file }, i) => writeFile(join(folder, file), before[i]!)));
  }
}

/**
 * The name of the first test, among some folders or files of tests, that changes make fail; `null` where all pass.
 *
 * @throws Error where that test fails without the changes, too: it would find everything.
 */
export async function testThatFails(
  tree: ScratchTree,
  changes: readonly Change[],
  tests: readonly string[],
): Promise<string | null> {
  const failure = await withChanges(tree, changes, async () => await firstFailure(tree, tests));
  if (failure === null || failure.file === null || tree.passing.has(failure.file)) {
    return failure?.test ?? null;
  }
  const before = await firstFailure(tree, [failure.file]);
  if (before !== null) {
    throw new Error(`without any change this fails: ${failure.file}: ${before.test}`);
  }
  tree.passing.add(failure.file);
  return failure.test;
}

async function firstFailure(tree: ScratchTree, tests: readonly string[]): Promise<Failure | null> {
  const runner = (tree.runner ??= fork(RUNNER, { cwd: tree.folder, detached: true, stdio: 'ignore' }));
  const end = (): void => {
    tree.runner = null;
    endGroup(runner);
  };
  const timer = setTimeout(end, LONGEST_MS);
  try {
    return await new Promise<Failure | null>((resolve) => {
      runner.once('message', (failure: Failure | null) => resolve(failure));
      runner.once('exit', () => {
        end();
        resolve({ test: 'none: the tests end their process, or do not end', file: null });
      });
      runner.send(tests);
    });
  } finally {
    clearTimeout(timer);
    runner.removeAllListeners('exit').removeAllListeners('message');
  }
}

/** Runs a command in a folder, with limits on its time. What it has started ends with it. */
export async function runIn(folder: string, [command, ...args]: readonly string[]): Promise<Output> {
  const child = spawn(command!, args, { cwd: folder, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  const timer = setTimeout(() => endGroup(child), LONGEST_MS);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  try {
    return await new Promise<Output>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code, text: Buffer.concat(chunks).toString('utf8') }));
    });
  } finally {
    clearTimeout(timer);
    endGroup(child);
  }
}

function endGroup(child: ChildProcess | null): void {
  try {
    if (child?.pid !== undefined) {
      process.kill(-child.pid, 'SIGKILL');
    }
  } catch {
    // All of them have ended.
  }
}
