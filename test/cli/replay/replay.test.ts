import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { replay, type ReplayFlags } from '../../../cli/replay/run.ts';
import { clusterName } from '../../../core/model/values/names.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { documentSchema } from '../../../providers/schema/documents.ts';
import { NOW } from '../../scenario-builders.ts';
import type { TestWorld } from '../../functions/test-world.ts';
import { storedCluster } from '../explain/stored-cluster.ts';
import { twoEvaluations } from '../history/stored-history.ts';
import { captured } from '../captured.ts';

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => {
  vi.unstubAllEnvs();
});

const run = (given: string, flags: Partial<ReplayFlags> = {}, input = '') =>
  captured(
    (streams) => replay(given, { output: 'text', set: [], ...flags }, streams, () => addTime(NOW, minutes(30))),
    input,
  );

async function ofTable(id: string, flags: Partial<ReplayFlags> = {}, play?: (world: TestWorld) => Promise<void>) {
  const { server, table } = await storedCluster(false, play ?? twoEvaluations);
  return await run(id, { cluster: 'web', table, dynamodbEndpoint: server.endpoint, ...flags });
}

describe('a decision of the history', () => {
  it.each(['1', '2', '4'])('%s is made again as it was, byte for byte', async (id) => {
    const { code, stdout, stderr } = await ofTable(id, { output: 'json' });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const document = JSON.parse(stdout) as { readonly decided: string; readonly wouldBe: string };
    expect(document).toMatchObject({ kind: 'Replay', id, sameBytes: true, set: {}, differences: [] });
    expect(document.wouldBe).toBe(document.decided);
    expect(z.fromJSONSchema(documentSchema('replay')).safeParse(document).error).toBeUndefined();
  });

  it('is printed with its reasons', async () => {
    const { stdout } = await ofTable('2');
    expect(stdout).toContain('Decision  2, of scale-up\nTime      2026-01-01T12:00:00Z\n');
    expect(stdout).toContain('Replayed: the same is decided, byte for byte.');
    expect(stdout).toContain('web-b  0 → 1  +1');
    expect(stdout).toContain('Insufficient cpu');
  });

  it('with another option shows what would have been decided', async () => {
    const { code, stdout, stderr } = await ofTable('2', { set: ['maxNodesTotal=3'] });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Set       maxNodesTotal=3\n');
    expect(stdout).toContain(
      '  node group web-b   decided:  grows from 0 to 1\n                     would be: not mentioned\n',
    );
    expect(stdout).toContain('decided:  triggered scale-up (web-b)');
    expect(stdout.split('\n').every((line) => line.length <= 80)).toBe(true);
  });

  it('with other options that change nothing says so, and why not', async () => {
    const { stdout, stderr } = await ofTable('2', { set: ['max-nodes-total=0'] });
    expect(stdout).toContain('The same would be decided.');
    expect(stderr).toBe('Warning: maxNodesTotal had this value already\n');
  });

  it('of scale-down would have removed a node earlier', async () => {
    const { stdout } = await ofTable('1', { set: ['scaleDownUnneededTime=0s'] });
    expect(stdout).toMatch(/scale-down +decided: {2}no node to remove\n +would be: nodes are removed/);
    expect(stdout).toMatch(/node n1 +decided: .*\n( .*\n)* +would be: removed, as it is empty/);
  });

  it('that is not kept is not found', async () => {
    expect(await ofTable('99')).toEqual({
      code: 1,
      stdout: '',
      stderr: 'error: No decision 99 of cluster web is kept: outrigger history lists those that are\n',
    });
  });

  it('without what it was made from cannot be replayed, and says what it did', async () => {
    const { code, stderr } = await ofTable('2', {}, async (world) => {
      const { history } = world;
      Object.assign(world, {
        history: {
          ...history,
          add: async (...[cluster, committed, signal]: Parameters<typeof history.add>) => {
            const [first] = committed.scenario.objects.pods;
            const huge = {
              ...first!,
              labels: {
                noise: Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)))
                  .toString('base64')
                  .repeat(1),
              },
            };
            const pods = [
              ...committed.scenario.objects.pods,
              ...Array.from({ length: 9 }, () => ({
                ...huge,
                labels: { noise: Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('base64') },
              })),
            ];
            const scenario = { ...committed.scenario, objects: { ...committed.scenario.objects, pods } };
            return await history.add(clusterName(cluster), { ...committed, scenario }, signal);
          },
        },
      });
      await twoEvaluations(world);
    });
    expect(code).toBe(1);
    expect(stderr).toContain(
      'error: Decision 2 cannot be replayed: what it was made from was too large to be kept. It did: 3 pending pods',
    );
  });
});

describe('an option that is set', () => {
  it.each([
    [
      'maxNodeTotal=3',
      '--set maxNodeTotal: expected a known option (did you mean maxNodesTotal?), found "maxNodeTotal"',
    ],
    ['maxNodesTotal=many', '--set maxNodesTotal: expected an integer of at least 0, found "many"'],
    ['maxNodesTotal', '--set: expected option=value, such as scaleDownUnneededTime=1m, found "maxNodesTotal"'],
    [
      'expander=[least-waste, best]',
      '--set expander: expected one of random, least-waste, least-nodes, most-pods, priority, price, external, found "best"',
    ],
  ])('%s is refused before anything is read', async (set, message) => {
    expect(await run('2', { set: [set] })).toEqual({ code: 2, stdout: '', stderr: `error: ${message}\n` });
  });

  it('may be set once', async () => {
    const { code, stderr } = await run('2', { set: ['maxNodesTotal=1', 'max-nodes-total=2'] });
    expect({ code, stderr }).toEqual({ code: 2, stderr: 'error: --set maxNodesTotal: expected each option once\n' });
  });
});

describe('a scenario', () => {
  const EXAMPLE = new URL('../../../examples/three-zones.yaml', import.meta.url).pathname;

  it('in a file is replayed with other options', async () => {
    const { code, stdout } = await run(EXAMPLE, { set: ['maxNodesTotal=2'], output: 'json' });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ id: null, name: 'three-zones', sameBytes: null, part: 'evaluation' });
    expect((JSON.parse(stdout) as { differences: unknown[] }).differences).toContainEqual({
      about: 'node group',
      names: ['web-c'],
      decided: 'grows from 0 to 1',
      wouldBe: null,
    });
  });

  it('that is invalid, or not there, is an error with the file and the place', async () => {
    expect(await run('no-such.yaml')).toMatchObject({
      code: 2,
      stderr: 'error: no-such.yaml is neither the number of a decision nor a file\n',
    });
    expect(await run('-', {}, 'apiVersion: outrigger.dev/v1alpha1\nkind: Scenario\nnow: 5\n')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('<stdin>:3: now: expected'),
    });
    const { stderr } = await run('-', {}, '---\na: 1\n---\nb: 2\n');
    expect(stderr).toBe('<stdin>: expected one Scenario, found 2 documents: put it into a file of its own\n');
  });

  it('is not taken for a decision, which needs a cluster', async () => {
    expect(await run('12')).toMatchObject({
      code: 2,
      stderr: "error: required option '--cluster <name>' not specified\n",
    });
  });
});
