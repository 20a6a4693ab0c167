import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type SimulateOptions, simulate } from '../../../cli/simulate/run.ts';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { throwingAt } from '../../core/isolation/poison.ts';

const EXAMPLES = new URL('../../../examples/', import.meta.url);
const MAIN = new URL('../../../cli/main.ts', import.meta.url).pathname;

let directory = '';
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'simulate-'));
});
afterAll(async () => {
  await rm(directory, { recursive: true });
});

async function file(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(directory, name);
  await writeFile(path, content);
  return path;
}

interface Output {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

async function run(
  files: readonly string[],
  options: Partial<SimulateOptions> = {},
  stdin = '',
  ...engine: readonly ((of: Scenario) => Decision)[]
): Promise<Output> {
  const written = { stdout: '', stderr: '' };
  const into = (name: keyof typeof written): Writable =>
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written[name] += chunk.toString();
        done();
      },
    });
  const code = await simulate(
    files,
    { fit: false, defaults: 'outrigger', output: 'json', ...options },
    { stdin: Readable.from([stdin]), stdout: into('stdout'), stderr: into('stderr') },
    engine[0],
  );
  return { code, ...written };
}

const scenario = (name: string, more = ''): string => `apiVersion: outrigger.dev/v1alpha1
kind: Scenario
metadata: {name: ${name}}
now: "2026-01-01T12:00:00Z"
${more}`;

const WAITING = `
nodeGroups:
- name: web
  minSize: 0
  maxSize: 3
  targetSize: 0
  template: {status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}}
objects:
- {kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}
- {kind: Node, metadata: {name: old}, status: {allocatable: {cpu: 500m, memory: 4Gi, pods: "10"}}}
`;

interface Printed {
  readonly metadata: { readonly name: string };
  readonly scaleUp: { readonly result: string; readonly increases: readonly unknown[] };
  readonly fit?: unknown;
}
const decisions = ({ stdout }: Output): readonly Printed[] => JSON.parse(stdout) as readonly Printed[];
const names = (output: Output): readonly string[] => decisions(output).map(({ metadata }) => metadata.name);

