import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandLine, wrongCommands } from '../../scripts/docs-check/commands.ts';
import { pageOf } from './shown-by.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const ROW = /^\| (.+\?) \| (?:`(npx outrigger [^`|]+)`|\[[^\]]+\]\([\w-]+\.md(?:#[\w-]+)?\)) \|$/;
const rows = pageOf('docs/questions.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Question |'));
const known = { commands: await commandLine(), scripts: new Set<string>() };

/** The test that runs each command. */
const RUN_BY: Readonly<Record<string, string>> = {
  pause: 'test/e2e/pause.e2e.ts',
  resume: 'test/e2e/pause.e2e.ts',
  status: 'test/e2e/story-of-a-removal.e2e.ts',
  explain: 'test/e2e/one-story.e2e.ts',
  history: 'test/e2e/history.e2e.ts',
  replay: 'test/e2e/history.e2e.ts',
  compare: 'test/e2e/compare.e2e.ts',
  backtest: 'test/cli/backtest/run.test.ts',
  'node-cost': 'test/cli/cost/node-cost.test.ts',
  advise: 'test/cli/commands/advise.test.ts',
  local: 'test/e2e/questions.e2e.ts',
  snapshot: 'test/e2e/questions.e2e.ts',
  doctor: 'test/cli/commands/doctor.test.ts',
};

describe('docs/questions.md', () => {
  test('answers 30 questions, each by one command or one link', () => {
    expect(rows).toHaveLength(30);
    expect(rows.filter((row) => !ROW.test(row))).toEqual([]);
  });

  test.each(
    rows
      .flatMap(
        (row) =>
          ROW.exec(row)
            ?.slice(1, 3)
            .filter((part) => part !== undefined) ?? [],
      )
      .filter((part) => part.startsWith('npx')),
  )('has a command that the command line takes, and that a test runs: %s', async (command) => {
    expect(await wrongCommands(command, known)).toEqual([]);
    const name = command.split(' ')[2]!;
    expect(readFileSync(path.join(ROOT, RUN_BY[name] ?? '?'), 'utf8')).toContain(`'${name}'`);
  });
});
