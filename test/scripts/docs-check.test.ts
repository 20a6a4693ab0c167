import { describe, expect, it } from 'vitest';
import { type Block, blocksIn } from '../../scripts/docs-check/blocks.ts';
import { checkPage } from '../../scripts/docs-check/check.ts';
import { commandLine, commandsIn } from '../../scripts/docs-check/commands.ts';
import { directoryFor, shows } from '../../scripts/docs-check/shell.ts';
import { typeFaults } from '../../scripts/docs-check/types.ts';

const known = { commands: await commandLine(), scripts: new Set(['demo']) };

/** `kind: text` of each block. */
async function verdictsOn(text: string): Promise<readonly string[]> {
  const blocks = blocksIn('test.md', text);
  const page = { directory: await directoryFor('test.md'), known, types: new Map<Block, readonly string[]>() };
  return (await checkPage(blocks, page)).map(({ kind, text: what }) => `${kind}: ${what}`);
}

const fenced = (info: string, ...lines: readonly string[]): string => ['```' + info, ...lines, '```', ''].join('\n');

describe('the blocks of a page', () => {
  it('have their language, their words and their line', () => {
    const page = ['# Title', '', '* an item', '  ```sh account', '  ls', '  ```'].join('\n');
    expect(blocksIn('a.md', page)).toEqual([{ page: 'a.md', line: 4, language: 'sh', words: ['account'], text: 'ls' }]);
  });
});

describe('the commands of a block', () => {
  it('are found behind assignments, in pipes, over several lines, and without redirections and comments', () => {
    const text =
      "A=1 npx outrigger demo \\\n  --json | jq '.a | .b' > out.json   # all | of it\nkubectl get nodes && ls";
    expect(commandsIn(text)).toEqual([
      ['npx', 'outrigger', 'demo', '--json'],
      ['jq', '.a | .b'],
      ['kubectl', 'get', 'nodes'],
      ['ls'],
    ]);
  });
});

describe('a block is an error', () => {
  it.each([
    ['without a language', fenced('', 'ls'), 'the language "" is not known'],
    ['of text that is neither output nor illustration', fenced('text', 'a'), 'unmarked text'],
    ['of YAML that is nothing known', fenced('yaml', 'a: 1'), 'neither a Scenario'],
    ['with an unknown flag', fenced('sh account', 'npx outrigger demo --sped 3'), "unknown option '--sped'"],
    ['with one of the plugin', fenced('sh account', 'kubectl outrigger demo --sped 3'), "unknown option '--sped'"],
    ['with an unknown subcommand', fenced('sh cluster', 'ls | outrigger deploy'), 'outrigger has no command deploy'],
    ['without a required option', fenced('sh account', 'outrigger doctor -o json'), '--cluster'],
    ['with a value that is no choice', fenced('sh', 'outrigger simulate -o xml a.yaml'), 'Allowed choices are'],
    ['with an unknown script', fenced('sh elsewhere', 'npm run dmo'), 'package.json has no script dmo'],
    ['with a shell’s mistake', fenced('sh account', 'if true'), 'syntax error'],
    ['that fails', fenced('sh', 'false', 'echo later'), 'exit code 1, expected 0'],
    ['that does not fail as it should', fenced('sh exit=3', 'true'), 'exit code 0, expected 3'],
    ['with settings that do not exist', fenced('yaml', 'clusters: [{name: a, mood: act}]'), 'did you mean mode'],
    ['with options that do not exist', fenced('yaml options', 'maxNodeTotal: 3'), 'did you mean maxNodesTotal'],
    ['of a query with an unknown field', fenced('insights', 'fields @timestamp, nodde'), 'the log has no field nodde'],
    ['of a query with unknown words', fenced('insights', 'filter message like "No such words"'), 'no message has'],
    ['of an output that nothing printed', fenced('text output', 'a'), 'without a block of sh'],
  ])('%s', async (_, page, complaint) => {
    const [verdict] = await verdictsOn(page);
    expect(verdict).toMatch(/^failed: /);
    expect(verdict).toContain(complaint);
  });

  it('with another output than its command prints', async () => {
    const verdicts = await verdictsOn(fenced('sh', 'echo a', 'echo b >&2') + fenced('text output', 'a', 'c'));
    expect(verdicts[1]).toBe('failed: not the output of the block before, which is:\na\nb\n');
  });

  it('with types that do not fit', async () => {
    const [good, bad] = blocksIn('t.md', fenced('ts', 'const a: number = 1;') + fenced('ts', 'const a: number = "";'));
    const faults = await typeFaults([good!, bad!]);
    expect(faults.get(good!)).toEqual([]);
    expect(faults.get(bad!)).toEqual([expect.stringContaining('TS2322')]);
  });
});

it('what a block writes is there for the blocks after it', async () => {
  const page = [
    fenced('yaml file=s.yaml invalid', 'a: 1'),
    fenced('sh', 'cat s.yaml > t.yaml; echo b >> t.yaml; cat t.yaml'),
    fenced('text output', '…', 'b'),
  ];
  expect((await verdictsOn(page.join('\n'))).map((verdict) => verdict.split(':')[0])).toEqual([
    'checked',
    'run',
    'checked',
  ]);
});

it('a block that cannot be run says why, and how much of it was checked', async () => {
  const page = fenced('sh account', 'aws sts get-caller-identity', 'npx outrigger doctor --cluster NAME');
  expect(await verdictsOn(page)).toEqual(['not run: needs an AWS account; 1 of Outrigger’s commands checked']);
});

describe('an output', () => {
  it.each([
    ['a\nb', 'a\nb\n', true],
    ['a\n…\nd', 'a\nb\nc\nd\n', true],
    ['…\nd', 'd\n', true],
    ['a', 'a\nb\n', false],
    ['a.b', 'axb\n', false],
  ])('%j is shown for %j: %j', (shown, output, expected) => {
    expect(shows(shown, output)).toBe(expected);
  });
});
