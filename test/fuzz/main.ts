/**
 * `npm run fuzz -- [--seed S] [--cases N]`: what reads text and bytes of others – API servers, tags, annotations, ConfigMaps, files –
 * is given damaged and random ones, new ones with each seed. A failure prints its input and how to run that case again.
 */
import { spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { toolCommand, positive, wholeNumber } from '../tool-command.ts';

/** Tests by properties of whatever reads what others have written. */
const FILES = [
  'test/fuzz',
  'test/providers/manifest/invalid.test.ts',
  'test/providers/manifest/objects.test.ts',
  'test/providers/kubernetes/protobuf',
  'test/providers/schema/notice.test.ts',
  'test/core/model/values',
];

interface Flags {
  readonly seed?: number;
  readonly cases: number;
  readonly path?: string;
  readonly name?: string;
}

await toolCommand('fuzz', 'Give damaged and random input to all that reads what others have written')
  .option('--seed <number>', 'seed of the cases; another one each time otherwise', wholeNumber)
  .option('--cases <number>', 'how many times the cases of the tests', positive, 8)
  .option('--path <path>', 'run again the one case with this path; needs --seed and --name')
  .option('--name <text>', 'run the tests with this text in their names alone')
  .action((flags: Flags) => {
    process.exitCode = fuzz(flags);
  })
  .parseAsync();

function fuzz({ seed = randomInt(1, 2 ** 31 - 1), cases, path, name }: Flags): number {
  process.stdout.write(`seed ${seed}\n`);
  const only = name === undefined ? [] : ['--testNamePattern', name];
  const { status } = spawnSync('npx', ['vitest', 'run', '--project', 'unit', ...FILES, ...only], {
    env: {
      ...process.env,
      FC_SEED: String(seed),
      CASES: String(cases),
      ...(path === undefined ? {} : { FC_PATH: path }),
    },
    stdio: 'inherit',
  });
  if (status !== 0 && path === undefined) {
    process.stdout.write(
      `\nThe input is after "Counterexample" above, and its path before. To run it again:\n  npm run fuzz -- --seed ${seed} --path 'PATH' --name 'NAME OF THE TEST'\n`,
    );
  }
  return status ?? 1;
}
