import { type Plugin, rejection, unlimited } from '../plugin.ts';
import { tolerates } from '../tolerations.ts';

const CORDON = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule' } as const;
const CORDONED = rejection('NodeUnschedulable', 'node(s) were unschedulable');

/**
 * Cordoned nodes (`spec.unschedulable`) take only pods that tolerate the taint a cordon usually comes with, whether or
 * not the node bears it. Follows kube-scheduler 1.35, plugins/nodeunschedulable.
 */
export const nodeUnschedulable: Plugin = {
  name: 'NodeUnschedulable',
  prepare: () => (kind) =>
    kind.spec.tolerations.some((toleration) => tolerates(toleration, CORDON))
      ? null
      : { node: ({ node }) => (node.unschedulable ? CORDONED : null), room: unlimited },
};
