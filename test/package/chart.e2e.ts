import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { manifestSettingsOf } from '../../cli/install/place.ts';
import { type ClusterConfig } from '../../config/schema.ts';
import { readClusterList } from '../../config/read.ts';
import { manifestsOf } from '../../providers/kubernetes/manifests/manifests.ts';
import type { KubernetesObject } from '../../providers/kubernetes/manifests/object.ts';
import { ensureServers } from '../e2e/servers/cache.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const chart = path.join(root, 'deploy/helm/outrigger');
let helm = '';

beforeAll(async () => {
  helm = path.join((await ensureServers(['helm'])).helm, 'helm');
});

const runHelm = async (...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)(helm, args);
  return stdout;
};

/** The objects that the chart makes of values. */
async function rendered(values: object): Promise<readonly KubernetesObject[]> {
  const given = Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);
  const text = await runHelm('template', 'outrigger', chart, '--kube-version', '1.35', ...given);
  return parseAllDocuments(text).flatMap((document) => (document.toJS() as KubernetesObject | null) ?? []);
}

/** The objects that `outrigger install` applies with these settings. */
function applied(settings: object, url: string | null): readonly KubernetesObject[] {
  const read = readClusterList([settings], 'test');
  const clusters: readonly ClusterConfig[] = read.ok ? read.value.clusters : [];
  return manifestsOf(manifestSettingsOf(clusters[0]!), url);
}

const byName = (objects: readonly KubernetesObject[]) =>
  Object.fromEntries(objects.map((object) => [`${object.kind} ${object.metadata.name}`, object]));

const WEBHOOK = { url: 'https://abc.lambda-url.eu-west-1.on.aws/', token: 'to_ken-1' };
const ALL_OPTIONS = {
  capacityBuffers: true,
  provisioningRequests: true,
  capacityQuotas: true,
  enableProactiveScaleup: true,
  plannedPlacement: true,
  incrementalReads: true,
};

describe('the chart', () => {
  it.each([
    ['with the defaults', {}, {}],
    ['that acts', { mode: 'act' }, { mode: 'act' }],
    ['that observes with all options', { options: ALL_OPTIONS }, { options: ALL_OPTIONS }],
    ['that acts with all options', { mode: 'act', options: ALL_OPTIONS }, { mode: 'act', options: ALL_OPTIONS }],
    [
      'with buffers alone',
      { mode: 'act', options: { capacityBuffers: true } },
      { mode: 'act', options: { capacityBuffers: true } },
    ],
    [
      'with requests alone',
      { mode: 'act', options: { provisioningRequests: true } },
      { mode: 'act', options: { provisioningRequests: true } },
    ],
    [
      'with proactive scale-up alone',
      { options: { enableProactiveScaleup: true } },
      { options: { enableProactiveScaleup: true } },
    ],
    ['with a FlowSchema', { flowSchema: true }, { flowSchema: true }],
    [
      'with other schedulers',
      { webhook: { ...WEBHOOK, schedulerUsers: ['system:serviceaccount:kube-system:mine', 'other', 'other'] } },
      { schedulerUsers: ['system:serviceaccount:kube-system:mine', 'other', 'other'] },
    ],
    ['of a cluster with capitals', { cluster: 'Web_1-' }, { name: 'Web_1-' }],
    [
      'with its status elsewhere',
      { mode: 'act', rbac: { configNamespace: 'scaling', statusConfigMap: { name: 'mine' } } },
      { mode: 'act', options: { namespace: 'scaling', statusConfigMapName: 'mine' } },
    ],
    [
      'without a status',
      { mode: 'act', rbac: { statusConfigMap: { enabled: false } } },
      { mode: 'act', options: { writeStatusConfigmap: false } },
    ],
    ['with Cluster API', { mode: 'act', clusterApi: { enabled: true } }, { mode: 'act', clusterApi: {} }],
    ['that observes Cluster API', { clusterApi: { enabled: true } }, { clusterApi: {} }],
    [
      'without MachineDeployments',
      {
        mode: 'act',
        clusterApi: {
          enabled: true,
          machineDeployments: false,
          infrastructureTemplates: ['awsmachinetemplates.a.b.c'],
        },
      },
      {
        mode: 'act',
        clusterApi: { machineDeployments: false, infrastructureTemplates: ['awsmachinetemplates.a.b.c'] },
      },
    ],
    [
      'with OpenShift’s Machine API',
      { mode: 'act', clusterApi: { enabled: true, apiGroup: 'machine.openshift.io' } },
      { mode: 'act', clusterApi: { apiGroup: 'machine.openshift.io' } },
    ],
  ])('%s makes the objects that outrigger install applies', async (_, values, settings) => {
    const { cluster = 'web' } = values as { readonly cluster?: string };
    const url = `${WEBHOOK.url}${WEBHOOK.token}/${cluster}`;
    expect(byName(await rendered({ cluster, webhook: WEBHOOK, ...values }))).toEqual(
      byName(applied({ name: cluster, ...settings }, url)),
    );
  });

  it('makes nothing but the webhook, or all but the webhook', async () => {
    const webhook = await rendered({ cluster: 'web', webhook: WEBHOOK, 'rbac.enabled': false });
    expect(webhook.map(({ kind }) => kind)).toEqual(['ValidatingWebhookConfiguration']);
    const others = await rendered({ 'webhook.enabled': false });
    expect(byName(others)).toEqual(byName(applied({ name: 'web' }, null)));
  });

  it.each([
    ['a missing cluster', { webhook: WEBHOOK }, 'cluster is required'],
    ['a missing token', { cluster: 'web', webhook: { url: WEBHOOK.url } }, 'webhook.token is required'],
    [
      'a Secret that cannot be read',
      { cluster: 'web', webhook: { url: WEBHOOK.url, existingSecret: { name: 'mine' } } },
      'webhook.existingSecret: the Secret default/mine with the key token cannot be read',
    ],
    [
      'a token and a Secret',
      { cluster: 'web', webhook: { ...WEBHOOK, existingSecret: { name: 'mine' } } },
      'leave one of them out',
    ],
    ['an unknown mode', { cluster: 'web', webhook: WEBHOOK, mode: 'watch' }, 'mode'],
    ['an unknown value', { cluster: 'web', webhook: WEBHOOK, flowSchemas: true }, 'flowSchemas'],
    ['an address over HTTP', { cluster: 'web', webhook: { ...WEBHOOK, url: 'http://a/' } }, 'url'],
  ])('refuses %s', async (_, values, complaint) => {
    await expect(rendered(values)).rejects.toMatchObject({ stderr: expect.stringContaining(complaint) as string });
  });

  it('passes helm lint, and has the version of the package', async () => {
    expect(
      await runHelm('lint', '--strict', chart, '--set', 'cluster=web,webhook.url=https://a/,webhook.token=b'),
    ).toContain('0 chart(s) failed');
    const { version, appVersion } = parse(await readFile(path.join(chart, 'Chart.yaml'), 'utf8')) as {
      readonly version: string;
      readonly appVersion: string;
    };
    const manifest = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
      readonly version: string;
    };
    expect([version, appVersion]).toEqual([manifest.version, manifest.version]);
  });
});
