import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { autoscalerStatus } from '../../../core/words/autoscaler-status.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { createTransport } from '../../../providers/kubernetes/client/transport.ts';
import {
  createStatusWriter,
  LAST_UPDATED,
  OUTRIGGER_UPDATED,
  readStatusPause,
} from '../../../providers/kubernetes/status-config-map.ts';
import { pod } from '../../builders.ts';
import { group, NOW, scenario } from '../../scenario-builders.ts';
import { apiServer, json, refuse } from './api-server.ts';

const PLACE = { namespace: 'kube-system', name: 'cluster-autoscaler-status' };
const PATH = '/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status';

interface Written {
  metadata: { uid?: string; readonly annotations: Record<string, string> };
  data: { status: string };
}

const statusOf = (pods: number) => {
  const waiting = Array.from({ length: pods }, (_, i) => pod(`p${i}`, { requests: { cpu: 3 }, owner: 'ReplicaSet/p' }));
  const of = scenario({ groups: [group('a'), group('b', { invalid: 'tag x' })], pods: waiting });
  return autoscalerStatus(of, evaluateScaleUp(of));
};
const IDLE = statusOf(0);
const GROWING = statusOf(2);

/** An API server that keeps the one ConfigMap. */
async function serving(answer?: { readonly status: number }) {
  let kept: Written | null = null;
  const server = await apiServer(({ method, body }, response) => {
    if (answer !== undefined) {
      refuse(response, answer.status, 'Forbidden', 'no');
    } else if (method === 'PATCH') {
      kept = JSON.parse(body) as Written;
      kept.metadata.uid = 'u1';
      json(response, 200, kept);
    } else if (kept === null) {
      refuse(response, 404, 'NotFound', 'not found');
    } else {
      json(response, 200, kept);
    }
  });
  const transport = createTransport(server.connection, { firstPauseMs: 5, budgetMs: 2_000 });
  const warnings: string[] = [];
  let now = NOW;
  const options = { now: () => now, warn: (message: string) => warnings.push(message) };
  return {
    ...createStatusWriter(transport, PLACE, options),
    another: () => createStatusWriter(transport, PLACE, options),
    nowhere: () => createStatusWriter(transport, null, options),
    warnings,
    kept: () => kept!,
    keep: (other: Written) => void (kept = other),
    pass: (ms: number) => void (now = epochMs(now + ms)),
    requests: () => server.seen.map(({ method, path }) => `${method} ${path}`),
    writes: () => server.seen.filter(({ method }) => method === 'PATCH').length,
    [Symbol.asyncDispose]: async () => {
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('the status', () => {
  it("is in Cluster Autoscaler's form, with its time beside it", async () => {
    await using world = await serving();
    await world.writeStatus(GROWING);
    const { metadata, data } = world.kept();
    expect(metadata.annotations[LAST_UPDATED]).toBe('2026-01-01 12:00:00.000 +0000 UTC');
    const times = { lastProbeTime: '2026-01-01T12:00:00.000Z', lastTransitionTime: '2026-01-01T12:00:00.000Z' };
    expect(parse(data.status)).toMatchObject({
      time: '2026-01-01 12:00:00.000 +0000 UTC',
      autoscalerStatus: 'Running',
      clusterWide: {
        health: { status: 'Healthy', nodeCounts: { registered: { total: 0, unready: { total: 0 } } }, ...times },
        scaleUp: { status: 'InProgress', ...times },
        scaleDown: { status: 'NoCandidates', ...times },
      },
      nodeGroups: [
        { name: 'a', health: { cloudProviderTarget: 0, minSize: 0, maxSize: 10 }, scaleUp: { status: 'InProgress' } },
        { name: 'b', scaleUp: { status: 'NoActivity' } },
      ],
    });
  });

  it('is not written again while it says the same, whichever process asks', async () => {
    await using world = await serving();
    await world.writeStatus(IDLE);
    world.pass(3_600_000);
    await world.writeStatus(IDLE);
    await world.another().writeStatus(IDLE);
    expect(world.writes()).toBe(1);
  });

  it('is written when another process has written something else', async () => {
    await using world = await serving();
    await world.writeStatus(IDLE);
    await world.another().writeStatus(GROWING);
    await world.writeStatus(IDLE);
    expect(world.writes()).toBe(3);
  });

  it('says since when each condition has been as it is', async () => {
    await using world = await serving();
    await world.writeStatus(IDLE);
    world.pass(60_000);
    await world.writeStatus(GROWING);
    const { clusterWide, nodeGroups } = parse(world.kept().data.status) as {
      readonly clusterWide: Record<string, { readonly lastTransitionTime: string; readonly lastProbeTime: string }>;
      readonly nodeGroups: readonly Record<string, { readonly lastTransitionTime: string }>[];
    };
    expect(clusterWide['health']).toMatchObject({
      lastTransitionTime: '2026-01-01T12:00:00.000Z',
      lastProbeTime: '2026-01-01T12:01:00.000Z',
    });
    expect(clusterWide['scaleUp']!.lastTransitionTime).toBe('2026-01-01T12:01:00.000Z');
    expect(nodeGroups[1]!['scaleUp']!.lastTransitionTime).toBe('2026-01-01T12:00:00.000Z');
  });

  const byClusterAutoscaler = (text: string): Written => ({
    metadata: {
      uid: 'u1',
      annotations: {
        [LAST_UPDATED]: '2026-01-01 11:59:50.123456789 +0000 UTC',
        [OUTRIGGER_UPDATED]: '2026-01-01 10:00:00.000 +0000 UTC',
      },
    },
    data: { status: text },
  });

  it('is left to a Cluster Autoscaler that lives, and taken over from one that does not', async () => {
    await using world = await serving();
    world.keep(byClusterAutoscaler('autoscalerStatus: Running'));
    await world.writeStatus(IDLE);
    expect(world.writes()).toBe(0);
    expect(world.warnings).toEqual([expect.stringContaining('Another autoscaler writes')]);
    await world.writeStatus(IDLE);
    expect(world.requests()).toHaveLength(1);
    world.pass(6 * 60_000);
    await world.writeStatus(IDLE);
    expect(world.writes()).toBe(1);
  });

  it.each(['', 'Cluster-autoscaler status at 2020-01-01', '[1, 2', 'a: &x [1]\nb: *x', '{"clusterWide": 7}'])(
    'is written over a text of another form: %j',
    async (text) => {
      await using world = await serving();
      world.keep(byClusterAutoscaler(text));
      world.pass(600_000);
      await world.writeStatus(IDLE);
      expect(world.writes()).toBe(1);
      expect(world.warnings).toEqual([]);
    },
  );

  it('fails nothing where it may not be written, and is left alone for a while', async () => {
    await using world = await serving({ status: 403 });
    await world.writeStatus(IDLE);
    await world.writeStatus(IDLE);
    expect(world.requests()).toEqual([`GET ${PATH}`]);
    expect(world.warnings).toEqual([expect.stringMatching(/^The status could not be written: .*configmaps/)]);
  });

  it('is nowhere where the options turn it off', async () => {
    await using world = await serving();
    const off = world.nowhere();
    await off.writeStatus(IDLE);
    expect(await off.object()).toBeNull();
    expect(world.requests()).toEqual([]);
  });

  it('is an object that events are about, once it is there', async () => {
    await using world = await serving();
    expect(await world.object()).toBeNull();
    await world.writeStatus(IDLE);
    expect(await world.object()).toEqual({ ...PLACE, uid: 'u1' });
  });
});

describe('the pause of the status ConfigMap', () => {
  const pauseIn = async (answer: (response: Parameters<typeof json>[0]) => void) => {
    const server = await apiServer((_, response) => answer(response));
    const transport = createTransport(server.connection, { firstPauseMs: 5, budgetMs: 1_000 });
    const warnings: string[] = [];
    try {
      return { pause: await readStatusPause(transport, PLACE, (_, line) => void warnings.push(line)), warnings };
    } finally {
      transport.close();
      await server[Symbol.asyncDispose]();
    }
  };
  const annotated = (annotations: Readonly<Record<string, string>>) =>
    pauseIn((response) => json(response, 200, { metadata: { uid: 'u', annotations } }));

  it('is that of its annotation', async () => {
    const { pause } = await annotated({ 'outrigger.dev/paused': 'scale-down until 2026-01-01T03:00:00Z' });
    expect(pause).toMatchObject({
      part: 'ScaleDown',
      group: null,
      source: 'ConfigMap',
      until: Date.UTC(2026, 0, 1, 3),
    });
  });

  it('is none without the annotation, and without the ConfigMap', async () => {
    expect(await annotated({ other: 'true' })).toEqual({ pause: null, warnings: [] });
    expect(await pauseIn((response) => refuse(response, 404, 'NotFound', 'no'))).toEqual({ pause: null, warnings: [] });
  });

  it('reads a malformed pause as no pause, and reports its place', async () => {
    expect(await annotated({ 'outrigger.dev/paused': 'yes' })).toEqual({
      pause: null,
      warnings: [
        expect.stringMatching(
          /^ConfigMap kube-system\/cluster-autoscaler-status: annotation outrigger\.dev\/paused: expected .* found "yes"; the cluster is not paused; correct it$/,
        ),
      ],
    });
  });

  it('is none where the ConfigMap may not be read, which is told; other failures are not hidden', async () => {
    const { pause, warnings } = await pauseIn((response) => refuse(response, 403, 'Forbidden', 'no'));
    expect([pause, warnings.length]).toEqual([null, 1]);
    await expect(pauseIn((response) => refuse(response, 500, 'InternalError', 'no'))).rejects.toThrow('');
  });
});
