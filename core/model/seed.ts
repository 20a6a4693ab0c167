import type { ClusterName } from './values/names.ts';

/** The same for the same cluster at the same version, so that an evaluation can be repeated (32-bit FNV-1a). */
export function seedFor(cluster: ClusterName, version: number): number {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(`${cluster}:${version}`)) {
    hash = Math.imul(hash ^ byte, 0x01000193);
  }
  return hash >>> 0;
}
