import { listField, message } from './message.ts';
import { REQUIREMENT } from './meta.ts';

// k8s.io/api/core/v1/generated.proto

const NODE_SELECTOR_TERM = message({
  matchExpressions: listField(1, REQUIREMENT),
  matchFields: listField(2, REQUIREMENT),
});

export const NODE_SELECTOR = message({ nodeSelectorTerms: listField(1, NODE_SELECTOR_TERM) });
