import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { defaultOptions } from '../../../core/model/options.ts';
import { minutes } from '../../../core/model/values/time.ts';
import type { LiveFlags } from '../../../cli/live/flags.ts';
import { liveSettings } from '../../../cli/live/settings.ts';

const ROLE = 'arn:aws:iam::210987654321:role/outrigger';
const FILE = `clusters:
- name: web
  region: eu-west-1
  role: ${ROLE}
  externalId: id-1
  defaults: cluster-autoscaler
  options: {scaleDownUnneededTime: 7m}
  discovery: {tags: [team=web]}
`;

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(path.join(tmpdir(), 'outrigger-live-'));
  vi.stubEnv('AWS_REGION', 'us-east-1');
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(directory, { recursive: true });
});

async function settings(flags: Partial<LiveFlags> = {}, text = FILE) {
  const config = path.join(directory, 'config.yaml');
  writeFileSync(config, text);
  const told: string[] = [];
  const read = await liveSettings({ cluster: 'web', config, ...flags }, (message) => told.push(message));
  return { ...read, told: told.join('\n').replaceAll(config, 'FILE') };
}

describe('the settings of a live cluster', () => {
  it('are those of the configuration, and it is said that they are', async () => {
    const { told, options, ...rest } = await settings();
    expect(rest).toEqual({
      region: 'eu-west-1',
      discovery: { tags: [{ key: 'team', value: 'web' }], nodes: [] },
      role: { arn: ROLE, externalId: 'id-1' },
      clusterApi: null,
    });
    expect(options).toEqual({ ...defaultOptions('cluster-autoscaler'), scaleDownUnneededTime: minutes(7) });
    expect(told).toBe('Settings of cluster web are read from FILE');
  });

  it('come with a warning for each flag that has no effect here, of this cluster alone', async () => {
    const both = `clusters:
- {name: other, region: eu-west-1, options: {leader-elect: true}}
- {name: web, region: eu-west-1, options: {scan-interval: 10s}}
`;
    const [, ...warnings] = (await settings({}, both)).told.split('\n');
    expect(warnings).toEqual([
      'Warning: FILE:3: clusters[1].options.scan-interval has no effect. Evaluations follow events. Without one, an evaluation comes every scanInterval.',
    ]);
  });

  it('are those of the command line where it has them, and what it overrides is said', async () => {
    const own = path.join(directory, 'options.yaml');
    writeFileSync(own, 'maxNodesTotal: 3');
    const { options, role, told } = await settings({ options: own, role: false });
    expect(options).toEqual({ ...defaultOptions(), maxNodesTotal: 3 });
    expect(role).toBeNull();
    expect(told).toContain(`--options ${own} replaces the options of FILE`);
    expect(told).toContain(`--no-role: ${ROLE} of FILE is not assumed`);
  });

  it('are the defaults where no configuration names the cluster', async () => {
    const read = await liveSettings({ cluster: 'no-such-cluster' }, (message) => expect.unreachable(message));
    expect(read).toEqual({
      region: 'us-east-1',
      options: defaultOptions(),
      discovery: null,
      role: null,
      clusterApi: null,
    });
  });

  it('need a region', async () => {
    vi.stubEnv('AWS_REGION', '');
    vi.stubEnv('AWS_DEFAULT_REGION', '');
    await expect(settings({}, 'clusters: [{name: web}]')).rejects.toThrow('No region is given: pass --region');
  });

  describe('with Cluster API', () => {
    const OWN = 'clusters: [{name: web, clusterApi: {apiGroup: example.com, managementCluster: {name: m}}}]';

    it('are those of the configuration', async () => {
      const { clusterApi } = await settings({}, OWN);
      expect(clusterApi).toMatchObject({ apiGroup: 'example.com', autoScalingGroups: true });
    });

    it('are the defaults with --cluster-api alone, beside Auto Scaling groups', async () => {
      const { clusterApi } = await settings({ clusterApi: true }, 'clusters: [{name: web}]');
      expect(clusterApi).toMatchObject({
        apiGroup: 'cluster.x-k8s.io',
        autoScalingGroups: true,
        managementCluster: null,
      });
    });

    it.each([
      ['where there are no Auto Scaling groups', { clusterApi: true }, 'clusters: [{name: web}]'],
      ['where a kubeconfig is given for a management cluster on EKS', { managementKubeconfig: 'FILE' }, OWN],
    ] as const)('need no region %s', async (_, flags, text) => {
      vi.stubEnv('AWS_REGION', '');
      vi.stubEnv('AWS_DEFAULT_REGION', '');
      await expect(settings({ ...flags, autoScalingGroups: false }, text)).resolves.toMatchObject({
        region: null,
        clusterApi: { autoScalingGroups: false },
      });
      await expect(settings(flags, text)).rejects.toThrow('No region is given');
    });

    it('need a region for a management cluster on EKS', async () => {
      vi.stubEnv('AWS_REGION', '');
      vi.stubEnv('AWS_DEFAULT_REGION', '');
      await expect(settings({ autoScalingGroups: false }, OWN)).rejects.toThrow('No region is given');
    });

    it.each([
      { flags: { autoScalingGroups: false }, flag: '--no-auto-scaling-groups' },
      { flags: { managementKubeconfig: 'FILE' }, flag: '--management-kubeconfig' },
      { flags: { managementContext: 'NAME' }, flag: '--management-context' },
    ])('are needed by $flag', async ({ flags, flag }) => {
      await expect(settings(flags, 'clusters: [{name: web}]')).rejects.toThrow(
        `${flag} needs --cluster-api, or the setting`,
      );
    });
  });

  it('of a file that does not name the cluster are an error', async () => {
    await expect(settings({ cluster: 'other' })).rejects.toThrow('names no cluster other');
  });
});
