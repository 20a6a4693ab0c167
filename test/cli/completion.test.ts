import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { outrigger } from './outrigger.ts';

const printed = async (...args: readonly string[]): Promise<string> => (await outrigger(args)).stdout;
/** A text as a word of bash. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
/** Suggestions for the last word. */
const suggested = async (...words: readonly string[]): Promise<readonly string[]> =>
  (await printed('complete', '--', ...words))
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith(':'))
    .map((line) => line.split('\t')[0]!);

describe('what a shell completes', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['the names of commands', ['hi'], ['history']],
    ['what a command explains', ['explain', ''], ['pod', 'node', 'group']],
    ['options', ['replay', '12', '--s'], ['--set']],
    ['values of options', ['history', '-o', 'j'], ['json']],
  ])('are %s', async (_, words, expected) => {
    expect(await suggested(...words)).toEqual(expected);
  });

  it('are all commands but the hidden one', async () => {
    const help = await printed('--help');
    const commands = [...help.matchAll(/^ {2}(\w+) [[<]/gm)].map(([, name]) => name!).filter((name) => name !== 'help');
    expect(commands.length).toBeGreaterThan(10);
    expect(commands).toContain('completion');
    expect(help).not.toMatch(/^ {2}complete /m);
    expect(await suggested('')).toEqual(expect.arrayContaining(commands));
  });
});

describe('the script', () => {
  it('has bash complete a command line', async () => {
    const answers = await printed('complete', '--', 'explain', 'n');
    // The package bash-completion, which has the function that takes the line apart, may not be installed.
    const script = `
      outrigger() { [ "$*" = "complete -- explain n" ] && printf '%s' ${quoted(answers)}; }
      _get_comp_words_by_ref() { words=("\${COMP_WORDS[@]}"); cur="\${COMP_WORDS[COMP_CWORD]}"; }
      compopt() { :; }
      ${await printed('completion', 'bash')}
      COMP_WORDS=(outrigger explain n); COMP_CWORD=2
      $(complete -p outrigger | sed 's/.*-F \\([^ ]*\\).*/\\1/')
      printf '%s\\n' "\${COMPREPLY[@]}"`;
    expect((await promisify(execFile)('bash', ['-c', script])).stdout).toBe('node\n');
  });

  it.each([
    ['zsh', '#compdef outrigger'],
    ['fish', 'complete -c outrigger'],
  ])('is there for %s', async (shell, line) => {
    expect(await printed('completion', shell)).toContain(line);
  });

  it('is there for no other shell', async () => {
    expect(await outrigger(['completion', 'tcsh'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Allowed choices are zsh, bash, fish'),
    });
  });
});
