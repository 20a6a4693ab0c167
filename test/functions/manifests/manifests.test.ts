import { describe, expect, it, onTestFinished } from 'vitest';
import { changeManifests, digestOfSettings } from '../../../functions/manifests/manifests.ts';
import type { ResourceChange } from '../../../providers/aws/lambda/custom-resource.ts';
import { createTransport } from '../../../providers/kubernetes/client/transport.ts';
import { isAcceptedToken } from '../../../providers/kubernetes/webhook-token.ts';
import { apiServer, json, refuse } from '../../providers/kubernetes/api-server.ts';

const SETTINGS = { cluster: 'web', schedulerUsers: [], flowSchema: false };
const settingsWith = (settings: object): string => JSON.stringify({ ...SETTINGS, ...settings });
const URL_OF_WEBHOOK = 'https://x.lambda-url.eu-central-1.on.aws/token/web';

const manifests = (settings: object = {}, url: string = URL_OF_WEBHOOK) => ({
  ServiceToken: 'arn',
  Kind: 'manifests',
  Settings: settingsWith(settings),
  Url: url,
  Digest: 'd',
});

const change = (fields: Partial<ResourceChange>): ResourceChange => ({
  type: 'Create',
  physicalId: null,
  properties: manifests(),
  oldProperties: {},
  ...fields,
});

/**
 * A cluster that keeps what is applied; it refuses the first requests, as many as given, as it knows no access entry yet.
 *
 * @param refused called after each refusal
 */
async function cluster(refusals = 0, refused: () => void = () => {}) {
  const objects = new Set<string>();
  /** Objects that others made under the same name. */
  const foreign = new Set<string>();
  let left = refusals;
  const server = await apiServer(({ method, path }, response) => {
    const name = path.split('/').slice(-2).join('/');
    if (left > 0) {
      left -= 1;
      refuse(response, left % 2 === 0 ? 401 : 403, 'Forbidden', 'not yet');
      return refused();
    }
    if (method === 'PATCH') {
      objects.add(name);
    } else if (method === 'DELETE' ? !objects.delete(name) : !objects.has(name)) {
      return refuse(response, 404, 'NotFound', 'not found');
    }
    const labels = foreign.has(name) ? {} : { 'app.kubernetes.io/managed-by': 'outrigger' };
    return json(response, 200, { metadata: { uid: name, resourceVersion: '1', labels } });
  });
  onTestFinished(async () => await server[Symbol.asyncDispose]());
  /** As the environment of the function has it, by the settings of the stack. */
  const handle = (settings: object, of: ResourceChange, signal: AbortSignal) =>
    changeManifests({
      connect: async () => createTransport(server.connection),
      cluster: { ...SETTINGS, ...settings }.cluster,
      digest: digestOfSettings(settingsWith(settings)),
      pauseMs: 1,
    })(of, signal);
  return {
    objects,
    foreign,
    run: async (of: ResourceChange, signal = new AbortController().signal, settings: object = {}) =>
      await handle(settings, of, signal),
  };
}

const RBAC = [
  'clusterroles/outrigger',
  'clusterrolebindings/outrigger',
  'clusterroles/outrigger-drain',
  'clusterrolebindings/outrigger-drain',
  'roles/outrigger',
  'rolebindings/outrigger',
];
const WEBHOOK = 'validatingwebhookconfigurations/outrigger-web';

