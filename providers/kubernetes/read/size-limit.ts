import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import { looseFields, looseText } from '../../manifest/fields.ts';

/**
 * Most characters of the JSON of one namespace's objects of one kind, some 4,000 ProvisioningRequests of Kueue. A namespace may have
 * gigabytes of objects, and an evaluation reads them all: 900 MB took 15 s of CPU.
 */
const MOST_OF_NAMESPACE = 16 * 1024 * 1024;

/** Limits what is read of each namespace, for the pages of one list. */
export interface SizeLimit {
  /** Is the object within the limit of its namespace? The first object that is not is added to `rejected`. */
  readonly admits: (raw: unknown, rejected: RejectedObject[]) => boolean;
  /** Namespaces of which no more is read. */
  readonly exhausted: () => readonly string[];
}

/** @param kind for the message: `PodTemplate`. */
export function sizeLimit(kind: string): SizeLimit {
  const sizes = new Map<string, number>();
  const exhausted = new Set<string>();
  return {
    admits: (raw, rejected) => {
      const namespace = namespaceOf(raw);
      if (exhausted.has(namespace)) {
        return false;
      }
      const size = (sizes.get(namespace) ?? 0) + JSON.stringify(raw).length;
      sizes.set(namespace, size);
      if (size <= MOST_OF_NAMESPACE) {
        return true;
      }
      exhausted.add(namespace);
      const limit = `${MOST_OF_NAMESPACE / (1024 * 1024)} MiB`;
      rejected.push({
        place: `${kind} objects of namespace ${namespace}`,
        expected: `at most ${limit} of them, as JSON`,
        found: `more: those beyond the first ${limit} are not read, in the order of their names`,
      });
      return false;
    },
    exhausted: () => [...exhausted],
  };
}

const namespaceOf = (raw: unknown): string => looseText(looseFields(looseFields(raw)['metadata'])['namespace']);
