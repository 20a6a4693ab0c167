import { inspect } from 'node:util';
import { vi } from 'vitest';
import { outriggerProgram } from '../../cli/program.ts';

/** How the program ended. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Thrown where the program ends its process. */
class Exit extends Error {
  readonly code: number;
  constructor(code: number) {
    super(`process.exit(${code})`);
    this.code = code;
  }
}

/** A stream's `write` that keeps the text. */
const into =
  (texts: string[]) =>
  (text: Uint8Array | string, ...rest: readonly unknown[]): boolean => {
    texts.push(typeof text === 'string' ? text : Buffer.from(text).toString());
    const written = rest.at(-1);
    if (typeof written === 'function') {
      written();
    }
    return true;
  };

const exitCode = (): number => Number(process.exitCode ?? 0);

/**
 * Runs the command line in this process: what `cli/main.ts` runs, with its own output, exit code, folder and environment.
 * A process of its own, which `cli/main.ts` sets up, takes most of a second.
 */
export async function outrigger(
  args: readonly string[],
  place: { readonly folder?: string; readonly environment?: NodeJS.ProcessEnv } = {},
): Promise<Ended> {
  const [stdout, stderr]: [string[], string[]] = [[], []];
  const before = { environment: { ...process.env }, folder: process.cwd(), exitCode: process.exitCode };
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation(into(stdout)),
    vi.spyOn(process.stderr, 'write').mockImplementation(into(stderr)),
    vi.spyOn(console, 'log').mockImplementation((line: unknown) => void stdout.push(`${String(line)}\n`)),
    vi.spyOn(process, 'exit').mockImplementation((code) => {
      throw new Exit(Number(code ?? exitCode()));
    }),
  ];
  setEnvironment(place.environment ?? before.environment);
  process.chdir(place.folder ?? before.folder);
  process.exitCode = undefined;
  try {
    const program = await outriggerProgram(args[0] ?? '');
    await program.parseAsync(args, { from: 'user' });
    return { code: exitCode(), stdout: stdout.join(''), stderr: stderr.join('') };
  } catch (error) {
    // Prints the error and ends with 1, as Node does.
    const [code, printed] = error instanceof Exit ? [error.code, ''] : [1, `${inspect(error)}\n`];
    return { code, stdout: stdout.join(''), stderr: stderr.join('') + printed };
  } finally {
    process.exitCode = before.exitCode;
    process.chdir(before.folder);
    setEnvironment(before.environment);
    spies.forEach((spy) => spy.mockRestore());
  }
}

function setEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) {
    delete process.env[name];
  }
  Object.assign(
    process.env,
    Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== undefined)),
  );
}
