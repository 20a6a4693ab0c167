import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { constants } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** A child process that writes its log to a file and does not outlive this process. */
export interface ServerProcess {
  readonly name: string;
  readonly pid: number;
  readonly log: string;
  /** Exit code or signal, once it has ended. */
  readonly ended: Promise<string>;
  hasEnded(): boolean;
  /** Sends the signal and waits for the end; SIGKILL when it takes longer than a minute. */
  stop(signal?: NodeJS.Signals): Promise<void>;
}

interface Command {
  readonly name: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** `false`: it has nothing of this process's environment. */
  readonly inherit?: boolean;
  /** Folder for `NAME.log`. */
  readonly logs: string;
}

const running = new Set<ServerProcess>();
const killAll = (): void => {
  for (const server of running) process.kill(server.pid, 'SIGKILL');
};
process.once('exit', killAll);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    // By default a signal ends a process without its exit listeners; another listener ends it as it likes.
    if (process.listenerCount(signal) === 0) process.exit(128 + constants.signals[signal]);
  });
}

/** Starts a server; its output goes to `LOGS/NAME.log`. */
export function startProcess({
  name,
  command,
  args,
  cwd,
  environment = {},
  inherit = true,
  logs,
}: Command): ServerProcess {
  const log = path.join(logs, `${name}.log`);
  const output = openSync(log, 'a');
  const child = spawn(command, args, {
    cwd,
    env: inherit ? { ...process.env, ...environment } : environment,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  // Without a listener what keeps it from starting would end this process.
  child.once('error', () => undefined);
  const { pid } = child;
  if (pid === undefined) throw new Error(`${name} did not start: ${command} cannot be run`);
  let over = false;
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => {
      over = true;
      running.delete(server);
      resolve(String(code ?? signal));
    });
  });
  const server: ServerProcess = {
    name,
    pid,
    log,
    ended,
    hasEnded: () => over,
    async stop(signal = 'SIGTERM') {
      if (over) return;
      child.kill(signal);
      const timer = setTimeout(() => child.kill('SIGKILL'), 60_000);
      await ended;
      clearTimeout(timer);
    },
  };
  running.add(server);
  return server;
}

/**
 * How long is waited for what comes within seconds: on a host that is many times slower, or busy with other things,
 * too. It costs time only when something is broken. A pod that kube-scheduler has forgotten is tried again by itself after five
 * and a half minutes at most.
 */
export const PATIENCE_MS = 360_000;

/**
 * Polls until the probe says yes.
 *
 * @throws with the end of the server's log when it ends first or takes too long.
 */
export async function ready(
  server: ServerProcess,
  probe: () => Promise<boolean>,
  timeoutMs = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    if (server.hasEnded()) throw new Error(`${server.name} ended with ${await server.ended}:\n${tail(server.log)}`);
    // A server that is not up yet refuses connections: that is the answer "no".
    if (await probe().catch(() => false)) return;
    if (performance.now() > deadline)
      throw new Error(`${server.name} is not ready after ${timeoutMs / 1000} s:\n${tail(server.log)}`);
    await delay(50);
  }
}

/** The last lines of a log file. */
export function tail(file: string, lines = 30): string {
  return readFileSync(file, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}

/**
 * Ports on loopback that are free, for servers that must be told theirs. They lie below those that the system gives to
 * connections and to processes that ask for any port: none of them is given away before the server takes it, nor by this
 * process to another server, of which several start at a time.
 */
export async function freePorts(count: number): Promise<readonly number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = randomInt(LOWEST_PORT, lowestEphemeralPort());
    if (GIVEN.has(port)) continue;
    GIVEN.add(port);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

/** Ports of this process: each project of the tests has a copy of this module. */
const GIVEN = ((globalThis as { outriggerPorts?: Set<number> }).outriggerPorts ??= new Set<number>());

/** Above those that well-known servers have. */
const LOWEST_PORT = 12_000;

/** Linux' default where the system does not tell, or leaves no room below. */
function lowestEphemeralPort(): number {
  const file = '/proc/sys/net/ipv4/ip_local_port_range';
  const told = existsSync(file) ? Number(readFileSync(file, 'utf8').split(/\s/, 1)[0]) : Number.NaN;
  return told > LOWEST_PORT + 1_000 ? told : 32_768;
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
