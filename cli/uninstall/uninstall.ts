import { firstItem } from '@outrigger/core/model/values/existing.ts';
import type { StoredDrain } from '@outrigger/core/model/drain.ts';
import { type ObjectRemoval, removeObject } from '@outrigger/providers/kubernetes/apply.ts';
import type { KubernetesObject } from '@outrigger/providers/kubernetes/manifests/object.ts';
import { removableManifests } from '@outrigger/providers/kubernetes/manifests/manifests.ts';
import { stepDone, type Journal, type StepResult, unchanged, would } from '../install/journal.ts';
import { manifestSettingsOf, type InstallPlace } from '../install/place.ts';
import { switchOff } from '../install/steps/deploy.ts';
import { endDrains } from '../install/steps/drains.ts';
import { objectText } from '../install/steps/manifests.ts';
import { freeNodes } from '../install/steps/nodes.ts';
import {
  deleteStack,
  type DeployedStack,
  exists,
  listResources,
  readStack,
  resourceOf,
  type StackResource,
  tableOf,
} from '../install/stack/deployed.ts';
import { newestTable, settleTables } from './steps/tables.ts';

export interface UninstallRequest {
  /** How long drains may take to end before they are stopped, in milliseconds. */
  readonly drainLimitMs: number;
  readonly deleteTable: boolean;
  readonly dryRun: boolean;
}

/**
 * Removes Outrigger from one cluster: first what begins something, then what is going on, then what is left of it, and
 * the stack last. A run that was interrupted anywhere is repeated as a whole.
 *
 * @returns what stays, and how to delete it, in lines
 */
export async function uninstall(
  place: InstallPlace,
  { drainLimitMs, deleteTable, dryRun }: UninstallRequest,
  journal: Journal,
): Promise<readonly string[]> {
  const stack = await readStack(place.stack);
  const manifests = removableManifests(manifestSettingsOf(place.config));
  await journal.take('schedules', 'Switching the schedules off', () => switchOff(place, stack, dryRun));
  await journal.take('webhook', 'Removing the webhook', () => removeObjects(place, manifests.slice(0, 1), dryRun));
  const drains = await journal.take('drains', 'Waiting for drains to end', () =>
    endDrainsIn(place, stack, drainLimitMs, dryRun),
  );
  await journal.take('nodes', 'Taking taints off nodes', () => freeNodes(place, drains, dryRun));
  await journal.take('manifests', 'Removing RBAC', () => removeObjects(place, manifests.slice(1), dryRun));
  const bucket = resourceOf(await resourcesOf(place, stack), 'AWS::S3::Bucket', 'Snapshots');
  await journal.take('stack', `Deleting the stack ${place.stack.name}`, () => removeStack(place, stack, dryRun));
  const notes = await journal.take('table', 'Looking for the table of the state', () =>
    settleTables(place, deleteTable, dryRun),
  );
  if (bucket === null) {
    return notes;
  }
  // CloudFormation cannot delete the bucket as long as something is in it.
  return [
    ...notes,
    'To delete the bucket of snapshots, which is kept, and is empty after two days:',
    `aws s3 rb --region ${place.region} --force s3://${bucket}`,
  ];
}

const resourcesOf = async (place: InstallPlace, stack: DeployedStack | null): Promise<readonly StackResource[]> =>
  exists(stack) ? await listResources(place.stack) : [];

async function endDrainsIn(
  place: InstallPlace,
  stack: DeployedStack | null,
  limitMs: number,
  dryRun: boolean,
): Promise<StepResult<readonly StoredDrain[] | null>> {
  const resources = await resourcesOf(place, stack);
  // If the stack is gone, the table shows the nodes that are being drained.
  const table = tableOf(resources) ?? (await newestTable(place));
  return await endDrains(place, table, resources, { limitMs, dryRun });
}

async function removeObjects(
  { transport }: InstallPlace,
  objects: readonly KubernetesObject[],
  dryRun: boolean,
): Promise<StepResult<null>> {
  if (dryRun) {
    return would(`Would remove ${objects.map(objectText).join(', ')}.`, null);
  }
  const named: Record<ObjectRemoval, string[]> = { removed: [], changed: [], absent: [] };
  for (const object of objects) {
    named[await removeObject(transport, object)].push(objectText(object));
  }
  const texts: string[] = [];
  if (named.removed.length > 0) {
    texts.push(`Removed from the cluster: ${named.removed.join(', ')}.`);
  }
  if (named.changed.length > 0) {
    texts.push(`Kept, as others made or changed it: ${named.changed.join(', ')}.`);
  }
  if (texts.length === 0) {
    texts.push(objects.length === 1 ? `${objectText(firstItem(objects))} is not there.` : 'They are not there.');
  }
  const text = texts.join(' ');
  return named.removed.length > 0 ? stepDone(text, null) : unchanged(text, null);
}

async function removeStack(
  { stack: client }: InstallPlace,
  stack: DeployedStack | null,
  dryRun: boolean,
): Promise<StepResult<null>> {
  if (stack === null) {
    return unchanged(`There is no stack ${client.name}.`, null);
  }
  if (dryRun) {
    return would(`Would delete the stack ${client.name}.`, null);
  }
  await deleteStack(client, stack);
  return stepDone(`The stack ${client.name} is deleted.`, null);
}
