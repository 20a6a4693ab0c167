import { bool, int, listField, message, nested, text, textList, textMap, timeField } from './message.ts';

// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto

export const OWNER_REFERENCE = message({
  kind: text(1),
  name: text(3),
  uid: text(4),
  apiVersion: text(5),
  controller: bool(6),
});

const OBJECT_FIELDS = {
  name: text(1),
  namespace: text(3),
  uid: text(5),
  creationTimestamp: timeField(8),
  deletionTimestamp: timeField(9),
  labels: textMap(11),
  annotations: textMap(12),
  ownerReferences: listField(13, OWNER_REFERENCE),
};

export const OBJECT_META = message(OBJECT_FIELDS);

export const METADATA_FIELD = nested(1, OBJECT_META);

/** With the generation of the spec, for kinds whose status has `observedGeneration`. */
export const METADATA_WITH_GENERATION = nested(1, message({ ...OBJECT_FIELDS, generation: int(7) }));

export const REQUIREMENT = message({ key: text(1), operator: text(2), values: textList(3) });

export const LABEL_SELECTOR = message({ matchLabels: textMap(1), matchExpressions: listField(2, REQUIREMENT) });
