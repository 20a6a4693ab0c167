import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { connect } from '../../../cli/live/connect.ts';
import type { LiveFlags } from '../../../cli/live/flags.ts';
import { type Raw, rawScalable } from '../../providers/clusterapi/builders.ts';
import { servedAt } from '../../providers/clusterapi/served.ts';
import { apiServer, json, refuse } from '../../providers/kubernetes/api-server.ts';
import { kubeconfigFor } from '../kubeconfig.ts';

/** An API server with these objects of Cluster API, until the test ends; the file is a kubeconfig for it. */
async function cluster(objects: readonly Raw[] | null) {
  const folder = await mkdtemp(path.join(tmpdir(), 'outrigger-connect-'));
  const server = await apiServer(({ path: asked }, response) => {
    const found = objects === null ? null : servedAt(asked, objects);
    return found === null ? refuse(response, 404, 'NotFound', 'not found') : json(response, 200, found);
  });
  const file = path.join(folder, 'kubeconfig');
  await writeFile(file, kubeconfigFor(server.connection.server.href));
  onTestFinished(async () => {
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
  return { file, seen: server.seen };
}

/** Without credentials, a region and a profile of AWS. */
async function connected(flags: Partial<LiveFlags>) {
  for (const variable of ['AWS_REGION', 'AWS_DEFAULT_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_PROFILE']) {
    vi.stubEnv(variable, '');
  }
  onTestFinished(() => void vi.unstubAllEnvs());
  const found = await connect({ cluster: 'web', clusterApi: true, autoScalingGroups: false, ...flags }, () => {});
  onTestFinished(() => found.close());
  return found.cluster;
}

describe('a live cluster with node groups of Cluster API alone', () => {
  it('needs nothing of AWS', async () => {
    const own = await cluster([rawScalable('MachineDeployment', 'web')]);
    const { provider, groups } = await connected({ kubeconfig: own.file });
    expect(provider).toBe('clusterapi');
    expect((await groups.list([])).map(({ name }) => name)).toEqual(['MachineDeployment/default/web']);
  });

  it('has them in another cluster, by its kubeconfig', async () => {
    const own = await cluster(null);
    const management = await cluster([rawScalable('MachineSet', 'web', { spec: { clusterName: 'web' } })]);
    const { groups, reader } = await connected({ kubeconfig: own.file, managementKubeconfig: management.file });
    expect((await groups.list([])).map(({ name }) => name)).toEqual(['MachineSet/default/web']);
    expect(own.seen).toEqual([]);
    await reader.summarize().catch(() => null);
    expect(own.seen).not.toEqual([]);
  });

  it('names a context of the management cluster that there is not', async () => {
    const own = await cluster([]);
    await expect(connected({ kubeconfig: own.file, managementContext: 'nowhere' })).rejects.toThrow('nowhere');
  });
});
