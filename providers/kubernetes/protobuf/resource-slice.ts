import { listField, message, nested, text } from './message.ts';
import { METADATA_FIELD } from './meta.ts';

// k8s.io/api/resource/v1/generated.proto

export const RESOURCE_SLICE = message({
  metadata: METADATA_FIELD,
  spec: nested(2, message({ driver: text(1), nodeName: text(3), devices: listField(6, message({})) })),
});
