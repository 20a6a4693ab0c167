import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';

/** Below what the tools take as a seed, with all seeds that follow it. */
const LAST_SEED = 2 ** 31 - 1_000_000;
/** Digits of a hash that a number holds exactly. */
const HEX_DIGITS = 13;

/**
 * The seed of a run's sample. The same content is checked in the same way wherever and however often it is checked, and each change
 * draws another sample. @param folder in a git work tree; `null`, or a folder that is in none: drawn at random
 */
export function seedOf(folder: string | null): number {
  const tree = folder === null ? '' : treeIn(folder);
  return tree === '' ? randomInt(1, LAST_SEED) : 1 + (Number.parseInt(tree.slice(0, HEX_DIGITS), 16) % (LAST_SEED - 1));
}

function treeIn(folder: string): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: folder, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : '';
}
