import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { type SimulateOptions, simulateDocuments } from '../../../cli/simulate/run.ts';
import { evaluate } from '../../../core/evaluate.ts';
import type { Decision } from '../../../core/model/decision.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { throwingAt } from '../../core/model/isolation/poison.ts';
import { captured } from '../captured.ts';
import type { Ended } from '../outrigger.ts';

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

const run = (
  files: readonly string[],
  options: Partial<SimulateOptions> = {},
  input = '',
  engine?: (of: Scenario) => Decision,
) =>
  captured(
    (streams) =>
      simulateDocuments(files, { fit: false, defaults: 'outrigger', output: 'json', ...options }, streams, engine),
    input,
  );

it('also writes a page of all decisions, and says so when it cannot', async () => {
  const examples = ['three-zones.yaml', 'unschedulable.yaml'].map((name) => new URL(name, EXAMPLES).pathname);
  const page = join(directory, 'page.html');
  const written = await run(examples, { html: page });
  expect(written).toEqual(await run(examples));
  const html = await readFile(page, 'utf8');
  expect(html).toMatch(/"three-zones at 2026.*"too-large at 2026/s);
  const failed = await run(examples, { html: join(directory, 'no such folder', 'page.html') });
  expect([failed.code, failed.stdout]).toEqual([1, written.stdout]);
  expect(failed.stderr).toMatch(/^error: .*page\.html: the page cannot be written: ENOENT.*choose another --html\n$/);
});

