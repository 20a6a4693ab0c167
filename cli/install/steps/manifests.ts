import { applyObject, readObject } from '@outrigger/providers/kubernetes/apply.ts';
import type { KubernetesObject } from '@outrigger/providers/kubernetes/manifests/object.ts';
import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { fieldsOf, textOf } from '../../migrate/deployment.ts';
import { stepDone, type StepResult, unchanged, would } from '../journal.ts';

/** Applies the objects, in order, by server-side apply. */
export async function applyManifests(
  transport: Transport,
  objects: readonly KubernetesObject[],
  dryRun: boolean,
): Promise<StepResult<null>> {
  const changed: string[] = [];
  for (const object of objects) {
    if (await changesCluster(transport, object, dryRun)) {
      changed.push(objectText(object));
    }
  }
  if (dryRun) {
    return would(`Would apply ${objects.length} objects; ${changed.length} of them do not exist.`, null);
  }
  if (changed.length === 0) {
    return unchanged(`All ${objects.length} objects in the cluster are as they should be.`, null);
  }
  return stepDone(`Applied to the cluster: ${changed.join(', ')}.`, null);
}

/** Applies an object, and says whether that has changed it; in a dry run, whether it is missing. */
async function changesCluster(transport: Transport, object: KubernetesObject, dryRun: boolean): Promise<boolean> {
  const before = versionOf(await readObject(transport, object));
  if (dryRun) {
    return before === null;
  }
  const { resourceVersion } = await applyObject(transport, object);
  return resourceVersion !== before;
}

/** `ClusterRole outrigger`. */
export const objectText = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name}`;

const versionOf = (object: Readonly<Record<string, unknown>> | null): string | null =>
  textOf(fieldsOf(object?.['metadata'])['resourceVersion']);
