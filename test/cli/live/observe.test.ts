import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { observeLive, type ObserveSettings } from '../../../cli/live/observe.ts';
import { evaluateLiveOnce, type OnceOptions } from '../../../cli/local/once.ts';
import { evaluate } from '../../../core/evaluate.ts';
import type { Scenario } from '../../../core/model/scenario.ts';
import { createLog } from '../../../cli/local/log.ts';
import { printYaml, parseDocuments } from '../../../providers/scenario/documents.ts';
import { writeDecision } from '../../../providers/scenario/decision.ts';
import { readScenario, writeScenario } from '../../../providers/scenario/scenario.ts';
import { defaultClusterApi } from '../../../providers/schema/cluster-api.ts';
import { pod } from '../../builders.ts';
import { testWorld, WEB } from '../../functions/test-world.ts';
import { group } from '../../scenario-builders.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const EXAMPLES = globSync('*.yaml', { cwd: path.join(ROOT, 'examples') }).toSorted();

/** The first scenario of a file. */
function scenarioIn(source: string): Scenario {
  const [document] = parseDocuments(source);
  const read = document?.content.kind === 'value' ? readScenario(document.content.value) : null;
  if (read?.ok !== true) {
    throw new Error(`expected a scenario: ${JSON.stringify(read)}`);
  }
  return read.value;
}

const PODS = [pod('p', { requests: { cpu: 1 }, owner: 'ReplicaSet/p' })];

function live(
  given: Parameters<typeof testWorld>[0],
  change: Partial<ObserveSettings['cluster']> = {},
): ObserveSettings {
  const world = testWorld(given);
  return {
    cluster: { ...world.cluster(WEB)!, ...change },
    server: new URL('https://api.example'),
    discovery: null,
    clusterApi: null,
    region: 'eu-west-1',
    now: world.now,
    log: createLog(
      'text',
      'error',
      () => {},
      () => new Date(0),
    ),
  };
}

const signal = AbortSignal.timeout(60_000);

async function once(settings: ObserveSettings, options: Partial<OnceOptions> = {}) {
  const stdout = new PassThrough();
  const given: OnceOptions = { output: 'text', detailedExitcode: false, ...options };
  const code = await evaluateLiveOnce(settings, given, stdout, signal);
  stdout.end();
  return { code, printed: await text(stdout) };
}

describe('a snapshot', () => {
  it.each(EXAMPLES)('of the cluster in %s is decided as the live cluster is, to the byte', async (file) => {
    const example = scenarioIn(readFileSync(path.join(ROOT, 'examples', file), 'utf8'));
    const scenario = await observeLive(live({ groups: example.nodeGroups, objects: example.objects }), signal);
    const decision = evaluate(scenario);
    const again = evaluate(scenarioIn(printYaml(writeScenario(scenario))));
    expect(JSON.stringify(writeDecision(again))).toBe(JSON.stringify(writeDecision(decision)));
    expect(decision.scaleUp.pods).not.toEqual([]);
  });

  it('has what scale-down asks about, too', async () => {
    const scopes: unknown[] = [];
    const settings = live({ groups: [group('a')] });
    const { reader } = settings.cluster;
    await observeLive(
      {
        ...settings,
        cluster: {
          ...settings.cluster,
          reader: {
            ...reader,
            read: async (abort, scope) => {
              scopes.push(scope);
              return await reader.read(abort, scope);
            },
          },
        },
      },
      signal,
    );
    expect(scopes).toEqual([{ budgets: true, controllers: 'all' }]);
  });
});

describe('one evaluation', () => {
  it('prints the node groups found, what would be done and why, and changes nothing', async () => {
    const world = { groups: [group('a'), group('b')], objects: { pods: PODS } };
    const { code, printed } = await once(live(world));
    expect(printed).toMatch(/^Found +Minimum +Target +Maximum +Nodes\na +0 +0 +10 +0\nb /);
    expect(printed).toMatch(/0 → 1/);
    expect(code).toBe(0);
  });

  it('prints the same as JSON', async () => {
    const settings = live({ groups: [group('a')], objects: { pods: PODS } });
    const { printed } = await once(settings, { output: 'json' });
    const decision = writeDecision(evaluate(await observeLive(settings, signal)));
    expect(JSON.parse(printed)).toEqual({
      nodeGroups: [{ name: 'a', minSize: 0, maxSize: 10, targetSize: 0, nodes: 0 }],
      decision: JSON.parse(JSON.stringify(decision)),
    });
  });

  it('shows by its exit code whether something would be changed, where that is requested', async () => {
    const groups = [group('a')];
    expect((await once(live({ groups, objects: { pods: PODS } }), { detailedExitcode: true })).code).toBe(2);
    expect((await once(live({ groups }), { detailedExitcode: true })).code).toBe(0);
  });

  it('names the tags that it looked for when no group has them', async () => {
    await expect(once(live({ groups: [] }))).rejects.toThrow(
      /eu-west-1 with the tags k8s.io\/cluster-autoscaler\/enabled and k8s.io\/cluster-autoscaler\/web/,
    );
  });

  it('names the annotations that it looked for when no resource of Cluster API has them', async () => {
    const clusterApi = { ...defaultClusterApi(), discovery: [{ namespace: 'blue', clusterName: null, labels: {} }] };
    await expect(once({ ...live({ groups: [] }), clusterApi })).rejects.toThrow(
      /There is no Auto Scaling group in eu-west-1 .*There is no resource of cluster.x-k8s.io that clusterapi:namespace=blue names with the annotations \S+-min-size and \S+-max-size/s,
    );
    const alone = { ...clusterApi, autoScalingGroups: false };
    await expect(once({ ...live({ groups: [] }), region: null, clusterApi: alone })).rejects.toThrow(
      /^There is no resource of/,
    );
  });

  it('names both kinds of node groups where they cannot be listed', async () => {
    const settings = { ...live({ groups: [group('a')] }), clusterApi: defaultClusterApi() };
    const groups = { ...settings.cluster.groups, list: async () => await Promise.reject(new Error('ECONNREFUSED')) };
    await expect(once({ ...settings, cluster: { ...settings.cluster, groups } })).rejects.toThrow(
      'The Auto Scaling groups in eu-west-1 and the resources of cluster.x-k8s.io cannot be listed',
    );
  });

  it('names the API server that cannot be reached', async () => {
    const settings = live({ groups: [group('a')] });
    const reader = { ...settings.cluster.reader, read: async () => await Promise.reject(new Error('ECONNREFUSED')) };
    await expect(once({ ...settings, cluster: { ...settings.cluster, reader } })).rejects.toMatchObject({
      message: 'The cluster cannot be read from https://api.example',
      cause: { message: 'ECONNREFUSED' },
    });
  });
});