/** On two lines, and the rest from the second on. */
const scenarioJson = (more: string): string =>
  `{"apiVersion": "outrigger.dev/v1alpha1", "kind": "Scenario", "metadata": {"name": "t"}, "now": "2026-01-01T12:00:00Z",\n${more.slice(1)}`;

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
const decisions = ({ stdout }: Ended): readonly Printed[] => JSON.parse(stdout) as readonly Printed[];
const names = (output: Ended): readonly string[] => decisions(output).map(({ metadata }) => metadata.name);

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

  const GROUP = `- name: g
  minSize: 0
  maxSize: 10
  targetSize: 1
  nodes: [n1]
  price: 0.25
  template: {status: {allocatable: {cpu: 2, memory: 4Gi, pods: 10}}}
`;
  const NODE = '- {kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 2, memory: 4Gi, pods: 10}}}\n';
  const doubtful = (objects: string, groups = GROUP): string =>
    scenario('t', `nodeGroups:\n${groups}objects:\n${NODE}${objects}`);

  it.each([
    [
      'a mistyped field of a manifest',
      doubtful('- {kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {request: {cpu: 9}}}]}}\n'),
      "15: document 1: warning: objects[1].spec.containers[0].resources.request: Kubernetes' ResourceRequirements has no such field (did you mean requests?), so it is ignored",
    ],
    [
      'a mistyped field that decides where a pod is scheduled',
      doubtful(
        '- {kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {requests: {cpu: 1}}}], toleration: [{operator: Exists}]}}\n',
      ),
      "15: document 1: warning: objects[1].spec.toleration: Kubernetes' PodSpec has no such field (did you mean tolerations?), so its pods are not simulated",
    ],
    [
      'a mistyped field of a template',
      doubtful('', GROUP.replace('allocatable', 'alocatable')),
      "12: document 1: warning: nodeGroups[0].template.status.alocatable: Kubernetes' NodeStatus has no such field (did you mean allocatable?), so it is ignored",
    ],
    [
      'a Deployment without its pods',
      doubtful('- {kind: Deployment, metadata: {name: d}, spec: {replicas: 300}}\n'),
      '15: document 1: warning: objects[1].spec.replicas: Deployment default/d wants 300, and objects has no pod of it: only pods count, so write them, too',
    ],
    [
      'a pod on a node that is not there',
      doubtful('- {kind: Pod, metadata: {name: p}, spec: {nodeName: n-1, containers: [{name: c}]}}\n'),
      '15: document 1: warning: objects[1].spec.nodeName: no Node of objects has the name "n-1" (did you mean n1?): the pod is left out',
    ],
    [
      'a group with a node that is not there',
      doubtful('', GROUP.replace('n1', 'n-1')),
      '10: document 1: warning: nodeGroups[0].nodes[0]: no Node of objects has the name "n-1" (did you mean n1?): it counts as upcoming',
    ],
    [
      'a pod without containers',
      doubtful('- {kind: Pod, metadata: {name: p}}\n'),
      '15: document 1: warning: objects[1].spec.containers: the pod has no container, and asks for nothing',
    ],
    [
      'a template without room for pods',
      doubtful('', GROUP.replace(', pods: 10', '')),
      '12: document 1: warning: nodeGroups[0].template.status.allocatable: the node holds no pods: give it some, as pods: 110',
    ],
    [
      'a Scenario without a name',
      'apiVersion: outrigger.dev/v1alpha1\nkind: Scenario\nnow: "2026-01-01T12:00:00Z"\n',
      '1: document 1: warning: metadata.name: the Scenario has no name',
    ],
  ])('warns of %s, and evaluates the scenario all the same', async (_, text, warning) => {
    const path = await file('doubtful.yaml', text);
    const output = await run([path]);
    expect(output.stderr.replaceAll(`${path}:`, '')).toBe(`${warning}\n`);
    expect({ code: output.code, decisions: names(output).length }).toEqual({ code: 0, decisions: 1 });
  });

  it('warns of nothing where controllers have their pods, by owner or by selector', async () => {
    const owned = (name: string, owner: string): string =>
      `- {kind: Pod, metadata: {name: ${name}, labels: {app: d}, ownerReferences: [{kind: ${owner}, name: d}]}, spec: {nodeName: n1, containers: [{name: c}]}}\n`;
    const path = await file(
      'owned.yaml',
      doubtful(
        `${owned('p', 'ReplicaSet')}${owned('q', 'StatefulSet')}- {kind: Deployment, metadata: {name: d}, spec: {replicas: 2, selector: {matchLabels: {app: d}}}}
- {kind: StatefulSet, metadata: {name: d}, spec: {replicas: 1}}
- {kind: ReplicaSet, metadata: {name: old}, spec: {replicas: 0}}
- {kind: Job, metadata: {name: over}, spec: {}, status: {succeeded: 1}}
`,
      ),
    );
    expect((await run([path])).stderr).toBe('');
  });

  it('says a mistake that is made many times once', async () => {
    const pods = Array.from(
      { length: 300 },
      (_, i) => `- {kind: Pod, metadata: {name: p${i}}, spec: {containers: [{name: c, resource: {}}]}}\n`,
    );
    const path = await file('many.yaml', doubtful(pods.join('')));
    expect((await run([path])).stderr).toBe(
      `${path}:15: document 1: warning: objects[1].spec.containers[0].resource: Kubernetes' Container has no such field (did you mean resources?), so it is ignored, as in 299 other places\n`,
    );
  });

  it('says what a plan that removes nodes saves, above the reasons why no pod needs one', async () => {
    const state = 'state: {unneededSince: {n1: "2026-01-01T11:00:00Z"}}\n';
    const path = await file('shrinks.yaml', doubtful('', GROUP) + state);
    expect((await run([path], { output: 'text' })).stdout.split('\n', 1)).toEqual([
      't: Planned, 1 node to be removed, which saves $0.250/h',
    ]);
  });

  it('names the lines of a JSON document, and a key that is there twice', async () => {
    const given = scenarioJson('{"seed": "x",\n"sed": 1}');
    const path = await file('lines.json', given);
    expect((await run([path])).stderr.split('\n').map((line) => line.slice(path.length, path.length + 3))).toEqual([
      ':2:',
      ':3:',
      '',
    ]);
    const twice = await file('twice.json', scenarioJson('{"seed": 1,\n"seed": 2}'));
    expect(await run([twice])).toMatchObject({ code: 2, stderr: `${twice}:3: document 1: Map keys must be unique\n` });
  });

  it('ends with 3 where a pod that no group can hold is to be a failure, and with 2 where something is invalid', async () => {
    const stuck = await file(
      'stuck.yaml',
      doubtful(
        '- {kind: Pod, metadata: {name: p}, spec: {containers: [{name: c, resources: {requests: {cpu: 99}}}]}}\n',
      ),
    );
    const fine = await file('fine.yaml', scenario('a'));
    const codeOf = async (files: readonly string[], more: Partial<SimulateOptions> = {}) =>
      (await run(files, more)).code;
    expect(await codeOf([stuck])).toBe(0);
    expect(await codeOf([fine, stuck], { failOn: 'unschedulable' })).toBe(3);
    expect(await codeOf([fine], { failOn: 'unschedulable' })).toBe(0);
    expect(await codeOf([stuck, '/dev/null'], { failOn: 'unschedulable' })).toBe(2);
  });

  it('says how to save a file that PowerShell has written', async () => {
    const path = await file('shell.yaml', Buffer.from(`\uFEFF${scenario('a')}`, 'utf16le'));
    expect((await run([path])).stderr).toBe(
      `${path}: is not UTF-8 text but UTF-16, as PowerShell writes it: save it as UTF-8\n`,
    );
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
      `${path}:10: document 2: seed: expected an integer, found "x"`,
      `${path}:11: document 2: provider: expected one of aws, clusterapi, found "gcp"`,
      `${join(directory, 'absent.yaml')}: no such file`,
      '',
    ]);
  });

  it.each([
    ['an empty file', '', 'expected at least one Scenario, found nothing'],
    ['a file of comments', '# nothing\n', 'expected at least one Scenario, found nothing'],
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
  const outrigger = (args: readonly string[], input = ''): Promise<Ended> =>
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
      /poisoned\.yaml: ScaleUp failed for pod default\/\S+: report this error as a bug: TypeError: spec is poison\n +at /,
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
