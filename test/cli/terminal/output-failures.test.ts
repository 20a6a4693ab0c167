import { spawnSync } from 'node:child_process';
import { openSync } from 'node:fs';
import { expect, it } from 'vitest';

const main = new URL('../../../cli/main.ts', import.meta.url).pathname;
const example = new URL('../../../examples/three-zones.yaml', import.meta.url).pathname;

// Each of them writes in a way of its own.
it.each([['simulate', example], ['demo'], ['token']])(
  'outrigger %s says in one sentence that the disk is full, and ends with 1',
  (...args) => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [main, ...args], {
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: 'error: the output cannot be written: no space left on the device\n',
    });
  },
);

it.each([['demo'], ['schema', 'scenario']])(
  'outrigger %s ends without a word when its reader stops reading',
  (...args) => {
    const { stdout, stderr } = spawnSync('bash', ['-c', `"$0" "$@" | head -c 1`, process.execPath, main, ...args], {
      encoding: 'utf8',
    });
    expect({ read: stdout.length, stderr }).toEqual({ read: 1, stderr: '' });
  },
);