describe('outrigger simulate', () => {
  it('decides what a scenario calls for', async () => {
    const output = await run([await file('waiting.yaml', scenario('waiting', WAITING))]);
    expect(output).toMatchObject({ code: 0, stderr: '' });
    expect(decisions(output)).toMatchObject([
      {
        apiVersion: 'outrigger.dev/v1alpha1',
        kind: 'Decision',
        metadata: { name: 'waiting' },
        scaleUp: { result: 'ScaledUp', increases: [{ group: 'web', from: 0, to: 1 }] },
      },
    ]);
  });

  it('takes nodes that a dead Cluster Autoscaler has left tainted and cordoned for free, as an evaluation frees them first', async () => {
    const marked = (since: string): string => `
nodeGroups:
- name: web
  minSize: 1
  maxSize: 3
  targetSize: 1
  nodes: [n1]
  template: {status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}}
objects:
- {kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {requests: {cpu: "1"}}}]}}
- kind: Node
  metadata: {name: n1}
  spec:
    unschedulable: true
    taints: [{key: ToBeDeletedByClusterAutoscaler, value: "${Date.parse(since) / 1_000}", effect: NoSchedule}]
  status: {allocatable: {cpu: "2", memory: 4Gi, pods: "10"}}
`;
    const times = ['2026-01-01T11:00:00Z', '2026-01-01T11:50:00Z'];
    const files = await Promise.all(times.map((time, i) => file(`left-${i}.yaml`, scenario('left', marked(time)))));
    expect(decisions(await run(files)).map(({ scaleUp }) => scaleUp.result)).toEqual(['NotNeeded', 'ScaledUp']);
  });

  it('prints one decision for each document of each file, in order', async () => {
    const files = [
      await file('ab.yaml', `${scenario('a')}---\n${scenario('b')}`),
      await file(
        'c.json',
        JSON.stringify({
          apiVersion: 'outrigger.dev/v1alpha1',
          kind: 'Scenario',
          metadata: { name: 'c' },
          now: '2026-01-01T12:00:00Z',
        }),
      ),
    ];
    expect(names(await run(files))).toEqual(['a', 'b', 'c']);
    const yaml = await run(files, { output: 'yaml' });
    const parsed = parseAllDocuments(yaml.stdout).map((document) => document.toJS() as unknown);
    expect(parsed).toEqual(decisions(await run(files)));
  });

  it('prints an empty list where there is nothing to print as JSON', async () => {
    expect(await run([join(directory, 'absent.yaml')])).toMatchObject({ code: 2, stdout: '[]\n' });
    expect(await run([join(directory, 'absent.yaml')], { output: 'yaml' })).toMatchObject({ code: 2, stdout: '' });
  });

  it('reads standard input', async () => {
    expect(names(await run(['-'], {}, scenario('piped')))).toEqual(['piped']);
  });

  it('says what existing nodes say to pending pods, when asked', async () => {
    const path = await file('fit.yaml', scenario('fit', WAITING));
    expect(decisions(await run([path], { fit: true }))[0]!.fit).toEqual([
      { pod: 'default/p', nodes: { old: 'NodeResourcesFit' } },
    ]);
    expect(decisions(await run([path]))[0]).not.toHaveProperty('fit');
  });

  it('takes the defaults of Cluster Autoscaler, when asked', async () => {
    const group = (name: string): object => ({
      name,
      minSize: 0,
      maxSize: 3,
      targetSize: 0,
      template: { status: { allocatable: { cpu: '1', memory: '4Gi', pods: '10' } } },
    });
    const pod = (name: string): object => ({
      kind: 'Pod',
      metadata: { name },
      spec: { containers: [{ name: 'c', resources: { requests: { cpu: '1' } } }] },
    });
    const more = JSON.stringify({ nodeGroups: [group('a'), group('b')], objects: [pod('p'), pod('q')] }).slice(1, -1);
    const path = await file(
      'defaults.json',
      `{"apiVersion":"outrigger.dev/v1alpha1","kind":"Scenario","now":"2026-01-01T12:00:00Z",${more}}`,
    );
    const increases = async (options: Partial<SimulateOptions>): Promise<number> =>
      decisions(await run([path], options))[0]!.scaleUp.increases.length;
    // Similar node groups are balanced by Outrigger's defaults, and not by Cluster Autoscaler's.
    expect(await increases({})).toBe(2);
    expect(await increases({ defaults: 'cluster-autoscaler' })).toBe(1);
  });

  it('evaluates the other documents when one is malformed, and exits with 2', async () => {
    const path = await file(
      'mixed.yaml',
      `${scenario('a')}---\n${scenario('b', 'seed: x\nprovider: gcp\n')}---\n${scenario('c')}`,
    );
    const output = await run([path, join(directory, 'absent.yaml'), await file('d.yaml', scenario('d'))]);
    expect(output.code).toBe(2);
    expect(names(output)).toEqual(['a', 'c', 'd']);
    expect(output.stderr.split('\n')).toEqual([
      `${path}:11: document 2: provider: expected one of aws, clusterapi, found "gcp"`,
      `${path}:10: document 2: seed: expected an integer, found "x"`,
      `${join(directory, 'absent.yaml')}: no such file`,
      '',
    ]);
  });

  it.each([
    ['an empty file', '', 'expected at least one Scenario, found nothing: the file is empty'],
    ['a file of comments', '# nothing\n', 'expected at least one Scenario, found nothing: the file is empty'],
    ['bytes that are not UTF-8', Uint8Array.of(0x61, 0xff, 0xfe), 'is not UTF-8 text'],
    ['bad YAML', 'a: [1\nb: 2', 'document 1: '],
    ['another document', 'kind: Pod\napiVersion: v1', 'document 1: kind: expected Scenario, found "Pod"'],
    [
      'a Workload',
      'kind: Workload',
      'kind: expected Scenario (outrigger demo --load runs a Workload), found "Workload"',
    ],
    ['a list', '[1, 2]', 'document 1: expected an object, found a list'],
  ])('explains %s', async (what, content, message) => {
    const path = await file(`${what}.yaml`, content);
    const output = await run([path]);
    expect(output).toMatchObject({ code: 2, stdout: '[]\n' });
    expect(output.stderr).toContain(path);
    expect(output.stderr).toContain(message);
  });

  it('quotes no long text of a file that is no YAML', async () => {
    const path = await file(
      'prose.yaml',
      `# A page\n\n\`\`\`sh\nls # now\n\`\`\`\n\n${'so many words '.repeat(200)}\n`,
    );
    const { code, stderr } = await run([path]);
    expect(code).toBe(2);
    const lines = stderr.trimEnd().split('\n');
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) {
      expect(line.length).toBeLessThan(path.length + 200);
      expect(line).toMatch(/prose\.yaml:\d+: document 1: /);
      expect(line).not.toContain(', column ');
    }
  });

  it('explains a directory', async () => {
    expect(await run([directory])).toMatchObject({
      code: 2,
      stderr: `${directory}: is a directory; name the files in it\n`,
    });
  });

  it('does not print the same mistake a thousand times', async () => {
    const objects = Array.from({ length: 1_000 }, () => '- {kind: Node}').join('\n');
    const { stderr } = await run([await file('many.yaml', scenario('many', `objects:\n${objects}`))]);
    expect(stderr.trimEnd().split('\n')).toHaveLength(101);
    expect(stderr).toMatch(/document 1: and 900 more\n$/);
  });

  it('decides every example', async () => {
    const examples = (await readdir(EXAMPLES)).filter((name) => /\.(?:ya?ml|json)$/.test(name));
    const output = await run(examples.map((name) => new URL(name, EXAMPLES).pathname));
    expect(output).toMatchObject({ code: 0, stderr: '' });
    expect(decisions(output).length).toBeGreaterThanOrEqual(examples.length);
  });
});

