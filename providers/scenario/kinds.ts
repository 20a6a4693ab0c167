import { getOwn } from '@outrigger/core/model/values/existing.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';
import { apiGroupOf } from '@outrigger/core/model/cluster/workloads.ts';
import { type Fields, isFields, looseFields, looseList } from '../manifest/fields.ts';
import { type Invalid, fieldOf, itemOf, report } from '../manifest/invalid.ts';
import { type Kind, KINDS } from '../manifest/objects.ts';
import { nearest } from '../schema/known-fields.ts';
import known from './kubernetes-fields.json' with { type: 'json' };

/** A manifest, and where it is in the document. */
export interface PlacedManifest {
  readonly raw: unknown;
  readonly place: string;
}

/** The manifests of a list, with `List`, `PodList` and other lists among them replaced by their items. */
export const unpackedManifests = (raw: readonly unknown[], place: string): readonly PlacedManifest[] =>
  unpacked(raw.map((item, index) => ({ raw: item, place: itemOf(place, index) })));

/** Flattens `List`, `PodList` and other lists, at any depth. */
function unpacked(manifests: readonly PlacedManifest[]): readonly PlacedManifest[] {
  return manifests.flatMap((manifest) => {
    const { kind: listKind, apiVersion, items } = looseFields(manifest.raw);
    if (typeof listKind !== 'string' || !listKind.endsWith('List') || !Array.isArray(items)) {
      return [manifest];
    }
    const kind = listKind.slice(0, -'List'.length);
    const at = fieldOf(manifest.place, 'items');
    return unpacked(
      items.map((item: unknown, index) => ({
        // The items of a `PodList` have neither `kind` nor `apiVersion`.
        raw: kind !== '' && isFields(item) && item['kind'] === undefined ? { apiVersion, ...item, kind } : item,
        place: itemOf(at, index),
      })),
    );
  });
}

/** No kind that is read has another version than v1, and those before it in its group. */
const VERSION_ONE = /^v1$|\/v1(?:(?:alpha|beta)\d+)?$/;

/** Every kind of Kubernetes' own API groups. */
const KUBERNETES_KINDS: ReadonlySet<string> = new Set(known.kinds.split(' '));

/** The kind, if decisions depend on it; `null` for any other. A kind that is probably mistyped is a problem. */
export function kindOf(fields: Fields, place: string, problems: Invalid[]): string | null {
  const { kind, apiVersion } = fields;
  if (typeof kind !== 'string' || kind === '') {
    report(problems, fieldOf(place, 'kind'), 'the kind of a Kubernetes object', kind);
    return null;
  }
  if (apiVersion !== undefined && typeof apiVersion !== 'string') {
    report(problems, fieldOf(place, 'apiVersion'), 'the version of a Kubernetes API, such as apps/v1', apiVersion);
    return null;
  }
  const group = mapOptional(apiVersion, apiGroupOf);
  const isInGroup = ({ apiGroup }: Kind): boolean => group === undefined || group === apiGroup;
  const read = valueOf(KINDS, kind);
  if (read !== undefined) {
    if (!isInGroup(read)) {
      // A Deployment of another API group is a different kind.
      return null;
    }
    if (apiVersion !== undefined && !VERSION_ONE.test(apiVersion)) {
      report(
        problems,
        fieldOf(place, 'apiVersion'),
        presentItems([read.apiGroup !== '' && read.apiGroup, 'v1']).join('/'),
        apiVersion,
      );
    }
    return kind;
  }
  if (KUBERNETES_KINDS.has(kind)) {
    return null;
  }
  // Ignoring a Pod with the mistyped kind `Pdo` would silently lead to a wrong decision.
  const similar = Object.keys(KINDS).filter((name) => isInGroup(getOwn(KINDS, name)));
  const meant = nearest(kind, similar, MOST_APART);
  if (meant !== null) {
    report(problems, fieldOf(place, 'kind'), `a kind that Kubernetes knows (did you mean ${meant}?)`, kind);
  }
  return null;
}

/** Letters by which a kind may differ from the one that was meant: custom resources have similar names. */
const MOST_APART = 2;

/** The kind of a valid manifest, if decisions depend on it; `null` for any other value. */
export const validKindOf = (raw: unknown): string | null => kindOf(looseFields(raw), '', []);

/** The items of a list that may be absent, or no list, with the place of each. */
export const placedIn = (from: unknown, key: string, place: string): readonly PlacedManifest[] =>
  looseList(looseFields(from)[key]).map((raw, index) => ({ raw, place: itemOf(fieldOf(place, key), index) }));
