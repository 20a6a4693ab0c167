import { firstItem, itemAt } from '../model/values/existing.ts';
import { getOrMake } from '../model/values/get-or-make.ts';
import { rememberedOf } from '../model/values/remembered.ts';
import { REGION_LABEL, ZONE_LABEL, HOSTNAME_LABEL } from '../model/cluster/node.ts';
import type { Options } from '../model/options.ts';
import { capacityTypeOf } from '../registry/shortages.ts';
import { podRequests } from '../model/cluster/pod-requests.ts';
import { addResources, MEMORY, NO_RESOURCES, type Resources } from '../model/values/resources.ts';
import type { GroupName } from '../model/values/names.ts';
import { type ProviderName, providerOf } from '../model/provider.ts';
import { sortedBy } from '../model/values/sorted.ts';
import type { GroupTemplate } from './node-templates.ts';

const IGNORED_LABELS = [
  HOSTNAME_LABEL,
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  ZONE_LABEL,
  REGION_LABEL,
  'beta.kubernetes.io/fluentd-ds-ready',
  'kops.k8s.io/instancegroup',
] as const;

const IGNORED_LABELS_OF: Readonly<Record<ProviderName, readonly string[]>> = {
  aws: [
    'alpha.eksctl.io/instance-id',
    'alpha.eksctl.io/nodegroup-name',
    'eks.amazonaws.com/nodegroup',
    // Cluster Autoscaler compares these three: managed groups with launch templates of their own are never similar to it.
    'eks.amazonaws.com/nodegroup-image',
    'eks.amazonaws.com/sourceLaunchTemplateId',
    'eks.amazonaws.com/sourceLaunchTemplateVersion',
    'k8s.amazonaws.com/eniConfig',
    'lifecycle',
    'topology.ebs.csi.aws.com/zone',
    'topology.k8s.aws/zone-id',
  ],
  clusterapi: [
    'topology.ebs.csi.aws.com/zone',
    'topology.diskplugin.csi.alibabacloud.com/zone',
    'topology.gke.io/zone',
    'ibm-cloud.kubernetes.io/worker-id',
    'vpc-block-csi-driver-labels',
  ],
};

/** Labels that name a place, or the group itself. */
export const placeLabelsOf = (provider: ProviderName): readonly string[] => [
  ...IGNORED_LABELS,
  ...IGNORED_LABELS_OF[provider],
];

/** The parts of a group that are compared. */
export type ComparedTemplate = Pick<GroupTemplate, 'node' | 'pods' | 'provider' | 'capacityType'>;

/** Are two groups the same but for where they are? */
export interface Similarity {
  readonly isSimilar: (a: ComparedTemplate, b: ComparedTemplate) => boolean;
  /**
   * The one label or resource by which two groups are not similar, in words; `null` where the groups are similar, or
   * differ in more than one.
   */
  readonly onlyDifference: (a: ComparedTemplate, b: ComparedTemplate) => string | null;
}

/**
 * Similar groups have the same capacity (memory within `memoryDifferenceRatio`), allocatable and free resources within
 * their ratios, and the same labels but for those that name a place. Tolerances are relative to the larger figure;
 * taints are not compared. Groups of two providers are not similar: each provider labels places in its own way. Groups of Spot
 * and of on-demand nodes are not similar, whether or not a label says so: nodes of one would cost three times as much as the
 * nodes that were chosen. With `balancingLabel` these labels alone are compared.
 *
 * Follows Cluster Autoscaler's processors/nodegroupset, which knows of purchase options by labels alone.
 *
 * @param provider of the templates that do not say another one.
 */
export function similarityFor(options: Options, provider: ProviderName): Similarity {
  const traitsOf = options.balancingLabel.length > 0 ? labelTraits(options) : nodeTraits(options, provider);
  const numbers = new Map<string, number>();
  /** Every template is compared with many others: what must be equal is one number. */
  const traits = rememberedOf((template: ComparedTemplate): Traits & { readonly key: number } => {
    const its = traitsOf(template);
    const key = getOrMake(numbers, JSON.stringify(its.equal), () => numbers.size);
    return { ...its, key };
  });
  return {
    isSimilar: (a, b) => {
      const [x, y] = [traits(a), traits(b)];
      return x.isComparable && x.key === y.key && x.near.every((part, i) => isWithin(part, itemAt(y.near, i)));
    },
    onlyDifference: (a, b) => {
      const differences = differencesOf(traits(a), traits(b));
      return differences.length === 1 ? firstItem(differences) : null;
    },
  };
}

/** Groups that are similar share a number, each with the first of them by the order of the list. */
export function similarSets(
  groups: readonly GroupName[],
  templates: ReadonlyMap<GroupName, GroupTemplate>,
  { isSimilar }: Similarity,
): ReadonlyMap<GroupName, number> {
  const sets = new Map<GroupName, number>();
  const first: GroupTemplate[] = [];
  for (const group of groups) {
    const template = templates.get(group);
    if (template !== undefined) {
      const known = first.findIndex((other) => isSimilar(template, other));
      sets.set(group, known < 0 ? first.push(template) - 1 : known);
    }
  }
  return sets;
}

