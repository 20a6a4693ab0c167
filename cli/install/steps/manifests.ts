import { applyObject, readObject } from '@outrigger/providers/kubernetes/apply.ts';
import type { KubernetesObject } from '@outrigger/providers/kubernetes/manifests/object.ts';
import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { fieldsOf, textOf } from '../../migrate/deployment.ts';
import { stepDone, type Taken, unchanged, would } from '../journal.ts';

/** Applies the objects, in order, by server-side apply. */
export async function applyManifests(
  transport: Transport,
  objects: readonly KubernetesObject[],
  dryRun: boolean,
): Promise<Taken<null>> {
  const changed: string[] = [];
  for (const object of objects) {
    const before = versionOf(await readObject(transport, object));
    if (dryRun) {
      changed.push(...(before === null ? [objectText(object)] : []));
      continue;
    }
    await applyObject(transport, object);
    if (versionOf(await readObject(transport, object)) !== before) {
      changed.push(objectText(object));
    }
  }
  if (dryRun) {
    return would(`Would apply ${objects.length} objects; ${changed.length} of them do not exist.`, null);
  }
  return changed.length === 0
    ? unchanged(`All ${objects.length} objects in the cluster are as they should be.`, null)
    : stepDone(`Applied to the cluster: ${changed.join(', ')}.`, null);
}

/** `ClusterRole outrigger`. */
export const objectText = ({ kind, metadata }: KubernetesObject): string => `${kind} ${metadata.name}`;

const versionOf = (object: Readonly<Record<string, unknown>> | null): string | null =>
  object === null ? null : textOf(fieldsOf(object['metadata'])['resourceVersion']);
