import { REPLICAS } from '../../manifest/controller.ts';
import type { Fields } from '../../manifest/fields.ts';
import { fieldOf } from '../../manifest/invalid.ts';
import type { Doubt } from './doubt.ts';
import { isObject, kindOf, type PlacedManifest } from '../kinds.ts';

const fieldsIn = (from: Fields, key: string): Fields => {
  const value = from[key];
  return isObject(value) ? value : {};
};

const textIn = (from: Fields, key: string): string => (typeof from[key] === 'string' ? from[key] : '');

/** Controllers that want pods, while no pod among the objects is of them: pods are counted, and controllers are not. */
export function unusedControllers(manifests: readonly PlacedManifest[]): readonly Doubt[] {
  const owners = new Set<string>();
  const labels = new Map<string, Fields[]>();
  for (const { raw } of manifests) {
    const metadata = isObject(raw) ? fieldsIn(raw, 'metadata') : {};
    const namespace = namespaceOf(metadata);
    const references = metadata['ownerReferences'];
    for (const owner of Array.isArray(references) ? (references as readonly unknown[]) : []) {
      if (isObject(owner)) {
        owners.add(`${textIn(owner, 'kind')} ${namespace}/${textIn(owner, 'name')}`);
      }
    }
    if (isObject(raw) && raw['kind'] === 'Pod') {
      const there = labels.get(namespace) ?? [];
      there.push(fieldsIn(metadata, 'labels'));
      labels.set(namespace, there);
    }
  }
  return manifests.flatMap(({ raw, place }) => {
    const kind = isObject(raw) ? kindOf(raw, place, []) : null;
    const field = kind !== null && Object.hasOwn(REPLICAS, kind) ? REPLICAS[kind as keyof typeof REPLICAS] : null;
    // A Job that has begun may have ended.
    if (field === null || !isObject(raw) || (kind === 'Job' && raw['status'] !== undefined)) {
      return [];
    }
    const metadata = fieldsIn(raw, 'metadata');
    const namespace = namespaceOf(metadata);
    const spec = fieldsIn(raw, 'spec');
    const wanted = typeof spec[field] === 'number' ? spec[field] : 1;
    const name = `${namespace}/${textIn(metadata, 'name')}`;
    const isUsed = owners.has(`${kind} ${name}`) || (labels.get(namespace) ?? []).some((of) => isSelected(spec, of));
    return wanted === 0 || isUsed
      ? []
      : [
          {
            place: fieldOf(place, `spec.${field}`),
            text: `${kind} ${name} wants ${wanted}, and objects has no pod of it: only pods count, so write them, too`,
          },
        ];
  });
}

const namespaceOf = (metadata: Fields): string => textIn(metadata, 'namespace') || 'default';

function isSelected(spec: Fields, labels: Fields): boolean {
  const wanted = Object.entries(fieldsIn(fieldsIn(spec, 'selector'), 'matchLabels'));
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
