import { describe, expect, it } from 'vitest';
import { install, type InstallRequest } from '../../../cli/install/install.ts';
import type { StepError } from '../../../cli/install/journal.ts';
import { hashOfToken, newToken } from '../../../providers/kubernetes/webhook-token.ts';
import { settled, silentJournal, startWorld, type World } from './world.ts';

const REQUEST: InstallRequest = {
  rotateToken: false,
  testsWebhook: true,
  dryRun: false,
  token: null,
  drainLimitMs: 60_000,
};

async function run(world: World, request: Partial<InstallRequest> = {}, settings: object = {}) {
  const journal = silentJournal();
  let failure: unknown = null;
  try {
    await install(await world.open(settings), world.deploy, { ...REQUEST, ...request }, journal);
  } catch (error) {
    failure = error;
  }
  return { failure, steps: Object.fromEntries(journal.steps.map(({ id, status }) => [id, status])), journal };
}

/** Paths of the objects of a deployment. */
const OBJECTS = [
  '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/outrigger-prod',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/outrigger',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/outrigger-drain',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles/outrigger',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles/outrigger-drain',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/rolebindings/outrigger',
  '/apis/rbac.authorization.k8s.io/v1/namespaces/kube-system/roles/outrigger',
];

const INSTALLED = {
  stack: 'UPDATE_COMPLETE',
  schedules: 'ENABLED',
  acceptsTokens: 1,
  acceptsWebhook: true,
  objects: OBJECTS,
};

describe('outrigger install', () => {
  it('deploys with the schedules off, applies the manifests, rings as the scheduler, and switches the schedules on', async () => {
    const world = await startWorld();
    const { failure, steps } = await run(world);
    expect(failure).toBeNull();
    expect(steps).toEqual({ checks: 'done', stack: 'done', manifests: 'done', webhook: 'done', schedules: 'done' });
    expect(world.writes).toEqual([
      'deploy Schedules WebhookTokenHashes',
      'apply clusterroles/outrigger',
      'apply clusterrolebindings/outrigger',
      'apply clusterroles/outrigger-drain',
      'apply clusterrolebindings/outrigger-drain',
      'apply roles/outrigger',
      'apply rolebindings/outrigger',
      'apply validatingwebhookconfigurations/outrigger-prod',
      'set Schedules',
    ]);
    expect(world.impersonated).toEqual(['system:kube-scheduler']);
    expect(settled(world.state)).toEqual(INSTALLED);
  });

  it.each(Array.from({ length: 9 }, (_, index) => index + 1))(
    'that is interrupted at write %i ends, run again, as one that was not',
    async (writes) => {
      const world = await startWorld();
      world.dieAfter = writes;
      const first = await run(world);
      expect(first.failure).not.toBeNull();
      expect(world.writes).toHaveLength(writes);
      world.dieAfter = Infinity;
      const second = await run(world);
      expect(second.failure).toBeNull();
      expect(settled(world.state)).toEqual(INSTALLED);
    },
  );

  it('changes nothing where everything is as it should be, and keeps the token', async () => {
    const world = await startWorld();
    await run(world);
    const before = structuredClone(world.state);
    const { steps } = await run(world);
    expect(steps).toMatchObject({ manifests: 'unchanged', schedules: 'unchanged' });
    expect(world.state.objects).toEqual(before.objects);
    expect(world.state.stack?.parameters).toEqual(before.stack?.parameters);
  });

  it('leaves schedules on while it deploys a stack that exists', async () => {
    const world = await startWorld();
    await world.deploy({});
    expect(world.state.stack?.parameters['Schedules']).toBe('ENABLED');
    const { failure } = await run(world);
    expect(failure).toBeNull();
    expect(world.writes[1]).toBe('deploy WebhookTokenHashes');
    expect(settled(world.state)).toEqual(INSTALLED);
  });

  it('leaves the schedules off when no notification arrives, and says what to do', async () => {
    const world = await startWorld();
    world.deaf = true;
    const { failure, steps } = await run(world);
    expect(steps).toMatchObject({ manifests: 'done', webhook: 'failed' });
    expect((failure as StepError).remedy.join('\n')).toContain('--skip-webhook-test');
    expect(world.state.stack?.parameters['Schedules']).toBe('DISABLED');
    expect((await run(world, { testsWebhook: false })).failure).toBeNull();
    expect(settled(world.state)).toEqual(INSTALLED);
  });

  it('tells a user who may not act as the scheduler what is missing', async () => {
    const world = await startWorld();
    world.forbidsImpersonation = true;
    const { failure } = await run(world);
    expect((failure as StepError).message).toContain('you may not act as system:kube-scheduler');
    expect((failure as StepError).remedy.join('\n')).toContain('impersonate users');
  });

  it('makes nothing where a check fails', async () => {
    const world = await startWorld();
    world.account.current = { cluster: { accessConfig: { authenticationMode: 'CONFIG_MAP' } } };
    const { failure, steps } = await run(world);
    expect(steps).toEqual({ checks: 'failed' });
    expect((failure as StepError).remedy.join('\n')).toContain('aws eks update-cluster-config');
    expect(world.writes).toEqual([]);
  });

  it('--dry-run makes nothing, and says what would be done', async () => {
    const world = await startWorld();
    const { failure, steps, journal } = await run(world, { dryRun: true });
    expect(failure).toBeNull();
    expect(steps).toMatchObject({ checks: 'done', stack: 'would', manifests: 'would', schedules: 'would' });
    expect(journal.lines.join('\n')).toContain('Would create the stack Outrigger-prod.');
    expect(world.writes).toEqual([]);
    expect(world.impersonated).toEqual([]);
  });
});

