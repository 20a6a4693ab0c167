import type { Fields } from '@outrigger/providers/manifest/fields.ts';
import type { GivenFlag } from './arguments.ts';

/** A deployment of Cluster Autoscaler, as far as it says how it decides. */
export interface Deployment {
  /** The object with the flags, for messages: `Deployment kube-system/cluster-autoscaler`. */
  readonly origin: string;
  readonly flags: readonly GivenFlag[];
  /** Variables of its container that the provider `clusterapi` reads: variables that begin with `CAPI_`. */
  readonly variables: readonly GivenFlag[];
  /** The cluster's name and region from elsewhere than flags. */
  readonly name: string | null;
  readonly region: string | null;
  /** Version from the image's tag, as `1.32`; `null` where the tag has none. */
  readonly version: { readonly major: number; readonly minor: number } | null;
  /** Notes beside the flags. */
  readonly notes: readonly string[];
}

/** The fields of an object; none where there is no object. */
export const fieldsOf = (raw: unknown): Fields =>
  typeof raw === 'object' && raw !== null && !Array.isArray(raw) ? (raw as Fields) : {};

/** The variables of a container that the provider `clusterapi` reads. */
export const clusterApiVariables = (all: Iterable<readonly [string, string]>): readonly GivenFlag[] =>
  [...all].filter(([name]) => name.startsWith('CAPI_')).map(([name, value]) => ({ name, value }));

export const listedIn = (raw: unknown): readonly unknown[] => (Array.isArray(raw) ? raw : []);

/** A text that says something, or a number or a boolean as a text; `null` where there is none. */
export const textOf = (raw: unknown): string | null =>
  (typeof raw === 'string' && raw !== '') || typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : null;

/** `v1.32.1` is 1.32. */
export function versionOfTag(tag: string | null): Deployment['version'] {
  const match = /^v?(\d{1,4})\.(\d{1,4})(?:\D|$)/.exec(tag ?? '');
  return match === null ? null : { major: Number(match[1]), minor: Number(match[2]) };
}