// Each starts a process of its own.
describe('the command line', () => {
  const outrigger = (args: readonly string[], input = ''): Promise<Output> =>
    new Promise((resolve) => {
      const child = execFile(process.execPath, [MAIN, 'simulate', ...args], (error, stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : 0, stdout, stderr });
      });
      child.stdin!.end(input);
    });

  it('evaluates standard input as JSON', async () => {
    const output = await outrigger(['--fit', '-o', 'json', '-'], scenario('piped', WAITING));
    expect(output).toMatchObject({ code: 0, stderr: '' });
    expect(decisions(output)).toMatchObject([{ fit: [{ pod: 'default/p' }] }]);
  });

  it('passes the exit code on', async () => {
    expect(await outrigger(['-'], 'kind: Pod')).toMatchObject({ code: 2, stdout: '' });
  });

  it('suggests the flag that was meant', async () => {
    const output = await outrigger(['--fitt', '-']);
    expect(output.code).not.toBe(0);
    expect(output.stderr).toContain('Did you mean --fit?');
  });

  it('names the defaults that there are', async () => {
    const output = await outrigger(['--defaults', 'karpenter', '-']);
    expect(output.code).not.toBe(0);
    expect(output.stderr).toContain('Allowed choices are outrigger, cluster-autoscaler');
  });
});

describe('an unexpected error', () => {
  const poisoned = (given: Scenario): Decision =>
    evaluate({
      ...given,
      objects: { ...given.objects, pods: given.objects.pods.map((one) => throwingAt(one, 'spec')) },
    });

  it('is told beside the decision, with its stack on stderr, and the exit code is 1', async () => {
    const path = await file('poisoned.yaml', scenario('test', WAITING));
    const { code, stdout, stderr } = await run([path], { output: 'text' }, '', poisoned);
    expect(code).toBe(1);
    expect(stdout).toMatch(/\nUnexpected errors\n {2}ScaleUp {2}pod default\/\S+ .*TypeError: spec is poison\n/);
    expect(stderr).toMatch(
      /poisoned\.yaml: ScaleUp failed for pod default\/\S+: this is a bug, please report it: TypeError: spec is poison\n +at /,
    );
    expect((await run([path])).code).toBe(0);
  });

  it('is in the decision as a document, without its stack', async () => {
    const path = await file('poisoned.yaml', scenario('test', WAITING));
    const [decision] = JSON.parse((await run([path], {}, '', poisoned)).stdout);
    expect(decision.unexpectedErrors).toMatchObject([{ during: 'ScaleUp', message: 'TypeError: spec is poison' }]);
    expect(decision.unexpectedErrors[0]).not.toHaveProperty('stack');
  });
});
