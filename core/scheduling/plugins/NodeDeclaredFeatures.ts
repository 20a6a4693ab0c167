import { minorOf } from '../../model/cluster/kubernetes-version.ts';
import { newestFirst } from '../../model/cluster/newest-first.ts';
import { isFromTemplate, type Node } from '../../model/cluster/node.ts';
import type { GroupName } from '../../model/values/names.ts';
import { getOptional } from '../../model/values/optional.ts';
import type { Snapshot } from '../../model/snapshot/snapshot.ts';
import { type Plugin, rejection, unlimited } from '../plugin.ts';

const UNDECLARED = rejection('NodeDeclaredFeatures', "node(s) didn't match Pod's required features");
const UNKNOWN = rejection(
  'NotSimulated',
  'node(s) were not simulated: no node of the group has declared its features (status.declaredFeatures) yet',
);

/**
 * A pod that uses a new feature of the kubelet runs only on nodes that declare it. A node that does not exist yet declares the features of
 * its template, else of the newest node of its group. Follows kube-scheduler 1.36 and 1.37, plugins/nodedeclaredfeatures; earlier
 * versions do not have the plugin by default.
 */
export const nodeDeclaredFeatures: Plugin = {
  name: 'NodeDeclaredFeatures',
  prepare: ({ snapshot, objects }) => {
    if (minorOf(objects) < 36) {
      return () => null;
    }
    let newest: ReadonlyMap<GroupName, Node> | undefined;
    return ({ spec: { requiredFeatures = [] } }) => {
      if (requiredFeatures.length === 0) {
        return null;
      }
      return {
        node: ({ node, group }) => {
          let declared = node.declaredFeatures;
          if (declared === undefined && isFromTemplate(node)) {
            newest ??= newestOfGroups(snapshot);
            const like = getOptional(newest, group);
            if (like === undefined) {
              return UNKNOWN;
            }
            declared = like.declaredFeatures;
          }
          return requiredFeatures.every((feature) => declared?.includes(feature) === true) ? null : UNDECLARED;
        },
        room: unlimited,
      };
    };
  },
};

/** The existing node of each group that was created last: it comes from the latest launch template. */
function newestOfGroups(snapshot: Snapshot): ReadonlyMap<GroupName, Node> {
  const newest = new Map<GroupName, Node>();
  for (const info of snapshot.nodes) {
    if (info === null || info.group === null || isFromTemplate(info.node)) {
      continue;
    }
    const other = newest.get(info.group);
    if (other === undefined || newestFirst(info.node, other) < 0) {
      newest.set(info.group, info.node);
    }
  }
  return newest;
}
