import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { type ClusterFlags, runForAll } from '../../../cli/live/all-clusters.ts';
import { write } from '../../../cli/terminal/streams.ts';
import { captured } from '../captured.ts';

const CONFIGURATION = `
defaults: {region: eu-west-1}
clusters:
  - name: prod
  - name: broken
  - name: staging
    region: us-east-1
`;

const folder = mkdtempSync(path.join(tmpdir(), 'outrigger-all-'));
const config = path.join(folder, 'outrigger.config.yaml');
writeFileSync(config, CONFIGURATION);
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a command that prints the region of its cluster, and fails for one of them. */
const runCommand = (given: Partial<ClusterFlags> = {}) =>
  captured((streams) =>
    runForAll(
      { cluster: '', config, output: 'json', ...given },
      async ({ cluster, region, output }, { stdout }) => {
        if (cluster === 'broken') {
          throw new Error('no credentials');
        }
        await write(stdout, output === 'json' ? JSON.stringify({ region }) : `in ${region}\n`);
        return 0;
      },
      streams,
    ),
  );

it('a cluster that fails does not stop the others, and the exit code and the JSON document say so', async () => {
  const { code, stdout, stderr } = await runCommand();
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    clusters: [
      { cluster: 'prod', region: 'eu-west-1', exitCode: 0, result: { region: 'eu-west-1' } },
      { cluster: 'broken', region: 'eu-west-1', exitCode: 1, result: null },
      { cluster: 'staging', region: 'us-east-1', exitCode: 0, result: { region: 'us-east-1' } },
    ],
  });
  expect(stderr).toMatch(/error: no credentials[^]*error: 1 of 3 clusters failed: broken\n$/);
});

it('has the text of each cluster below its name, with --region of the clusters there', async () => {
  const { code, stdout, stderr } = await runCommand({ output: 'text', region: 'us-east-1' });
  expect([code, stdout, stderr]).toEqual([0, 'in us-east-1\n', 'Cluster staging\n']);
});

it('does nothing without clusters', async () => {
  expect(await runCommand({ region: 'eu-north-1' })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(/expected clusters in eu-north-1, found none\n$/),
  });
  expect(await runCommand({ config: 'missing.yaml' })).toMatchObject({ code: 2, stdout: '' });
});
