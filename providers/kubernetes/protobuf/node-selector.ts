import { list, message, text, textList } from './message.ts';

// k8s.io/api/core/v1/generated.proto

const REQUIREMENT = message({ key: text(1), operator: text(2), values: textList(3) });

const NODE_SELECTOR_TERM = message({
  matchExpressions: list(1, REQUIREMENT),
  matchFields: list(2, REQUIREMENT),
});

export const NODE_SELECTOR = message({ nodeSelectorTerms: list(1, NODE_SELECTOR_TERM) });
