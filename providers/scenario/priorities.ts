import { type Fields, isFields, looseFields, type Section } from '../manifest/fields.ts';
import { report } from '../manifest/invalid.ts';

/** Sets the priority of a pod's manifest from its priority class, unless it has one. */
export type Priorities = (pod: Section) => Fields;

/** The classes that every cluster has. */
const SYSTEM_CLASSES: readonly (readonly [string, number])[] = [
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
];

/**
 * Resolves priority classes as the API server's admission does.
 *
 * @param manifests the cluster's objects; the PriorityClasses among them are used.
 */
export function prioritiesOf(manifests: readonly unknown[]): Priorities {
  const values = new Map(SYSTEM_CLASSES);
  let fallback: number | undefined;
  for (const raw of manifests) {
    const { kind, metadata, value, globalDefault } = looseFields(raw);
    const { name } = looseFields(metadata);
    const priority = value ?? 0;
    if (kind === 'PriorityClass' && typeof name === 'string' && typeof priority === 'number') {
      values.set(name, priority);
      if (globalDefault === true) {
        fallback = priority;
      }
    }
  }
  return ({ fields: pod, place, problems }) => {
    const { spec } = pod;
    if (!isFields(spec) || (spec['priority'] ?? null) !== null) {
      return pod;
    }
    const name = spec['priorityClassName'] ?? '';
    const priority = name === '' ? fallback : values.get(name as string);
    if (priority !== undefined) {
      return { ...pod, spec: { ...spec, priority } };
    }
    if (name !== '') {
      report(problems, `${place}.spec.priorityClassName`, 'the name of a PriorityClass among the objects', name);
    }
    return pod;
  };
}
