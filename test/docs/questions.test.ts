import { describe, expect, test } from 'vitest';
import { commandLine, wrongCommands } from '../../scripts/docs-check/commands.ts';
import { pageOf } from './shown-by.ts';

const ROW = /^\| (.+\?) \| (?:`(npx outrigger [^`|]+)`|\[[^\]]+\]\([\w-]+\.md(?:#[\w-]+)?\)) \|$/;
const rows = pageOf('docs/questions.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Question |'));
const known = { commands: await commandLine(), scripts: new Set<string>() };

describe('docs/questions.md', () => {
  test('answers 27 questions, each by one command or one link', () => {
    expect(rows).toHaveLength(27);
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
  )('has a command that the command line takes: %s', async (command) => {
    expect(await wrongCommands(command, known)).toEqual([]);
  });
});
