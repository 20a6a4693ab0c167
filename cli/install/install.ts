import { manifestsOf } from '../../providers/kubernetes/manifests/manifests.ts';
import { checkedWebhook } from '../../providers/kubernetes/webhook.ts';
import { tokenInCluster, urlWith } from './cluster/webhook.ts';
import { type Journal, skipped, StepError } from './journal.ts';
import { manifestSettingsOf, otherAccount, type Place } from './place.ts';
import { checkPlace } from './steps/check.ts';
import { acceptedBy, type Deploy, deployStack, finishStack } from './steps/deploy.ts';
import { applyManifests } from './steps/manifests.ts';
import { tryWebhook } from './steps/ring.ts';
import { type DeployedStack, readStack } from './stack/deployed.ts';
import { type ChosenToken, chooseToken } from './token.ts';

export interface InstallRequest {
  readonly rotateToken: boolean;
  /** Whether a notification is sent through the webhook. */
  readonly ring: boolean;
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
  place: Place,
  deploy: Deploy,
  { rotateToken, ring, dryRun, token: given }: InstallRequest,
  journal: Journal,
): Promise<void> {
  if (place.config.role !== null) {
    throw otherAccount(place.config);
  }
  await journal.take('checks', 'Checking the account and the cluster', () => checkPlace(place));
  const before = await readStack(place.stack);
  const token =
    place.config.webhook === 'none' || place.config.applyManifests
      ? null
      : chooseToken({
          inCluster: await tokenInCluster(place.transport, place.config.name),
          accepted: acceptedBy(before),
          fixed: place.config.webhookTokenHashes,
          given,
          rotate: rotateToken,
        });
  const forParameter = place.config.webhookTokenHashes === null ? token : null;
  const stack = await journal.take('stack', `Deploying the stack ${place.stack.name}`, () =>
    deployStack(place, deploy, forParameter, dryRun),
  );
  await journal.take('manifests', 'Applying RBAC and webhook to the cluster', async () =>
    place.config.applyManifests
      ? skipped('The stack has applied RBAC and webhook (applyManifests: true).', null)
      : await applyManifests(place.transport, manifestsFor(place, stack, token), dryRun),
  );
  await journal.take('webhook', 'Waiting for a notification through the webhook', async () =>
    ring && place.config.webhook !== 'none'
      ? await tryWebhook(place, dryRun)
      : skipped('The webhook is not tried.', null),
  );
  await journal.take('schedules', 'Switching the schedules on', () => finishStack(place, stack, forParameter, dryRun));
}

function manifestsFor({ config, stack: { name } }: Place, stack: DeployedStack | null, token: ChosenToken | null) {
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
