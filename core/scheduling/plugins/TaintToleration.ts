import type { Plugin } from '../plugin.ts';
import { unlimited } from '../plugin.ts';
import { repels, tolerates } from '../tolerations.ts';

const REASON = ['node(s) had untolerated taint(s)'] as const;

/**
 * Rejects a node for the first of its taints that the pod does not tolerate. Follows kube-scheduler 1.35,
 * plugins/tainttoleration.
 */
export const taintToleration: Plugin = {
  name: 'TaintToleration',
  prepare: () => (kind) => {
    const { tolerations } = kind.spec;
    return {
      node: ({ node }) => {
        for (const taint of node.taints) {
          if (repels(taint) && !tolerations.some((toleration) => tolerates(toleration, taint))) {
            return REASON;
          }
        }
        return null;
      },
      room: unlimited,
    };
  },
};
