import { AWAITING_PODS_TAINT } from '@outrigger/core/model/cluster/node.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type { ManagedNodeGroupName } from '@outrigger/providers/aws/groups/tags.ts';
import { withNodeTaint, withoutNodeTaint } from '@outrigger/providers/aws/launches/edit-user-data.ts';
import { readUserData } from '@outrigger/providers/aws/launches/user-data.ts';
import type { GroupLaunch, NamedTemplate } from './read.ts';

/** `add`: new nodes get the taint; `remove`: they do not get it any more. */
export type Action = 'add' | 'remove';

/** A change in AWS that gives new nodes the taint, or takes it from them. */
export type TaintChange =
  | { readonly kind: 'NodeGroup'; readonly of: ManagedNodeGroupName }
  /** A new version of a launch template, which the group uses from then on. */
  | { readonly kind: 'LaunchTemplate'; readonly template: NamedTemplate; readonly userData: string };

/** A node group, and its changes. */
export interface GroupPlan {
  readonly group: string;
  /** Do new nodes get the taint? `null`: the group could not be read. */
  readonly tainted: boolean | null;
  readonly changes: readonly TaintChange[];
  /** Why nothing can be changed; `null` where it can, or need not. */
  readonly problem: string | null;
}

/** Plans the changes of one node group. */
export function planOf({ group, managed, templates, unreadable }: GroupLaunch, action: Action): GroupPlan {
  if (unreadable !== null) {
    return { group: group.name, tainted: null, changes: [], problem: `it cannot be read: ${unreadable}` };
  }
  const tainted = managed === null ? templates.length > 0 && templates.every(isTainted) : isManagedTainted(managed);
  const plan = { group: group.name, tainted, changes: [], problem: null };
  const isDone = action === 'add' ? tainted : !tainted && !templates.some(isTainted);
  if (isDone) {
    return plan;
  }
  const changes = managed === null ? changesOf(group, templates, action) : managedChange(managed, templates, action);
  if (!changes.ok) {
    return { ...plan, problem: changes.error };
  }
  return { ...plan, changes: changes.value };
}

const isTainted = ({ userData }: NamedTemplate): boolean =>
  readUserData(userData).taints.some(({ key }) => key === AWAITING_PODS_TAINT);

type ManagedLaunch = NonNullable<GroupLaunch['managed']>;

const isManagedTainted = ({ nodegroup: { taints = [] } }: ManagedLaunch): boolean =>
  taints.some(({ key }) => key === AWAITING_PODS_TAINT);

type Changes = Result<readonly TaintChange[], string>;

/** EKS gives the nodes of a managed node group their taints, unless the group has an AMI or taints of its own. */
function managedChange(
  { name, nodegroup: { amiType, status } }: ManagedLaunch,
  templates: readonly NamedTemplate[],
  action: Action,
): Changes {
  if (amiType === 'CUSTOM') {
    return err(
      'its launch template has an AMI of its own, and a change of the template would replace all of its nodes: write the taint into the user data with the next update of the node group',
    );
  }
  const [own] = templates.flatMap(({ userData }) => readUserData(userData).taints);
  if (action === 'add' && own !== undefined) {
    return err(
      `the user data of its launch template gives the taint ${own.key}, which EKS' own would replace: write the taint in addition to it`,
    );
  }
  if (status !== 'ACTIVE') {
    return err(`EKS says that it is ${status}: try again when it is ACTIVE`);
  }
  return ok([{ kind: 'NodeGroup', of: name }]);
}

function changesOf({ launches }: GroupLaunch['group'], templates: readonly NamedTemplate[], action: Action): Changes {
  if (templates.length === 0) {
    const configuration = launches.find((launch) => launch.kind === 'configuration');
    if (configuration === undefined) {
      return err('it has no launch template');
    }
    return err(
      `it launches from the launch configuration ${configuration.name}, which AWS does not change: give it a launch template`,
    );
  }
  const older = templates.find(({ isLatest }) => !isLatest);
  if (older !== undefined) {
    return err(
      `it launches from version ${older.version} of ${older.name}, which is not the latest: a version made of it would become the latest, for other groups too`,
    );
  }
  const edit = action === 'add' ? withNodeTaint : withoutNodeTaint;
  const changes: TaintChange[] = [];
  for (const template of templates) {
    const edited = edit(template.userData, AWAITING_PODS_TAINT);
    if (!edited.ok) {
      return err(`launch template ${template.name}: ${edited.error}`);
    }
    if (edited.value !== (template.userData ?? '')) {
      changes.push({ kind: 'LaunchTemplate', template, userData: edited.value });
    }
  }
  return ok(changes);
}
