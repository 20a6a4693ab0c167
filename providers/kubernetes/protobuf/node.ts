import { bool, listField, message, nested, quantityMap, text, textList, timeField } from './message.ts';
import { MOST_READ } from '../../manifest/most-read.ts';
import { METADATA_FIELD } from './meta.ts';

// k8s.io/api/core/v1/generated.proto

const TAINT = message({ key: text(1), value: text(2), effect: text(3) });

/** Pods have the same fields. */
export const CONDITION = message({ type: text(1), status: text(2), lastTransitionTime: timeField(4), reason: text(5) });

/** Without images, addresses and attached volumes, which are most of a node's bytes. */
export const NODE = message({
  metadata: METADATA_FIELD,
  spec: nested(2, message({ providerID: text(3), unschedulable: bool(4), taints: listField(5, TAINT) })),
  status: nested(
    3,
    message({
      capacity: quantityMap(1),
      allocatable: quantityMap(2),
      conditions: listField(4, CONDITION),
      declaredFeatures: textList(14, MOST_READ.values),
    }),
  ),
});
