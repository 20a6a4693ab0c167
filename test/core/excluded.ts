import { nodeName } from '../../core/model/values/names.ts';
import type { ExcludedNode } from '../../core/model/scenario.ts';

export const excluded = (...names: readonly string[]): readonly ExcludedNode[] =>
  names.map((name) => ({
    node: nodeName(name),
    reason: 'UnreadablePod',
    message: 'Pod evil/odd: spec: expected an object, found 7',
  }));
