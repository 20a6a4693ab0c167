import { getOwn } from '@outrigger/core/model/values/existing.ts';
import { apiGroupOf } from '@outrigger/core/model/cluster/workloads.ts';
import type { Fields } from '../manifest/fields.ts';
import { type Invalid, fieldOf, itemOf, report } from '../manifest/invalid.ts';
import { KINDS } from '../manifest/objects.ts';
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
    const { raw, place } = manifest;
    if (
      !isObject(raw) ||
      typeof raw['kind'] !== 'string' ||
      !raw['kind'].endsWith('List') ||
      !Array.isArray(raw['items'])
    ) {
      return [manifest];
    }
    const kind = raw['kind'].slice(0, -'List'.length);
    const at = fieldOf(place, 'items');
    const { apiVersion } = raw;
    // The items of a `PodList` have neither `kind` nor `apiVersion`.
    const items = raw['items'].map((item: unknown, index) => ({
      raw: kind !== '' && isObject(item) && item['kind'] === undefined ? { apiVersion, ...item, kind } : item,
      place: itemOf(at, index),
    }));
    return unpacked(items);
  });
}

export const isObject = (raw: unknown): raw is Fields => typeof raw === 'object' && raw !== null && !Array.isArray(raw);

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
  const group = apiVersion === undefined ? null : apiGroupOf(apiVersion);
  const read = Object.hasOwn(KINDS, kind) ? getOwn(KINDS, kind) : null;
  if (read !== null) {
    // A Deployment of another API group is a different kind.
    return group === null || group === read.apiGroup ? kind : null;
  }
  // Ignoring a Pod with the mistyped kind `Pdo` would silently lead to a wrong decision.
  const meant = KUBERNETES_KINDS.has(kind)
    ? null
    : nearest(
        kind,
        Object.keys(KINDS).filter((name) => group === null || group === getOwn(KINDS, name).apiGroup),
        MOST_APART,
      );
  if (meant !== null) {
    report(problems, fieldOf(place, 'kind'), `a kind that Kubernetes knows (did you mean ${meant}?)`, kind);
  }
  return null;
}

/** Letters by which a kind may differ from the one that was meant: custom resources have similar names. */
const MOST_APART = 2;

/** The items of a list that may be absent, or no list. */
export const listOfKind = (from: unknown, key: string): readonly unknown[] =>
  isObject(from) && Array.isArray(from[key]) ? (from[key] as readonly unknown[]) : [];

/** The same, with the place of each. */
export const placedIn = (from: unknown, key: string, place: string): readonly PlacedManifest[] =>
  listOfKind(from, key).map((raw, index) => ({ raw, place: itemOf(fieldOf(place, key), index) }));
