import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { audit, type Dependencies, type InstalledPackage } from './dependencies/audit.ts';

// `npm run dependencies`: checks the licenses, the install scripts and the hashes of all dependencies, without the network. Ends with
// 1 when something is wrong.
const ROOT = path.join(import.meta.dirname, '..');
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(ROOT, file), 'utf8'));

const { packages: locked } = read('package-lock.json') as { readonly packages: Dependencies['locked'] };
const { allowScripts } = read('package.json') as Pick<Dependencies, 'allowScripts'>;
const installed = (folder: string): InstalledPackage | null =>
  existsSync(path.join(ROOT, folder, 'package.json'))
    ? (read(path.join(folder, 'package.json')) as InstalledPackage)
    : null;

const problems = audit({ locked, allowScripts, installed });
process.stdout.write(
  problems.length === 0
    ? `${Object.keys(locked).length} packages: licenses, install scripts and hashes are as they should be\n`
    : `${problems.join('\n')}\n`,
);
process.exitCode = problems.length === 0 ? 0 : 1;
