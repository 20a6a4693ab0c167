import { readFileSync } from 'node:fs';
import path from 'node:path';
import { region, testCredentials } from './aws-clients.ts';
import { ready, startProcess, type ServerProcess } from './server-process.ts';

/** `outrigger local`, running. */
export interface Outrigger {
  readonly pid: number;
  /** Resolves with the exit code (or the signal that ended the process) once the process has stopped. */
  stop(signal?: NodeJS.Signals): Promise<string>;
  /** Log lines so far that are JSON objects. */
  logged(): readonly LogLine[];
  /** Waits for a log line; fails when the process ends first. */
  untilLogged(what: string, holds: (line: LogLine) => boolean): Promise<void>;
  /** Has its clock leap to the time that it is to leap to. */
  leap(): void;
}

/** Times that a process's clock shows in place of the real time. */
export interface OtherTime {
  /** When it starts. */
  readonly startsAt: string;
  /** When it is told to leap. */
  readonly leapsTo: string;
}

export type LogLine = Readonly<Record<string, unknown>>;

const root = path.resolve(import.meta.dirname, '../../..');

interface OutriggerSettings {
  /** Name of its log file. */
  readonly name: string;
  readonly cluster: string;
  readonly kubeconfig: string;
  readonly awsEndpoint: string;
  readonly logs: string;
  /** Further arguments of the command line. */
  readonly args: readonly string[];
  readonly otherTime?: OtherTime;
}

/** Starts `outrigger local` as its own process, from the sources of this checkout, or from the program that a variable names. */
export function startOutrigger(settings: OutriggerSettings): Outrigger {
  const { name, cluster, kubeconfig, awsEndpoint, logs, args, otherTime } = settings;
  // Without, it gets neither a region nor credentials, and whatever it asked of AWS would still come here.
  const usesAws = !args.includes('--no-auto-scaling-groups');
  const server: ServerProcess = startProcess({
    name,
    command: process.execPath,
    args: [
      ...(otherTime === undefined ? [] : ['--import', path.join(import.meta.dirname, 'shifted-clock.mjs')]),
      path.join(root, process.env['OUTRIGGER_E2E_PROGRAM'] ?? 'cli/main.ts'),
      'local',
      `--cluster=${cluster}`,
      `--kubeconfig=${kubeconfig}`,
      ...(usesAws ? [`--region=${region}`, `--aws-endpoint=${awsEndpoint}`] : []),
      ...args,
    ],
    environment: {
      ...(usesAws
        ? { AWS_ACCESS_KEY_ID: testCredentials.accessKeyId, AWS_SECRET_ACCESS_KEY: testCredentials.secretAccessKey }
        : { AWS_ENDPOINT_URL: awsEndpoint }),
      ...(otherTime !== undefined && {
        OUTRIGGER_E2E_STARTS_AT: otherTime.startsAt,
        OUTRIGGER_E2E_LEAPS_TO: otherTime.leapsTo,
      }),
    },
    cwd: root,
    logs,
  });
  const logged = (): LogLine[] => readFileSync(server.log, 'utf8').split('\n').flatMap(parse);
  return {
    pid: server.pid,
    async stop(signal) {
      await server.stop(signal);
      return server.ended;
    },
    logged,
    untilLogged: (what, holds) =>
      ready(server, () => Promise.resolve(logged().some(holds))).catch((error: unknown) => {
        throw new Error(`Waiting for ${what} in the log of ${name}`, { cause: error });
      }),
    leap: () => {
      process.kill(server.pid, 'SIGUSR2');
    },
  };
}

function parse(line: string): LogLine[] {
  if (!line.startsWith('{')) return [];
  try {
    return [JSON.parse(line) as LogLine];
  } catch {
    // The last line may be half written.
    return [];
  }
}
