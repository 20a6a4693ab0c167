import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { linkModules } from './linked-modules.ts';

const CONFIGURATION =
  "export default { test: { projects: [{ test: { name: 'unit', include: ['test/**/*.test.ts'], pool: 'threads' } }] } };\n";
const COMPILER = {
  compilerOptions: { strict: true, noEmit: true, types: [], allowImportingTsExtensions: true },
  include: ['core'],
};

/** A tree of a few files that is worked in as the product's tree is. */
export interface SmallTree {
  readonly root: string;
  readonly remove: () => void;
}

export function smallTree(files: Readonly<Record<string, string>>): SmallTree {
  const root = mkdtempSync(join(tmpdir(), 'outrigger-small-'));
  const all = {
    ...files,
    'package.json': '{ "type": "module" }\n',
    '.gitignore': 'node_modules\n',
    'vitest.config.ts': CONFIGURATION,
    'tsconfig.json': JSON.stringify(COMPILER),
  };
  for (const [file, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  linkModules(join(import.meta.dirname, '..'), root);
  spawnSync('git', ['init', '--quiet', root]);
  return { root, remove: () => rmSync(root, { recursive: true, force: true }) };
}
