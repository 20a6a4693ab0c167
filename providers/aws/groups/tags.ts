import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import type { GroupOptions } from '@outrigger/core/model/options.ts';
import type { RejectedObject } from '@outrigger/core/ports/cluster.ts';
import { parseQuantity, roundUp } from '@outrigger/core/model/values/quantity.ts';
import { type Resources, quantityScale } from '@outrigger/core/model/values/resources.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { closedOptions, type DraftOptions, readGroupOption } from '../../node-groups/option-texts.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';

const NODE_TEMPLATE_TAG = /^k8s\.io\/cluster-autoscaler\/node-template\/([^/]+)\/?(.*)$/;
const EKS_CLUSTER_TAG = 'eks:cluster-name';
const EKS_NODE_GROUP_TAG = 'eks:nodegroup-name';

export type Tags = Readonly<Record<string, string>>;

/** The parsed tags of a group. */
export interface GroupTags {
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** Capacity; overrides that of the instance type. */
  readonly resources: Resources;
  readonly options: Partial<GroupOptions>;
  readonly managedNodeGroup: ManagedNodeGroupName | null;
}

export interface ManagedNodeGroupName {
  readonly cluster: string;
  readonly name: string;
}

/**
 * Reads `k8s.io/cluster-autoscaler/node-template/{label,taint,resources,autoscaling-options}/…` and the tags of EKS
 * managed node groups. Other tags, and options that Cluster Autoscaler does not read from tags, are ignored.
 *
 * @returns the values of the well-formed tags, and every malformed tag. As with Cluster Autoscaler a malformed tag
 *   counts as absent: a missing label, taint or resource in the template costs pods less than a group that is left out.
 */
export function parseTags(tags: Tags): { readonly tags: GroupTags; readonly malformed: readonly RejectedObject[] } {
  const read: Draft = { labels: {}, taints: [], resources: {}, options: {} };
  const rejected: RejectedObject[] = [];

  for (const [tag, value] of Object.entries(tags).sort(([a], [b]) => byName(a, b))) {
    const [, kind = '', name = ''] = NODE_TEMPLATE_TAG.exec(tag) ?? [];
    const problem = mapOptional(valueOf(READERS, kind), (reader) => problemOf(reader, read, name, value)) ?? null;
    if (problem !== null) {
      rejected.push({ place: `tag ${tag}`, expected: problem, found: value });
    }
  }
  return { tags: { ...read, managedNodeGroup: parseManagedNodeGroup(tags) }, malformed: rejected };
}

export const isTemplateTag = (key: string): boolean => NODE_TEMPLATE_TAG.test(key);

/** A reader that throws spoils one tag, never the group, or the groups beside it. */
function problemOf(reader: TagReader, ...asked: Parameters<TagReader>): string | null {
  try {
    return reader(...asked);
  } catch (error) {
    return `a value that can be read (${clip(messageOf(error))})`;
  }
}

interface Draft {
  readonly labels: Record<string, string>;
  readonly taints: Taint[];
  readonly resources: Record<string, number>;
  readonly options: DraftOptions;
}

/**
 * Readers of the name at the end of the tag key and the tag's value. They return `null`, or what was expected instead.
 */
type TagReader = (into: Draft, name: string, value: string) => string | null;

const READERS: Readonly<Record<string, TagReader>> = {
  label({ labels }, name, value) {
    if (name === '') {
      return 'the label key at the end of the tag key';
    }
    labels[name] = value;
    return null;
  },

  taint({ taints }, name, value) {
    const match = TAINT_VALUE.exec(value.trim());
    if (name === '' || match === null) {
      return 'VALUE:EFFECT, the effect NoSchedule, NoExecute or PreferNoSchedule, and the taint key at the end of the tag key';
    }
    taints.push({ key: name, value: itemAt(match, 1), effect: itemAt(match, 2) });
    return null;
  },

  resources({ resources }, name, value) {
    const amount = parseQuantity(value.trim(), quantityScale(name));
    if (name === '' || !amount.ok || amount.value < 0) {
      return `${amount.ok ? 'a quantity of at least 0' : amount.error}, and the resource at the end of the tag key`;
    }
    resources[name] = roundUp(amount.value);
    return null;
  },

  'autoscaling-options'({ options }, name, value) {
    return readGroupOption(options, name, value);
  },
};

const TAINT_VALUE = /^([^:]*):(NoSchedule|NoExecute|PreferNoSchedule)$/;

/** Describes in one sentence which tags of a group are malformed and what to do. */
export const describeRejected = (rejected: readonly RejectedObject[]): string =>
  [
    ...rejected.map(({ place, expected, found }) => `${place}: expected ${expected}, found ${JSON.stringify(found)}`),
    ...closedOptions(rejected),
    'a tag that is malformed counts as absent; correct it',
  ].join('; ');

function parseManagedNodeGroup(tags: Tags): ManagedNodeGroupName | null {
  const cluster = tags[EKS_CLUSTER_TAG];
  const name = tags[EKS_NODE_GROUP_TAG];
  return cluster === undefined || name === undefined ? null : { cluster, name };
}
