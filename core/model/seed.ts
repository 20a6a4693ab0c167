import type { ClusterName } from './values/names.ts';

/** The same for the same cluster at the same version, so that an evaluation can be repeated. */
export const seedFor = (cluster: ClusterName, version: number): number => hashOf(`${cluster}:${version}`);

/** 32-bit FNV-1a of a text, as an unsigned integer. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
