import { type Plugin, rejection, unlimited } from '../plugin.ts';
import { toleratesAll } from '../tolerations.ts';

const UNTOLERATED = rejection('TaintToleration', 'node(s) had untolerated taint(s)');

/**
 * Rejects a node for the first of its taints that the pod does not tolerate. Follows kube-scheduler 1.35,
 * plugins/tainttoleration.
 */
export const taintToleration: Plugin = {
  name: 'TaintToleration',
  prepare:
    () =>
    ({ spec: { tolerations } }) => ({
      node: ({ node: { taints } }) => (taints.length === 0 || toleratesAll(tolerations, taints) ? null : UNTOLERATED),
      room: unlimited,
    }),
};
