import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Look, Saved } from './look.ts';

/** A process that reads a cluster (`look.ts`). */
export interface Looking {
  /** Resolves when its code is loaded, which is no part of the first read. */
  readonly started: () => Promise<void>;
  readonly look: () => Promise<Look>;
  /** Stores snapshots of what it keeps. */
  readonly save: () => Promise<Saved>;
  readonly end: () => Promise<void>;
}

/**
 * @param snapshots where they are: a folder, or the address of a bucket; absent: nowhere
 * @param keptFrom number of pods from which a list is kept; absent: the default one
 */
export function startLooking(
  kubeconfig: string,
  mode: 'full' | 'kept',
  snapshots = '',
  keptFrom: number | null = null,
): Looking {
  const args = [kubeconfig, mode, snapshots, ...(keptFrom === null ? [] : [String(keptFrom)])];
  const child = spawn(process.execPath, [join(import.meta.dirname, 'look.ts'), ...args], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const tell = async <T>(what: string): Promise<T> => {
    child.stdin.write(`${what}\n`);
    const [line] = (await once(lines, 'line')) as [string];
    return JSON.parse(line) as T;
  };
  return {
    started: () => tell('start'),
    look: () => tell('look'),
    save: () => tell('save'),
    async end() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}
