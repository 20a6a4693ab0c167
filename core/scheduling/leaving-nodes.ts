import type { NodeName } from '../model/values/names.ts';
import { type Plugin, rejection, unlimited } from './plugin.ts';
import { PLUGINS } from './plugins.ts';

const LEAVING = rejection('NotSimulated', 'node(s) were not simulated: they are being removed');

/**
 * The plugins where these nodes are being removed. kube-scheduler goes on to put pods there that tolerate the taint of the removal;
 * such a pod needs another place as soon as the node is gone, so that one there is none to count on.
 */
export const pluginsWhereLeaving = (leaving: ReadonlySet<NodeName>): readonly Plugin[] =>
  leaving.size === 0 ? PLUGINS : [...PLUGINS, leavingNodes(leaving)];

const leavingNodes = (leaving: ReadonlySet<NodeName>): Plugin => ({
  name: 'NotSimulated',
  prepare:
    () =>
    ({ spec: { tolerations } }) =>
      tolerations.length === 0 ? null : { node: ({ name }) => (leaving.has(name) ? LEAVING : null), room: unlimited },
});
