import type { NodeName } from '@outrigger/core/model/values/names.ts';
import type { VolumeAttachment } from '@outrigger/core/model/cluster/storage.ts';
import { VOLUME_ATTACHMENTS } from './kinds.ts';
import { listAll } from './list.ts';
import type { Transport } from '../client/transport.ts';

/** The persistent volumes that are attached to a node; the API server has no selector for them. */
export async function attachedVolumes(
  transport: Transport,
  node: NodeName,
  pageSize: number,
  signal?: AbortSignal,
): Promise<readonly string[]> {
  const { items } = await listAll(transport, VOLUME_ATTACHMENTS, { pageSize }, signal);
  return (items as readonly VolumeAttachment[])
    .filter(({ nodeName, attached }) => nodeName === node && attached)
    .map(({ persistentVolume }) => persistentVolume)
    .filter((volume) => volume !== null)
    .toSorted();
}
