import { expect, it } from 'vitest';
import { outriggerProgram } from '../../cli/program.ts';
import { wrapHelp } from '../../cli/terminal/wrap-help.ts';
import { outrigger } from './outrigger.ts';

it.each([
  { args: ['simulate'], code: 2, complaint: "missing required argument 'files'" },
  { args: ['simulate', '-o', 'xml', 'a.yaml'], code: 2, complaint: 'Allowed choices are' },
  { args: ['demo', '--seed', '1.5'], code: 2, complaint: 'Expected a whole number' },
  { args: ['migrate'], code: 2, complaint: "missing required argument 'files'" },
  { args: ['schema', 'nothing'], code: 2, complaint: 'Allowed choices are' },
  { args: ['local', '--cluster', 'a', '--region', 'eu-west-1', '--foo'], code: 1, complaint: "unknown option '--foo'" },
  { args: ['local', '--clustr', 'a'], code: 1, complaint: "unknown option '--clustr'\n(Did you mean --cluster?)" },
  { args: ['snapshot', '--clustr=a'], code: 2, complaint: "unknown option '--clustr=a'\n(Did you mean --cluster?)" },
  { args: ['doctor', '--clustr', 'a'], code: 2, complaint: "unknown option '--clustr'\n(Did you mean --cluster?)" },
  { args: ['install', '--clustr', 'a'], code: 2, complaint: "unknown option '--clustr'\n(Did you mean --cluster?)" },
  { args: ['uninstall', '--clustr', 'a'], code: 2, complaint: "unknown option '--clustr'\n(Did you mean --cluster?)" },
  { args: ['uninstall'], code: 2, complaint: "required option '--cluster <name>' not specified" },
  { args: ['snapshot'], code: 2, complaint: "required option '--cluster <name>' not specified" },
  { args: ['simulate', '--fitt', '-'], code: 2, complaint: "unknown option '--fitt'\n(Did you mean --fit?)" },
  {
    args: ['simulate', '--defaults', 'karpenter', '-'],
    code: 2,
    complaint: 'Allowed choices are outrigger, cluster-autoscaler',
  },
  { args: ['simulat'], code: 2, complaint: 'Did you mean simulate?' },
  { args: ['--foo'], code: 2, complaint: "unknown option '--foo'" },
  { args: ['token', '-o', 'xml'], code: 2, complaint: 'Allowed choices are text, json' },
])(
  'outrigger $args says what is wrong and where the options are, and ends with $code',
  async ({ args, code, complaint }) => {
    const { stderr, ...ended } = await outrigger(args);
    expect(ended).toEqual({ code, stdout: '' });
    expect(stderr).toContain(complaint);
    expect(stderr).toMatch(/\(add --help for the options\)\n$/);
  },
);

it('help fits on 80 columns, but for examples', async () => {
  const program = await outriggerProgram('');
  const tooWide = program.commands.flatMap((command) => {
    let help = '';
    command.configureOutput({ writeOut: (text) => void (help += wrapHelp(text, 80)) }).outputHelp();
    return help.split('\n').filter((line) => line.length > 80 && !/^ +(?:\$|outrigger) /.test(line));
  });
  expect(tooWide).toEqual([]);
});

it('help of a subcommand is no mistake', async () => {
  expect(await outrigger(['simulate', '--help'])).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Usage: outrigger simulate'),
  });
});
