import { readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { snapshot, snapshotCommand } from '../../../cli/commands/snapshot.ts';
import { parseDocuments } from '../../../providers/scenario/documents.ts';
import { readScenario } from '../../../providers/scenario/scenario.ts';
import { liveCluster } from '../live-cluster.ts';

/** Names of the node groups of the scenario in a file. */
async function groupsIn(file: string): Promise<readonly string[]> {
  const [document] = parseDocuments(await readFile(file, 'utf8'));
  const scenario = document?.content.kind === 'value' ? readScenario(document.content.value) : null;
  return scenario?.ok === true ? scenario.value.nodeGroups.map(({ name }) => name) : [];
}

describe('outrigger snapshot', () => {
  it('writes the cluster with its names', async () => {
    const { folder, flags } = await liveCluster();
    const output = path.join(folder, 'cluster.yaml');
    await snapshot({ ...flags, output });
    expect(await groupsIn(output)).toEqual(['workers']);
  });

  it('writes JSON where that is asked for, with the same groups', async () => {
    const { folder, flags } = await liveCluster();
    const output = path.join(folder, 'cluster.json');
    await snapshot({ ...flags, output, format: 'json' });
    expect(JSON.parse(await readFile(output, 'utf8'))).toMatchObject({ kind: 'Scenario' });
    expect(await groupsIn(output)).toEqual(['workers']);
  });

  it('with --redact writes it without them, and with --names what they are, for the user alone', async () => {
    const { folder, flags } = await liveCluster();
    const [output, names] = ['cluster.yaml', 'names.yaml'].map((name) => path.join(folder, name)) as [string, string];
    await snapshot({ ...flags, output, redact: true, names });
    expect(await readFile(output, 'utf8')).not.toMatch(/workers|web/);
    const [group] = await groupsIn(output);
    expect(await readFile(names, 'utf8')).toContain(`${group}: workers\n`);
    expect((await stat(names)).mode & 0o777).toBe(0o600);
  });

  it('needs --redact where --names is given', async () => {
    const run = snapshotCommand()
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .parseAsync(['node', 'snapshot', '--cluster', 'web', '--names', 'names.yaml']);
    await expect(run).rejects.toThrow('--names needs --redact');
  });
});
