import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { region } from '../servers/aws-clients.ts';
import { PATIENCE_MS } from '../servers/server-process.ts';

/** A folder with a configuration, in which commands are called as they are in a terminal. */
export interface CommandLine {
  /** Runs `outrigger …`. */
  readonly run: (...args: readonly string[]) => Promise<Ran>;
  /** Ctrl+C at the first request of this name; AWS and the API server do what it asks for, and the answer is lost. */
  readonly interruptAt: (request: string) => void;
  /** Whether Ctrl+C is pressed at a request: then it has been, once. */
  readonly diesOf: (request: string) => boolean;
  /** Called at each request. */
  observe: (request: string) => void;
}

/** A command that has ended. */
export interface Ran {
  /** Exit code, or the signal that ended it. */
  readonly ended: string;
  /** The report on stdout; empty where it was interrupted. */
  readonly report: Report;
  readonly stderr: string;
}

interface Report {
  /** Outcome of each step. */
  readonly steps: Readonly<Record<string, string>>;
  readonly texts: Readonly<Record<string, string>>;
  readonly notes: readonly string[];
}

const root = path.resolve(import.meta.dirname, '../../..');

/** The CDK's command line of the project: it hands on what it is called with. */
const CDK = `fetch(process.env.CDK_DEPLOYS_AT, { method: 'POST', body: JSON.stringify(process.argv.slice(2)) }).then(
  (answer) => process.exit(answer.ok ? 0 : 1),
  () => process.exit(1),
);
`;

export function openProject(
  settings: { readonly name: string },
  awsEndpoint: string,
  cdkEndpoint: string,
  accessKey: string,
): CommandLine {
  const folder = mkdtempSync(path.join(tmpdir(), 'outrigger-project-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cdk = path.join(folder, 'node_modules/aws-cdk');
  mkdirSync(path.join(cdk, 'bin'), { recursive: true });
  writeFileSync(path.join(cdk, 'package.json'), '{ "name": "aws-cdk", "version": "0.0.0" }');
  writeFileSync(path.join(cdk, 'bin/cdk'), CDK);
  // JSON, which is YAML too.
  writeFileSync(path.join(folder, 'outrigger.config.yaml'), JSON.stringify({ clusters: [{ ...settings, region }] }));
  const environment = {
    ...process.env,
    AWS_ACCESS_KEY_ID: accessKey,
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_REGION: region,
    CDK_DEPLOYS_AT: cdkEndpoint,
  };
  let interruption: string | null = null;
  let interrupt = (): void => {};
  const commandLine: CommandLine = {
    async run(...args) {
      const child = spawn(
        process.execPath,
        [
          path.join(root, 'cli/main.ts'),
          ...args,
          `--cluster=${settings.name}`,
          `--aws-endpoint=${awsEndpoint}`,
          '--output=json',
        ],
        // A group of its own: Ctrl+C reaches what it has started, too.
        { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'], detached: true },
      );
      interrupt = () => process.kill(-child.pid!, 'SIGINT');
      const exit = new Promise<string>((resolve) => {
        child.once('exit', (code, signal) => resolve(String(code ?? signal)));
      });
      const late = setTimeout(() => process.kill(-child.pid!, 'SIGKILL'), PATIENCE_MS);
      const [ended, stdout, stderr] = await Promise.all([exit, text(child.stdout), text(child.stderr)]);
      clearTimeout(late);
      if (ended === 'SIGKILL') throw new Error(`outrigger ${args[0]} did not end by itself:\n${stderr}`);
      return { ended, report: reportIn(stdout), stderr };
    },
    interruptAt(request) {
      interruption = request;
    },
    diesOf(request) {
      commandLine.observe(request);
      if (request !== interruption) return false;
      interruption = null;
      interrupt();
      return true;
    },
    observe: () => {},
  };
  return commandLine;
}

function reportIn(stdout: string): Report {
  if (stdout === '') return { steps: {}, texts: {}, notes: [] };
  const { steps, notes } = JSON.parse(stdout) as {
    readonly steps: readonly { readonly id: string; readonly status: string; readonly text: string }[];
    readonly notes: readonly string[];
  };
  return {
    steps: Object.fromEntries(steps.map(({ id, status }) => [id, status])),
    texts: Object.fromEntries(steps.map(({ id, text: told }) => [id, told])),
    notes,
  };
}
