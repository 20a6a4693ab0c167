import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { simulateDocuments } from '../../../../cli/simulate/run.ts';
import { captured } from '../../captured.ts';

const EXAMPLE = new URL('../../../../examples/cluster-api.yaml', import.meta.url);
const example = await readFile(EXAMPLE, 'utf8');

interface Decision {
  readonly scaleUp: {
    readonly result: string;
    readonly increases: readonly { readonly group: string; readonly to: number }[];
  };
  readonly scaleDown: { readonly unremovable: readonly { readonly node: string; readonly reason: string }[] };
}

async function decided(scenario: string): Promise<Decision> {
  const { code, stdout } = await captured(
    (streams) => simulateDocuments(['-'], { fit: false, defaults: 'outrigger', output: 'json' }, streams),
    scenario,
  );
  expect(code).toBe(0);
  return (JSON.parse(stdout) as readonly Decision[])[0]!;
}

const sizes = ({ scaleUp: { increases } }: Decision): readonly string[] =>
  increases.map(({ group, to }) => `${group} ${to}`);

describe('a scenario of Cluster API', () => {
  it('has MachineDeployments grow alike that differ in labels of places alone', async () => {
    expect(sizes(await decided(example))).toEqual([
      'MachineDeployment/default/web-a 1',
      'MachineDeployment/default/web-b 1',
    ]);
  });

  it('without its provider is one of AWS, where such a label tells groups apart', async () => {
    const ofAws = example.replace(/^provider: clusterapi$/m, '');
    expect(ofAws).not.toBe(example);
    expect(sizes(await decided(ofAws))).toEqual([expect.stringMatching(/^MachineDeployment\/default\/web-[ab] 2$/)]);
  });

  it('may have groups of AWS beside it, which are not like those of Cluster API', async () => {
    const mixed = example.replace(
      '- name: MachineDeployment/default/web-b\n',
      '- name: web-b\n  provider: aws\n  price: 0.1\n',
    );
    expect(mixed).not.toBe(example);
    expect(sizes(await decided(mixed.replace('options:', 'options:\n  expander: price')))).toEqual(['web-b 2']);
  });

  it('keeps nodes of a MachineDeployment that is rolled out, and those of one that is paused', async () => {
    const batch = (told: string) => example.replace('cloudActions: [Updating]', told);
    const stays = async (scenario: string): Promise<readonly string[]> =>
      (await decided(scenario)).scaleDown.unremovable.map(({ node, reason }) => `${node} ${reason}`);
    const node = 'batch-6vx2k-qd7fl';
    expect(await stays(example)).toEqual([`${node} NodeGroupUpdating`]);
    expect(await stays(batch('paused: MachineDeployment default/batch is paused'))).toEqual([
      `${node} NodeGroupUpdating`,
    ]);
    expect(await stays(batch('cloudActions: []'))).not.toContain(`${node} NodeGroupUpdating`);
  });
});
