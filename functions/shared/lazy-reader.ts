import type { ClusterReader } from '../../core/model/ports.ts';

/**
 * A reader that finds its cluster when it is first asked, and once: a cluster that cannot be found now fails this look
 * and not the start of the process.
 */
export function lazyReader(connect: () => Promise<ClusterReader>): ClusterReader {
  let connecting: Promise<ClusterReader> | null = null;
  const connected = async (): Promise<ClusterReader> => {
    connecting ??= connect();
    try {
      return await connecting;
    } catch (error) {
      connecting = null;
      throw error;
    }
  };
  return {
    hasPendingPods: async (signal) => (await connected()).hasPendingPods(signal),
    read: async (signal) => (await connected()).read(signal),
  };
}
