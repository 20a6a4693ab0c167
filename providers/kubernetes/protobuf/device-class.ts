import { message, nested, text } from './message.ts';
import { METADATA_FIELD } from './meta.ts';

// k8s.io/api/resource/v1/generated.proto

export const DEVICE_CLASS = message({
  metadata: METADATA_FIELD,
  spec: nested(2, message({ extendedResourceName: text(4) })),
});