describe('a cluster in another account', () => {
  const SETTINGS = { role: 'arn:aws:iam::210987654321:role/outrigger' };

  it('is refused without a kubeconfig, before anything is read', async () => {
    const world = await startWorld();
    const { failure } = await run(world, {}, SETTINGS);
    expect((failure as StepError).message).toContain('is in another account than its stack (role: arn:aws:iam::2109');
    expect((failure as StepError).remedy[0]).toContain('npx outrigger install --cluster prod --print');
    expect(world.writes).toEqual([]);
  });

  it('is not installed with one either, for its role is not made by then', async () => {
    const world = await startWorld();
    const journal = silentJournal();
    const place = await world.open(SETTINGS, true);
    await expect(install(place, world.deploy, REQUEST, journal)).rejects.toThrow('is in another account');
    expect([journal.steps, world.writes]).toEqual([[], []]);
  });
});

describe('the token', () => {
  it('is rotated without a moment in which the webhook is refused', async () => {
    const world = await startWorld();
    await run(world);
    const [before] = [world.state.stack!.parameters['WebhookTokenHashes']!];
    const from = world.writes.length;
    await run(world, { rotateToken: true });
    const after = world.state.stack!.parameters['WebhookTokenHashes']!;
    expect(after).not.toBe(before);
    expect(world.writes.slice(from).filter((what) => /deploy|webhook|set/.test(what))).toEqual([
      'deploy WebhookTokenHashes',
      'apply validatingwebhookconfigurations/outrigger-prod',
      'set WebhookTokenHashes',
    ]);
    expect(settled(world.state)).toEqual(INSTALLED);
  });

  it.each([1, 2, 8, 9])(
    'whose rotation is interrupted at write %i is one that is accepted, run again',
    async (writes) => {
      const world = await startWorld();
      await run(world);
      world.dieAfter = world.writes.length + writes;
      expect((await run(world, { rotateToken: true })).failure).not.toBeNull();
      // At no moment is the webhook in the cluster refused.
      expect(settled(world.state).acceptsWebhook).toBe(true);
      world.dieAfter = Infinity;
      expect((await run(world)).failure).toBeNull();
      expect(settled(world.state)).toEqual(INSTALLED);
    },
  );

  it('that the stack does not accept is replaced', async () => {
    const world = await startWorld();
    await run(world);
    world.state.stack!.parameters['WebhookTokenHashes'] = '';
    expect((await run(world)).failure).toBeNull();
    expect(settled(world.state)).toEqual(INSTALLED);
  });

  it('of hashes that the configuration fixes must be given, and is not made', async () => {
    const world = await startWorld();
    const token = newToken();
    const settings = { webhookTokenHashes: [hashOfToken(token)] };
    const refused = await run(world, {}, settings);
    expect((refused.failure as StepError).remedy.join('\n')).toContain('OUTRIGGER_WEBHOOK_TOKEN');
    expect(world.writes).toEqual([]);
    const { failure } = await run(world, { token, testsWebhook: false }, settings);
    expect(failure).toBeNull();
    expect(JSON.stringify([...world.state.objects])).toContain(`/${token}/prod`);
  });
});
