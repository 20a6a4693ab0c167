import { spawn } from 'node:child_process';
import { cp, mkdir, rm, symlink } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.join(import.meta.dirname, '../..');
/** The directories of the pages. npx finds the program of this clone from here, also where .cache is shared with another clone. */
export const DIRECTORIES = path.join(ROOT, 'node_modules/.cache/docs-check');
/** Milliseconds that a block may take. */
const PATIENCE = 120_000;

/** Copied, as blocks write over them; folders are linked. */
const FILES = ['cdk.json', 'outrigger.config.yaml'];
const FOLDERS = ['examples', 'cdk', 'docs'];

/** An empty directory for the files of a page, with what the commands of a clone find in theirs. */
export async function directoryFor(page: string): Promise<string> {
  const directory = path.join(DIRECTORIES, page.replaceAll('/', '-'));
  await rm(directory, { recursive: true, force: true });
  await mkdir(directory, { recursive: true });
  await Promise.all([
    ...FILES.map((file) => cp(path.join(ROOT, file), path.join(directory, file))),
    ...FOLDERS.map((folder) => symlink(path.join(ROOT, folder), path.join(directory, folder))),
  ]);
  return directory;
}

export interface Ran {
  /** `null`: ended by a signal, for instance as it took too long. */
  readonly code: number | null;
  /** Both streams, in the order of writing. */
  readonly output: string;
}

/** Runs a script in bash, as one would paste it: the first command that fails ends it. */
export async function runShell(script: string, directory: string, args: readonly string[] = []): Promise<Ran> {
  const shell = spawn('bash', [...args, '-euo', 'pipefail', '-c', `exec 2>&1\n${script}`], {
    cwd: directory,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: PATIENCE,
    env: {
      ...process.env,
      NO_COLOR: '1',
      CDK_DISABLE_CLI_TELEMETRY: 'true',
      npm_config_loglevel: 'error',
      PATH: `${path.join(ROOT, 'node_modules/.bin')}:${process.env['PATH']}`,
    },
  });
  const chunks: Buffer[] = [];
  // The script writes to the first alone; what bash says of its syntax comes on the second.
  for (const stream of [shell.stdout, shell.stderr]) {
    stream.on('data', (chunk: Buffer) => void chunks.push(chunk));
  }
  const code = await new Promise<number | null>((resolve, reject) => {
    shell.on('error', reject).on('close', resolve);
  });
  return { code, output: Buffer.concat(chunks).toString() };
}

/** Whether a page shows the output of a command: a line `…` stands for any lines. */
export function shows(shown: string, output: string): boolean {
  const escaped = shown
    .trimEnd()
    .split('\n')
    .map((line) => (line.trim() === '…' ? null : RegExp.escape(line.trimEnd())));
  const pattern = escaped.map((line) => (line === null ? '(?:.*\\n)*?' : `${line}[ \\t]*\\n`)).join('');
  return new RegExp(`^${pattern}$`).test(`${output.trimEnd()}\n`);
}
