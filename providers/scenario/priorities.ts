import type { Fields } from '../manifest/fields.ts';
import { type Invalid, report } from '../manifest/invalid.ts';

/** Sets the priority of a pod's manifest from its priority class, unless it has one. */
export type Priorities = (pod: unknown, place: string, problems: Invalid[]) => unknown;

/** The classes that every cluster has. */
const SYSTEM_CLASSES: readonly (readonly [string, number])[] = [
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
];

const isObject = (raw: unknown): raw is Fields => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

/**
 * Resolves priority classes as the API server's admission does.
 *
 * @param manifests the cluster's objects; the PriorityClasses among them are used.
 */
export function prioritiesOf(manifests: readonly unknown[]): Priorities {
  const values = new Map(SYSTEM_CLASSES);
  let fallback: number | null = null;
  for (const raw of manifests) {
    if (isObject(raw) && raw['kind'] === 'PriorityClass' && isObject(raw['metadata'])) {
      const { name } = raw['metadata'];
      const value = raw['value'] ?? 0;
      if (typeof name === 'string' && typeof value === 'number') {
        values.set(name, value);
        fallback = raw['globalDefault'] === true ? value : fallback;
      }
    }
  }
  return (pod, place, problems) => {
    const spec = isObject(pod) ? pod['spec'] : null;
    if (!isObject(pod) || !isObject(spec) || (spec['priority'] ?? null) !== null) {
      return pod;
    }
    const name = spec['priorityClassName'] ?? '';
    if (name === '') {
      return fallback === null ? pod : { ...pod, spec: { ...spec, priority: fallback } };
    }
    const value = typeof name === 'string' ? values.get(name) : undefined;
    if (value === undefined) {
      report(problems, `${place}.spec.priorityClassName`, 'the name of a PriorityClass among the objects', name);
      return pod;
    }
    return { ...pod, spec: { ...spec, priority: value } };
  };
}
