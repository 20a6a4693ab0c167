import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import { REPLICAS } from '../../manifest/controller.ts';
import { type Fields, looseFields, looseList, looseText } from '../../manifest/fields.ts';
import { fieldOf } from '../../manifest/invalid.ts';
import type { Doubt } from './doubt.ts';
import { type PlacedManifest, validKindOf } from '../kinds.ts';

/** Controllers that want pods, while no pod among the objects is of them: pods are counted, and controllers are not. */
export function unusedControllers(manifests: readonly PlacedManifest[]): readonly Doubt[] {
  const owners = new Set<string>();
  const labels = new Map<string, Fields[]>();
  for (const { raw } of manifests) {
    const { kind, metadata: given } = looseFields(raw);
    const metadata = looseFields(given);
    const namespace = namespaceOf(metadata);
    for (const owner of looseList(metadata['ownerReferences']).map(looseFields)) {
      owners.add(`${looseText(owner['kind'])} ${namespace}/${looseText(owner['name'])}`);
    }
    if (kind === 'Pod') {
      getOrMake(labels, namespace, () => []).push(looseFields(metadata['labels']));
    }
  }
  return manifests.flatMap(({ raw, place }) => {
    const kind = validKindOf(raw) ?? '';
    const field = valueOf<string, string | null>(REPLICAS, kind) ?? null;
    const { metadata: given, spec: wanted, status } = looseFields(raw);
    // A Job that has begun may have ended.
    if (field === null || (kind === 'Job' && status !== undefined)) {
      return [];
    }
    const metadata = looseFields(given);
    const namespace = namespaceOf(metadata);
    const spec = looseFields(wanted);
    const replicas = typeof spec[field] === 'number' ? spec[field] : 1;
    const name = `${namespace}/${looseText(metadata['name'])}`;
    const isUsed = owners.has(`${kind} ${name}`) || (labels.get(namespace) ?? []).some((of) => isSelected(spec, of));
    if (replicas === 0 || isUsed) {
      return [];
    }
    return [
      {
        place: fieldOf(place, `spec.${field}`),
        text: `${kind} ${name} wants ${replicas}, and objects has no pod of it: only pods count, so write them, too`,
      },
    ];
  });
}

const namespaceOf = (metadata: Fields): string => looseText(metadata['namespace']) || 'default';

function isSelected(spec: Fields, labels: Fields): boolean {
  const wanted = Object.entries(looseFields(looseFields(spec['selector'])['matchLabels']));
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}
