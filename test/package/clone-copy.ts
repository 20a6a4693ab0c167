import { execFile } from 'node:child_process';
import { cp, mkdir } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { linkModules } from '../linked-modules.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Copies the files that git has of the clone, so that a build cannot disturb it. */
export async function copyOfClone(to: string): Promise<void> {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, maxBuffer: 2 ** 26 },
  );
  await mkdir(to, { recursive: true });
  const entries = new Set(stdout.split('\0').flatMap((file) => (file === '' ? [] : file.split('/')[0]!)));
  for (const entry of entries) {
    await cp(path.join(root, entry), path.join(to, entry), { recursive: true });
  }
  linkModules(root, to);
}
