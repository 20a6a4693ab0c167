import type { ClusterReader, ClusterWriter } from '../../core/model/ports.ts';

export interface ClusterAccess {
  readonly reader: ClusterReader;
  readonly writer: ClusterWriter;
}

/**
 * Access to a cluster that is looked for when it is first used, and once: a cluster that cannot be found now fails this
 * look and not the start of the process.
 */
export function lazyCluster(connect: () => Promise<ClusterAccess>): ClusterAccess {
  let connecting: Promise<ClusterAccess> | null = null;
  const connected = async (): Promise<ClusterAccess> => {
    connecting ??= connect();
    try {
      return await connecting;
    } catch (error) {
      connecting = null;
      throw error;
    }
  };
  return {
    reader: {
      hasPendingPods: async (signal) => (await connected()).reader.hasPendingPods(signal),
      read: async (signal) => (await connected()).reader.read(signal),
      readNode: async (node, signal) => (await connected()).reader.readNode(node, signal),
      attachedVolumes: async (node, signal) => (await connected()).reader.attachedVolumes(node, signal),
    },
    writer: {
      changeNode: async (node, uid, change, signal) => (await connected()).writer.changeNode(node, uid, change, signal),
      evict: async (pod, graceSeconds, signal) => (await connected()).writer.evict(pod, graceSeconds, signal),
      recordEvent: async (event, signal) => (await connected()).writer.recordEvent(event, signal),
    },
  };
}
