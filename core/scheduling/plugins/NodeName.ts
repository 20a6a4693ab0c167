import type { Plugin } from '../plugin.ts';

/**
 * A pod that names its node fits nowhere else. Nothing to do for pods that wait: they name none, or they would not
 * wait. Follows kube-scheduler 1.35, plugins/nodename.
 */
export const nodeNamePlugin: Plugin = {
  name: 'NodeName',
  prepare: () => () => null,
};
