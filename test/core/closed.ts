import { nodeName } from '../../core/model/values/names.ts';
import type { ClosedNode } from '../../core/model/scenario.ts';

export const closed = (...names: readonly string[]): readonly ClosedNode[] =>
  names.map((name) => ({
    node: nodeName(name),
    reason: 'UnreadablePod',
    message: 'Pod evil/odd: spec: expected an object, found 7',
  }));
