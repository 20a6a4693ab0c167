import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { localCommand } from '../../../cli/commands/local.ts';
import { kubeconfigFor } from '../kubeconfig.ts';

const given = ['--cluster', 'web', '--region', 'eu-central-1'];

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'outrigger-local-'));
  await writeFile(path.join(folder, 'wrong.yaml'), 'scaleDownUnneededTme: 5m\nmaxNodesTotal: many\n');
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

const run = async (args: readonly string[]): Promise<unknown> =>
  await localCommand()
    .exitOverride()
    .configureOutput({ writeErr: () => {} })
    .parseAsync(['node', 'local', ...args]);

describe('the command line', () => {
  it.each([
    { args: ['--region', 'eu-central-1'], complaint: '--cluster' },
    { args: ['--cluster', 'a/b'], complaint: 'Expected a cluster name' },
    { args: [...given, '--listen', '9443'], complaint: 'Expected HOST:PORT' },
    { args: [...given, '--listen', 'localhost:70000'], complaint: 'Expected HOST:PORT' },
    { args: [...given, '--schedule', '60'], complaint: 'Expected a duration' },
    { args: [...given, '--schedule', '10ms'], complaint: 'Expected a duration' },
    { args: [...given, '--timeout', '1s'], complaint: 'Expected a duration between 5s and 15m' },
    { args: [...given, '--aws-endpoint', 'localhost:5000'], complaint: 'Expected a URL' },
    { args: [...given, '--log', 'xml'], complaint: 'Allowed choices are text, json' },
    { args: [...given, '--address', '8085'], complaint: 'Expected HOST:PORT' },
    { args: [...given, '--max-inactivity', '1s'], complaint: 'Expected a duration between 10s and 24h' },
    { args: [...given, '--dry-run', '--once', '--ui'], complaint: '--once evaluates and ends' },
    { args: [...given, '--install-webhook'], complaint: '--install-webhook needs --listen' },
    { args: ['--cluster', 'enabled', '--region', 'eu-central-1'], complaint: 'on the node groups of every cluster' },
    { args: [...given, '--scheduler-user', "x', 'y"], complaint: 'Expected a user, such as' },
    { args: [...given, '--kubeconfig', '/nowhere'], complaint: '/nowhere' },
    { args: [...given, '--options', '/nowhere'], complaint: 'The options file /nowhere: no such file' },
  ])('with $args is refused: $complaint', async ({ args, complaint }) => {
    await expect(run(args)).rejects.toThrow(complaint);
  });

  it('gives up after two attempts where a dry run finds no API server', async () => {
    const file = path.join(folder, 'away.yaml');
    await writeFile(file, kubeconfigFor('https://127.0.0.1:9'));
    await expect(run([...given, '--kubeconfig', file, '--dry-run', '--once'])).rejects.toThrow('(2 attempts)');
  });

  it('names every option that is wrong in the file', async () => {
    const running = run([...given, '--options', path.join(folder, 'wrong.yaml')]);
    await expect(running).rejects.toThrow(/scaleDownUnneededTme.*maxNodesTotal/s);
  });
});
