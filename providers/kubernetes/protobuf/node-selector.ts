import { listField, message, text, textList } from './message.ts';

// k8s.io/api/core/v1/generated.proto

const REQUIREMENT = message({ key: text(1), operator: text(2), values: textList(3) });

const NODE_SELECTOR_TERM = message({
  matchExpressions: listField(1, REQUIREMENT),
  matchFields: listField(2, REQUIREMENT),
});

export const NODE_SELECTOR = message({ nodeSelectorTerms: listField(1, NODE_SELECTOR_TERM) });