/** Properties by which groups are compared. */
interface Traits {
  /** Must be equal, in the order of the names. */
  readonly equal: readonly Trait[];
  /** May differ a little; for equal names in the same order. */
  readonly near: readonly Figure[];
  /** A group without a label of `balancingLabel` is similar to none. */
  readonly isComparable: boolean;
}

type Trait = readonly [subject: string, what: string, value: string | number];

interface Figure {
  readonly subject: string;
  readonly what: string;
  readonly amount: number;
  readonly ratio: number;
}

const labelTraits =
  ({ balancingLabel }: Options) =>
  ({ node: { labels } }: Pick<GroupTemplate, 'node'>): Traits => ({
    equal: balancingLabel.map((key) => [`label ${key}`, '', labels[key] ?? '']),
    near: [],
    isComparable: balancingLabel.every((key) => labels[key] !== undefined),
  });

function nodeTraits(options: Options, provider: ProviderName): (template: ComparedTemplate) => Traits {
  const ignoredBy = (its: ProviderName): ReadonlySet<string> =>
    new Set([...placeLabelsOf(its), ...options.balancingIgnoreLabel]);
  const ignored: Readonly<Record<ProviderName, ReadonlySet<string>>> = {
    aws: ignoredBy('aws'),
    clusterapi: ignoredBy('clusterapi'),
  };
  const { memoryDifferenceRatio, maxAllocatableDifferenceRatio, maxFreeDifferenceRatio } = options;
  return (template) => {
    const { capacity, allocatable, labels } = template.node;
    const its = providerOf(template, { provider });
    const exact = Object.entries(capacity).filter(([name]) => name !== MEMORY);
    const figures = (what: string, amounts: Resources, ratio: number): readonly Figure[] =>
      sortedBy(Object.entries(amounts), ([name]) => name).map(([name, amount]) => ({
        subject: `resource ${name}`,
        what,
        amount,
        ratio,
      }));
    const memory = Object.entries(capacity).filter(([name]) => name === MEMORY);
    const near = [
      ...figures('capacity', Object.fromEntries(memory), memoryDifferenceRatio),
      ...figures('allocatable', allocatable, maxAllocatableDifferenceRatio),
      ...figures('free', freeOf(template), maxFreeDifferenceRatio),
    ];
    return {
      equal: [
        ['provider', '', its],
        ...purchaseOption(template),
        ...sortedBy(exact, ([name]) => name).map(([name, amount]): Trait => [`resource ${name}`, 'capacity', amount]),
        ...near.map(({ subject, what }): Trait => [subject, `${what} is known`, '']),
        ...sortedBy(Object.entries(labels), ([key]) => key)
          .filter(([key]) => !ignored[its].has(key))
          .map(([key, value]): Trait => [`label ${key}`, '', value]),
      ],
      near,
      isComparable: true,
    };
  };
}

/**
 * What the provider says of the purchase option, where no label does. A group of several options counts as on-demand, as
 * does a group whose launch template was not read.
 */
const purchaseOption = ({ node: { labels }, capacityType }: ComparedTemplate): readonly Trait[] =>
  capacityTypeOf(labels) === null ? [['purchase option', '', capacityType ?? 'on-demand']] : [];

const isWithin = (a: Figure, b: Figure): boolean =>
  Math.abs(a.amount - b.amount) <= Math.max(a.amount, b.amount) * a.ratio;

/** The labels and resources that differ. */
function differencesOf(a: Traits, b: Traits): readonly string[] {
  const [own, other] = [traitNames(a), traitNames(b)];
  const unequal = [...own.entries(), ...other.entries()].filter(([name]) => !own.has(name) || !other.has(name));
  const far = a.near.filter((figure) =>
    b.near.some((its) => its.subject === figure.subject && its.what === figure.what && !isWithin(figure, its)),
  );
  return [...new Set([...unequal.map(([, subject]) => subject), ...far.map(({ subject }) => subject)])];
}

/** Traits that must be equal, and the label or resource of each. */
const traitNames = ({ equal }: Traits): ReadonlyMap<string, string> =>
  new Map(equal.map((trait) => [JSON.stringify(trait), trait[0]]));

/** Capacity of a template's node beside its DaemonSets. */
function freeOf({ node, pods }: ComparedTemplate): Resources {
  const used = pods.reduce((sum, pod) => addResources(sum, podRequests(pod)), NO_RESOURCES);
  return Object.fromEntries(
    Object.entries(node.allocatable).map(([name, amount]) => [name, amount - (used[name] ?? 0)]),
  );
}