describe('the manifests of a stack', () => {
  it('are applied when it is created, and removed when it is deleted', async () => {
    const { objects, run } = await cluster();
    const { physicalId } = await run(change({}));
    expect([...objects]).toEqual([...RBAC, WEBHOOK]);
    await run(change({ type: 'Delete', physicalId }));
    expect([...objects]).toEqual([]);
  });

  it('that others made under the same name stay', async () => {
    const { objects, foreign, run } = await cluster();
    const { physicalId } = await run(change({}));
    foreign.add('clusterroles/outrigger');
    await run(change({ type: 'Delete', physicalId }));
    expect([...objects]).toEqual(['clusterroles/outrigger']);
  });

  it('that are wanted no more are removed in an update, under the same id', async () => {
    const { objects, run } = await cluster();
    const before = manifests({ flowSchema: true });
    const { physicalId } = await run(change({ properties: before }), undefined, { flowSchema: true });
    expect(objects).toContain('flowschemas/outrigger');
    const updated = change({ type: 'Update', physicalId, properties: manifests({}, ''), oldProperties: before });
    expect((await run(updated)).physicalId).toBe(physicalId);
    expect([...objects]).toEqual(RBAC);
  });

  it('are not moved to another cluster, and are applied again when that is rolled back', async () => {
    const { objects, run } = await cluster();
    const { physicalId } = await run(change({}));
    objects.clear();
    const other = manifests({ cluster: 'other' });
    const moving = run(
      change({ type: 'Update', physicalId, properties: other, oldProperties: manifests() }),
      undefined,
      { cluster: 'other' },
    );
    await expect(moving).rejects.toThrow(
      /These resources are of cluster web: cluster other needs others\. Give .* another id/,
    );
    expect([...objects]).toEqual([]);
    await run(change({ type: 'Update', physicalId, properties: manifests(), oldProperties: other }));
    expect([...objects]).toEqual([...RBAC, WEBHOOK]);
  });

  it('of a cluster that they were moved to once are updated as others', async () => {
    const { objects, run } = await cluster();
    const update = change({ type: 'Update', physicalId: 'outrigger-manifests-former', oldProperties: manifests() });
    expect((await run(update)).physicalId).toBe('outrigger-manifests-former');
    expect(objects).toContain(WEBHOOK);
  });

  it.each([
    ['other settings', manifests({ flowSchema: true })],
    [
      'rights to everything',
      manifests({ clusterApi: { apiGroup: '*', machineDeployments: true, infrastructureTemplates: ['*.*'] } }),
    ],
    ['a webhook of somebody else', manifests({}, 'https://attacker.example/token/web')],
    [
      'a host that only begins well',
      manifests({}, 'https://x.lambda-url.eu-central-1.on.aws.attacker.example/token/web'),
    ],
  ])('are not applied with %s than the stack has', async (_, properties) => {
    const { objects, run } = await cluster();
    await expect(run(change({ properties }))).rejects.toThrow(/settings are not those|expected|Invalid/);
    await expect(run(change({ type: 'Update', properties, oldProperties: manifests() }))).rejects.toThrow(
      /settings are not those|Invalid/,
    );
    expect([...objects]).toEqual([]);
  });

  it('wait until the access entry has taken effect', async () => {
    const { objects, run } = await cluster(5);
    await run(change({}));
    expect(objects).toContain(WEBHOOK);
  });

  it('that may never be applied are an error with what is missing', async () => {
    const timeLeft = new AbortController();
    let refusals = 0;
    const { run } = await cluster(Infinity, () => {
      refusals += 1;
      if (refusals === 20) {
        timeLeft.abort();
      }
    });
    await expect(run(change({}), timeLeft.signal)).rejects.toThrow(/clusterroles/);
    expect(refusals).toBeGreaterThanOrEqual(20);
  });

  it('that are gone are no error when they are removed', async () => {
    const { run } = await cluster();
    await expect(run(change({ type: 'Delete', physicalId: 'x' }))).resolves.toMatchObject({ physicalId: 'x' });
  });
});

describe('the token of a stack', () => {
  const token = { Kind: 'token', Version: '1' };

  it('is made without the API server, and its hash is what identifies it', async () => {
    const { objects, run } = await cluster(Infinity);
    const { physicalId, data } = await run(change({ properties: token }));
    expect(isAcceptedToken(data['Token']!, [physicalId])).toBe(true);
    expect(data['Hashes']).toBe(physicalId);
    expect(objects.size).toBe(0);
  });

  it('is another one after an update, beside which the one before is accepted', async () => {
    const { run } = await cluster();
    const first = await run(change({ properties: token }));
    const second = await run(change({ type: 'Update', physicalId: first.physicalId, properties: token }));
    expect(second.physicalId).not.toBe(first.physicalId);
    expect(second.data['Hashes']!.split(',')).toEqual([second.physicalId, first.physicalId]);
    // CloudFormation deletes the one before, of which nothing is kept.
    await run(change({ type: 'Delete', physicalId: first.physicalId, properties: token }));
  });
});
