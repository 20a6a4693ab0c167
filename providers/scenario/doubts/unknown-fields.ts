import { getExisting } from '@outrigger/core/model/values/existing.ts';
import { counted } from '@outrigger/core/model/values/counted.ts';
import { getOrMake } from '@outrigger/core/model/values/get-or-make.ts';
import { isFields, looseFields } from '../../manifest/fields.ts';
import { fieldOf, itemOf } from '../../manifest/invalid.ts';
import { didYouMean } from '../../schema/known-fields.ts';
import { placedIn, type PlacedManifest, validKindOf } from '../kinds.ts';
import fieldsByType from '../kubernetes-fields.json' with { type: 'json' };
import type { Doubt } from './doubt.ts';

/** A value, and its type in Kubernetes' API. */
interface TypedManifest extends PlacedManifest {
  readonly type: string;
}

const typed = ({ raw, place }: PlacedManifest): TypedManifest => ({ raw, place, type: `V1${validKindOf(raw) ?? ''}` });

const templatesOf = ({ raw, place }: PlacedManifest): readonly TypedManifest[] => [
  { raw: looseFields(raw)['template'], place: fieldOf(place, 'template'), type: 'V1Node' },
  ...placedIn(raw, 'templatePods', place).map((pod) => ({ ...pod, type: 'V1Pod' })),
  ...placedIn(raw, 'alternatives', place).flatMap(templatesOf),
];

/** The fields of a type, and the type of each whose fields are known. */
const TYPES: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map(
  Object.entries(fieldsByType.types).map(([type, fields]) => [
    type,
    new Map(
      fields.split(' ').map((field) => {
        const [name = '', of = ''] = field.split(':');
        return [name, of];
      }),
    ),
  ]),
);

/** Types of which a pod with an unknown field is not simulated (`manifest/pod-spec-fields.ts`). */
const COMPLETE: ReadonlySet<string> = new Set([
  'V1PodSpec',
  'V1Affinity',
  'V1NodeAffinity',
  'V1PodAffinity',
  'V1PodAntiAffinity',
  'V1PodAffinityTerm',
  'V1PodSchedulingGroup',
  'V1Toleration',
  'V1TopologySpreadConstraint',
]);

/**
 * Fields of manifests that Kubernetes does not know: each once, with the first place where it is.
 *
 * @param groups the `nodeGroups`, whose templates are manifests.
 */
export function unknownFields(
  groups: readonly PlacedManifest[],
  manifests: readonly PlacedManifest[],
): readonly Doubt[] {
  const found = new Map<
    string,
    { readonly place: string; readonly type: string; readonly name: string; count: number }
  >();
  const visit = ({ raw, place, type }: TypedManifest): void => {
    const fields = TYPES.get(type);
    if (fields === undefined || !isFields(raw)) {
      return;
    }
    for (const [name, value] of Object.entries(raw)) {
      const of = fields.get(name);
      if (of === undefined) {
        const first = () => ({ place: fieldOf(place, name), type, name, count: 0 });
        getOrMake(found, `${type}.${name}`, first).count += 1;
      } else if (of !== '' && Array.isArray(value)) {
        value.forEach((item, index) => visit({ raw: item, place: itemOf(fieldOf(place, name), index), type: of }));
      } else if (of !== '') {
        visit({ raw: value, place: fieldOf(place, name), type: of });
      }
    }
  };
  [...groups.flatMap(templatesOf), ...manifests.map(typed)].forEach(visit);
  return [...found.values()].map(({ place, type, name, count }) => ({
    place,
    text:
      `Kubernetes' ${type.replace(/^(?:Core)?V1/, '')} has no such field${didYouMean(name, getExisting(TYPES, type).keys())}, ${COMPLETE.has(type) ? 'so its pods are not simulated' : 'so it is ignored'}` +
      (count === 1 ? '' : `, as in ${counted(count - 1, 'other place')}`),
  }));
}
