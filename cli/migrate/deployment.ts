import { mapOptional } from '@outrigger/core/model/values/optional.ts';
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
export const clusterApiVariables = (all: readonly GivenFlag[]): readonly GivenFlag[] =>
  all.filter(({ name }) => name.startsWith('CAPI_'));

export const listedIn = (raw: unknown): readonly unknown[] => (Array.isArray(raw) ? raw : []);

/** A text that says something, or a number or a boolean as a text; `null` where there is none. */
export const textOf = (raw: unknown): string | null =>
  (typeof raw === 'string' && raw !== '') || typeof raw === 'number' || typeof raw === 'boolean' ? String(raw) : null;

/** The texts of a list. */
export const textsOf = (raw: unknown): readonly string[] => listedIn(raw).flatMap((one) => textOf(one) ?? []);

/** Names with the values that are texts, in their order; all others are left out. */
export function textsIn(entries: Iterable<readonly [name: string | null, value: unknown]>): readonly GivenFlag[] {
  const texts: GivenFlag[] = [];
  for (const [name, given] of entries) {
    const value = textOf(given);
    if (name !== null && value !== null) {
      texts.push({ name, value });
    }
  }
  return texts;
}

/** `v1.32.1` is 1.32. */
export const versionOfTag = (tag: string | null): Deployment['version'] =>
  mapOptional(/^v?(\d{1,4})\.(\d{1,4})(?:\D|$)/.exec(tag ?? ''), ([, major, minor]) => ({
    major: Number(major),
    minor: Number(minor),
  }));
