import { SCHEDULES_PARAMETER } from '../../config/stack-names.ts';
import { manifestsOf } from '@outrigger/providers/kubernetes/manifests/manifests.ts';
import { checkedWebhook } from '@outrigger/providers/kubernetes/webhook.ts';
import { tokenInCluster, urlWith } from './cluster/webhook.ts';
import { type Journal, skipped, StepError } from './journal.ts';
import { manifestSettingsOf, otherAccount, type InstallPlace } from './place.ts';
import { checkPlace } from './steps/check.ts';
import { acceptedBy, acts, type Deploy, deployStack, finishStack, switchOff } from './steps/deploy.ts';
import { letDrainsBegin, endDrains } from './steps/drains.ts';
import { applyManifests } from './steps/manifests.ts';
import { freeNodes } from './steps/nodes.ts';
import { tryWebhook } from './steps/try-webhook.ts';
import { type DeployedStack, exists, listResources, readStack, tableOf } from './stack/deployed.ts';
import { type ChosenToken, chooseToken } from './token.ts';

export interface InstallRequest {
  readonly rotateToken: boolean;
  /** How long drains may take to end before they are stopped, in milliseconds, where the stack is to observe from now on. */
  readonly drainLimitMs: number;
  /** Whether a notification is sent through the webhook. */
  readonly testsWebhook: boolean;
  readonly dryRun: boolean;
  /** The token in the environment; `null`: none. */
  readonly token: string | null;
}

/**
 * Installs Outrigger for one cluster. Every step looks at what is there and goes on from it, so a run that was interrupted
 * anywhere is repeated as a whole, and ends as one that was not.
 *
 * @throws StepError where the cluster is in another account than its stack: nothing is done
 * @throws StepError, or what AWS or the API server answer, where a step fails; the journal has what was done before
 */
export async function install(
  place: InstallPlace,
  deploy: Deploy,
  { rotateToken, testsWebhook, dryRun, token: given, drainLimitMs }: InstallRequest,
  journal: Journal,
): Promise<void> {
  if (place.config.role !== null) {
    throw otherAccount(place.config);
  }
  await journal.take('checks', 'Checking the account and the cluster', () => checkPlace(place));
  const before = await readStack(place.stack);
  let token: ChosenToken | null = null;
  if (place.config.webhook !== 'none' && !place.config.applyManifests) {
    token = chooseToken({
      inCluster: await tokenInCluster(place.transport, place.config.name),
      accepted: acceptedBy(before),
      fixed: place.config.webhookTokenHashes,
      given,
      rotate: rotateToken,
    });
  }
  const forParameter = place.config.webhookTokenHashes === null ? token : null;
  if (place.config.mode === 'observe' && exists(before) && acts(before)) {
    await endRemovals(place, before, { drainLimitMs, dryRun }, journal);
  }
  const stack = await journal.take('stack', `Deploying the stack ${place.stack.name}`, () =>
    deployStack(place, deploy, forParameter, dryRun),
  );
  await journal.take('manifests', 'Applying RBAC and webhook to the cluster', async () => {
    if (place.config.applyManifests) {
      return skipped('The stack has applied RBAC and webhook (applyManifests: true).', null);
    }
    return await applyManifests(place.transport, manifestsFor(place, stack, token), dryRun);
  });
  await journal.take('webhook', 'Waiting for a notification through the webhook', async () => {
    if (testsWebhook && place.config.webhook !== 'none') {
      return await tryWebhook(place, dryRun);
    }
    return skipped('The webhook is not tried.', null);
  });
  await journal.take('schedules', 'Switching the schedules on', async () => {
    // The schedules of a stack that observes are off where its installation was interrupted.
    const wasActing = exists(before) && (acts(before) || before.parameters[SCHEDULES_PARAMETER] === 'DISABLED');
    if (place.config.mode === 'observe' && wasActing && !dryRun) {
      await letDrainsBegin(place, await listResources(place.stack));
    }
    return await finishStack(place, stack, forParameter, dryRun);
  });
}

/** Ends the drains of a stack that acts, while it still has its rights: a stack that observes could not finish them. */
async function endRemovals(
  place: InstallPlace,
  stack: DeployedStack,
  { drainLimitMs, dryRun }: Pick<InstallRequest, 'drainLimitMs' | 'dryRun'>,
  journal: Journal,
): Promise<void> {
  await journal.take('schedules-off', 'Switching the schedules off, for mode: observe', () =>
    switchOff(place, stack, dryRun),
  );
  const resources = await listResources(place.stack);
  const drains = await journal.take('drains', 'Waiting for drains to end', () =>
    endDrains(place, tableOf(resources), resources, { limitMs: drainLimitMs, dryRun }),
  );
  await journal.take('nodes', 'Taking taints off nodes', () => freeNodes(place, drains, dryRun));
}

function manifestsFor(
  { config, stack: { name } }: InstallPlace,
  stack: DeployedStack | null,
  token: ChosenToken | null,
) {
  const settings = manifestSettingsOf(config);
  if (token === null || stack === null) {
    return manifestsOf(settings, null);
  }
  const url = urlWith(token.token, stack.outputs['Webhook']);
  if (url === null) {
    throw new StepError(`The stack ${name} has no output Webhook with the address of the webhook.`);
  }
  const { schedulerUsers, plannedPlacement: readyNodes } = settings;
  return [...manifestsOf(settings, null), checkedWebhook(config.name, { url, ca: null, schedulerUsers, readyNodes })];
}
