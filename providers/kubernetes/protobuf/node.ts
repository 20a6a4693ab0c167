import { bool, list, message, nested, quantityMap, text, textList, time } from './message.ts';
import { MOST_READ } from '../../manifest/most-read.ts';
import { METADATA } from './meta.ts';

// k8s.io/api/core/v1/generated.proto

const TAINT = message({ key: text(1), value: text(2), effect: text(3) });

const CONDITION = message({ type: text(1), status: text(2), lastTransitionTime: time(4), reason: text(5) });

/** Without images, addresses and attached volumes, which are most of a node's bytes. */
export const NODE = message({
  metadata: METADATA,
  spec: nested(2, message({ providerID: text(3), unschedulable: bool(4), taints: list(5, TAINT) })),
  status: nested(
    3,
    message({
      capacity: quantityMap(1),
      allocatable: quantityMap(2),
      conditions: list(4, CONDITION),
      declaredFeatures: textList(14, MOST_READ.values),
    }),
  ),
});
