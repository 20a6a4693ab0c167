import { byName } from '../values/names.ts';
import type { Node } from './node.ts';

/** Orders nodes by creation, the newest first. */
export const newestFirst = (a: Node, b: Node): number =>
  (b.createdAt ?? 0) - (a.createdAt ?? 0) || byName(a.name, b.name);
