import { itemAt } from '@outrigger/core/model/values/existing.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import type { ProviderName } from '@outrigger/core/model/provider.ts';
import type { NodeGroups } from '@outrigger/core/ports/node-groups.ts';
import { combinedChanges } from './changes-of-cluster.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** The node groups of one provider, among all providers' groups. */
interface ProviderPart {
  readonly provider: ProviderName;
  readonly groups: NodeGroups;
  /** Is this a name of the provider's groups? Each name has one provider, even if no such group exists. */
  readonly owns: (group: GroupName) => boolean;
}

/**
 * The node groups of several providers as those of one cluster. What is said of one group goes to the provider that its
 * name is of, so that no call depends on a `list` before it.
 *
 * No node is in two groups: a group that has a node or an instance in common with one of an earlier provider is `invalid`
 * and without members, for the earlier provider scales it. So an Auto Scaling group that a MachinePool has made is that
 * MachinePool, where Cluster API is the earlier one.
 *
 * Where one provider cannot be listed, nothing is: its groups would look deleted, and their pending pods like pods that no
 * node is on its way for (docs/decisions/0025-two-providers-fail-together.md).
 *
 * @param main the provider of the scenario: the groups of the others say theirs.
 * @param parts in their order of precedence.
 */
export function combinedNodeGroups(main: ProviderName, parts: readonly ProviderPart[]): NodeGroups {
  const partOf = (name: GroupName): ProviderPart => {
    const part = parts.find(({ owns }) => owns(name));
    if (part === undefined) {
      throw new Error(`node group ${name} is of no provider: one of ${parts.length} has to own each name`);
    }
    return part;
  };
  /** Groups that yield to one of another provider, as of the last `list`. */
  let yielded: ReadonlySet<GroupName> = new Set();

  /** Has each provider look at its own groups, and returns all in the order in which they came. */
  const each = async (
    groups: readonly NodeGroup[],
    look: (part: ProviderPart, its: readonly NodeGroup[]) => Promise<readonly NodeGroup[]>,
  ): Promise<readonly NodeGroup[]> => {
    const looked = await Promise.all(
      parts.map(async (part) => {
        const its = groups.filter(({ name }) => partOf(name) === part);
        return its.length === 0 ? its : await look(part, its);
      }),
    );
    const byName = new Map(looked.flat().map((group) => [group.name, group]));
    return groups.map((group) => byName.get(group.name) ?? group);
  };

  return {
    async list(nodes, signal) {
      const listed = await Promise.all(parts.map(async ({ groups }) => await groups.list(nodes, signal)));
      const shared = withoutSharedNodes(
        parts.map((part, i) => itemAt(listed, i).map((group) => ownedBy(part, partOf(group.name), group, main))),
      );
      ({ yielded } = shared);
      return shared.groups;
    },

    async commitments(types, signal) {
      const found = await Promise.all(
        parts.map(async ({ groups }) => (await groups.commitments?.(types, signal)) ?? []),
      );
      return found.flat();
    },

    async glance(signal) {
      const glances = await Promise.all(parts.map(async ({ groups }) => await groups.glance(signal)));
      return glances.flat().map((glance) => (yielded.has(glance.name) ? { ...glance, ...NO_MEMBERS } : glance));
    },

    withLaunchFailures: (groups, asked, signal) =>
      each(groups, (part, its) => part.groups.withLaunchFailures(its, asked, signal)),
    withCloudActions: (groups, asked, signal) =>
      each(groups, (part, its) => part.groups.withCloudActions(its, asked, signal)),
    ...combinedChanges((name) => partOf(name).groups),
  };
}

const NO_MEMBERS = { targetSize: 0, instances: [] } as const;

/** A group with its provider; `invalid` where changes to it would go to another provider. */
function ownedBy(part: ProviderPart, owner: ProviderPart, group: NodeGroup, main: ProviderName): NodeGroup {
  const named = part.provider === main ? group : { ...group, provider: part.provider };
  if (owner === part) {
    return named;
  }
  return { ...named, invalid: `Its name is that of a node group of the provider ${owner.provider}: rename it` };
}

/** Leaves each node and each instance to the first provider that has it. */
function withoutSharedNodes(listed: readonly (readonly NodeGroup[])[]): {
  readonly groups: readonly NodeGroup[];
  readonly yielded: ReadonlySet<GroupName>;
} {
  const owners = new Map<string, GroupName>();
  const yielded = new Set<GroupName>();
  const groups = listed.flatMap((ofPart) => {
    // Owned after the whole part is looked at: what two groups of one provider have in common is that provider's.
    const kept = ofPart.map((group) => {
      const owner = membersOf(group)
        .map((member) => owners.get(member))
        .find((known) => known !== undefined);
      return mapOptional(owner, (known) => yieldedTo(known, group)) ?? group;
    });
    kept.forEach((group, i) => (group === ofPart[i] ? claim(owners, group) : yielded.add(group.name)));
    return kept;
  });
  return { groups, yielded };
}

const claim = (owners: Map<string, GroupName>, group: NodeGroup): void =>
  membersOf(group).forEach((member) => owners.set(member, group.name));

/** Nodes by name, instances by ID: the last part of a provider ID such as `aws:///us-east-1a/i-0123456789abcdef0`. */
const membersOf = ({ nodes, instances }: NodeGroup): readonly string[] => [
  ...nodes.map((name) => `node ${name}`),
  ...instances.map(({ id }) => `instance ${id.includes('://') ? id.slice(id.lastIndexOf('/') + 1) : id}`),
];

const yieldedTo = (owner: GroupName, group: NodeGroup): NodeGroup => ({
  ...group,
  ...NO_MEMBERS,
  nodes: [],
  launchFailures: [],
  invalid: `Its instances belong to ${owner}, which is scaled instead`,
});
