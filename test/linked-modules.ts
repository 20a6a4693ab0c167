import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

/** The scope of the tree's own packages. */
const OWN = '@outrigger';

/**
 * Gives a copy of a tree its `node_modules`: links to those of the tree, and to the copy's own packages.
 *
 * @param root the tree, installed
 */
export function linkModules(root: string, copy: string): void {
  const from = join(root, 'node_modules');
  const to = join(copy, 'node_modules');
  mkdirSync(join(to, OWN), { recursive: true });
  for (const name of readdirSync(from).filter((entry) => entry !== OWN)) {
    symlinkSync(join(from, name), join(to, name));
  }
  for (const name of readdirSync(join(from, OWN))) {
    symlinkSync(join('../..', name), join(to, OWN, name));
  }
}
