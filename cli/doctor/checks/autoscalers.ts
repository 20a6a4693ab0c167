import { counted } from '@outrigger/core/model/values/counted.ts';
import { isCandidateTaint, isRemovalTaint, removalSince } from '@outrigger/core/model/cluster/removal-taints.ts';
import type { Node, Taint } from '@outrigger/core/model/cluster/node.ts';
import { ok } from '@outrigger/core/model/values/result.ts';
import { minutes } from '@outrigger/core/model/values/time.ts';
import type { ScalingGroup } from '@outrigger/providers/aws/groups/scaling-group.ts';
import { type DiscoverySpec, parseDiscoverySpec } from '@outrigger/providers/schema/cluster-api-discovery.ts';
import { type Fact, factOr } from '../facts/fact.ts';
import type { Autoscaler, Facts } from '../facts/facts.ts';
import { type Check, failure, type Finding, known, passed, passedIfNone, some, warning } from './check.ts';

/** Cluster Autoscaler writes its status every ten seconds or so. */
const FRESH = minutes(5);

const nameOf = ({ namespace, name }: Autoscaler): string => `${namespace}/${name}`;

const CLUSTER_AUTOSCALER: Check = {
  id: 'cluster-autoscaler',
  title: 'Cluster Autoscaler',
  rule: 'None runs for the same groups: no Deployment with replicas (with `--cloud-provider=clusterapi`, where the setting `clusterApi` is given; in its management cluster too), and no status written in the last five minutes. Warns in mode observe; fails in mode act, of the configuration or of the deployed stack.',
  why: 'Two autoscalers set different sizes for the same groups, and each removes nodes that the other one needs.',
  judge: (facts) => {
    const { autoscalers, autoscalerStatus } = facts.kubernetes;
    const running = runningIn(facts);
    const there = runningInManagement(facts);
    if (there.length > 0 && running.length === 0) {
      return inMode(
        facts,
        `Running for the same groups in management cluster ${facts.management?.name ?? ''}: ${some(there.map(nameOf))}.`,
        'If it scales this cluster, scale its Deployment to zero before mode: act, with kubectl for the management cluster:',
        ...there.map(scaleToZero),
      );
    }
    if (running.length > 0) {
      return inMode(
        facts,
        `Running for the same groups: ${some(running.map(nameOf))}.`,
        'Scale it to zero before mode: act:',
        ...running.map(scaleToZero),
      );
    }
    if (isStatusFresh(facts) && withReplicas(autoscalers).length === 0) {
      return inMode(
        facts,
        'No Deployment of it was found, and its status was written in the last five minutes: it runs elsewhere.',
        'Find it, and stop it before mode: act:',
        `kubectl -n ${facts.settings.namespace} get configmap cluster-autoscaler-status -o yaml`,
      );
    }
    return known(autoscalers, (found) => {
      if (found.length === 0) {
        return known(autoscalerStatus, () => passed('None runs.'));
      }
      const idle = found.map((one) => `${nameOf(one)} with ${counted(one.replicas, 'replica')}`);
      return passed(`None runs for these groups (${some(idle)}).`);
    });
  },
};

const scaleToZero = ({ namespace, name }: Autoscaler): string =>
  `kubectl -n ${namespace} scale deployment ${name} --replicas=0`;

function inMode(facts: Facts, ...finding: Parameters<typeof warning>): Finding {
  return acts(facts) ? failure(...finding) : warning(...finding);
}

/** By the configuration, or by the stack that is deployed, as its output says. */
const acts = ({ settings, deployment }: Facts): boolean =>
  settings.mode === 'act' || (deployment.ok && /^act\b/.test(deployment.value?.outputs['Mode'] ?? ''));

const isStatusFresh = ({ now, kubernetes: { autoscalerStatus: status } }: Facts): boolean =>
  status.ok && status.value !== null && now - status.value < FRESH;

/** Deployments with replicas that scale a group of this cluster, as far as both are known. */
function runningIn({ groups, settings: { clusterApi }, kubernetes: { autoscalers } }: Facts): readonly Autoscaler[] {
  const scaled = factOr(groups, []);
  return withReplicas(autoscalers).filter((autoscaler) => {
    if (isOfClusterApi(autoscaler)) {
      return clusterApi !== null && mayShare(autoscaler, clusterApi.discovery);
    }
    if (clusterApi?.autoScalingGroups === false) {
      return false;
    }
    return scaled.length === 0 || scaled.some((group) => scales(autoscaler, group));
  });
}

const withReplicas = (autoscalers: Fact<readonly Autoscaler[]>): readonly Autoscaler[] =>
  factOr(autoscalers, []).filter(({ replicas }) => replicas > 0);

/** Deployments with replicas that scale resources of Cluster API where these are, in another cluster. */
const runningInManagement = ({ management, settings: { clusterApi } }: Facts): readonly Autoscaler[] =>
  withReplicas(management?.autoscalers ?? ok([])).filter(
    (one) => isOfClusterApi(one) && mayShare(one, clusterApi?.discovery ?? []),
  );

/** Unless namespaces or clusters tell them apart, resources may be of both: labels are not compared. */
function mayShare(autoscaler: Autoscaler, own: readonly DiscoverySpec[]): boolean {
  const others = valuesOf(autoscaler, DISCOVERY)
    .map(parseDiscoverySpec)
    .filter((spec) => spec !== null);
  const differ = (one: string | null, other: string | null): boolean => one !== null && other !== null && one !== other;
  return (
    own.length === 0 ||
    others.length === 0 ||
    own.some((one) =>
      others.some((other) => !differ(one.namespace, other.namespace) && !differ(one.clusterName, other.clusterName)),
    )
  );
}

const DISCOVERY = 'node-group-auto-discovery';

const valuesOf = ({ flags }: Autoscaler, flag: string): readonly string[] =>
  flags.filter(({ name }) => name === flag).map(({ value }) => value);

const isOfClusterApi = (autoscaler: Autoscaler): boolean =>
  valuesOf(autoscaler, 'cloud-provider').includes('clusterapi');

/** Whether an autoscaler has a group by its flags; one without flags for it may have any. */
function scales(autoscaler: Autoscaler, { name, tags }: ScalingGroup): boolean {
  const discoveries = valuesOf(autoscaler, DISCOVERY).map((value) => value.replace(/^asg:tag=/, '').split(','));
  const named = valuesOf(autoscaler, 'nodes').map((value) => value.split(':').slice(2).join(':'));
  return (
    (discoveries.length === 0 && named.length === 0) ||
    named.includes(name) ||
    discoveries.some((wanted) =>
      wanted.every((tag) => {
        const [key = '', value] = tag.split('=', 2);
        return tags[key] !== undefined && (value === undefined || tags[key] === value);
      }),
    )
  );
}

const KARPENTER: Check = {
  id: 'karpenter',
  title: 'Karpenter',
  rule: 'There are no NodePools. Warns otherwise.',
  why: 'Karpenter, and EKS Auto Mode, start nodes for the same pending pods: both add nodes, and some of them stay empty.',
  judge: (facts) =>
    known(facts.kubernetes.nodePools, (names) =>
      passedIfNone(names, 'There are no NodePools.', () =>
        warning(
          `${counted(names.length, 'NodePool')}: ${some(names)}.`,
          'Separate the pods of the two, with taints on the NodePools or on the node groups:',
          'kubectl get nodepools.karpenter.sh -o yaml',
        ),
      ),
    ),
};

const CAPACITY_QUOTA_CHECK: Check = {
  id: 'capacity-quotas',
  title: 'CapacityQuotas',
  rule: 'There are no CapacityQuotas of `autoscaling.x-k8s.io`, or they are served as v1beta1 and the option `capacityQuotas` is on. Warns otherwise.',
  why: 'Without the option Outrigger does not read CapacityQuotas, and scales beyond the quotas.',
  judge: (facts) =>
    known(facts.kubernetes.capacityQuotas, ({ names, outdated }) => {
      const named = `${counted(names.length, 'CapacityQuota')}: ${some(names)}`;
      if (names.length === 0) {
        return passed('There are no CapacityQuotas.');
      }
      if (outdated) {
        return warning(
          `${named}, served as v1alpha1.`,
          'Install the custom resource of v1beta1, and set the option capacityQuotas: true.',
        );
      }
      if (facts.settings.options.capacityQuotas) {
        return passed(`${named}. The option capacityQuotas is on.`);
      }
      return warning(
        `${named}.`,
        'Set the option capacityQuotas: true where the quotas are to hold:',
        'kubectl get capacityquotas.autoscaling.x-k8s.io -o yaml',
      );
    }),
};

/** Longer than a removal takes with the default options. */
const LONGEST_REMOVAL = minutes(20);

const TAINTS: Check = {
  id: 'leftover-taints',
  title: 'Leftover taints',
  rule: 'No node has a removal taint older than 20 minutes, or, where neither Cluster Autoscaler nor Outrigger runs, a taint as unneeded. Warns otherwise.',
  why: 'The scheduler avoids such a node, and new nodes are started for pods that would fit it. In mode act Outrigger removes old removal taints itself.',
  judge: (facts) =>
    known(facts.kubernetes.nodes, (nodes) => {
      const marks = nodes.flatMap((node) =>
        node.taints.filter((taint) => isLeftover(facts, taint)).map((taint) => ({ node, taint })),
      );
      const names = [...new Set(marks.map(({ node }) => node.name))];
      return passedIfNone(marks, `None on ${counted(nodes.length, 'node')}.`, () =>
        warning(
          `On ${counted(names.length, 'node')}: ${some(names)}.`,
          'Remove the taints:',
          ...marks.slice(0, MOST_COMMANDS).map(({ node, taint }) => untaint(node, taint)),
        ),
      );
    }),
};

/** The largest number of nodes that a command is printed for. */
const MOST_COMMANDS = 10;

const untaint = ({ name }: Node, { key, effect }: Taint): string => `kubectl taint node ${name} ${key}:${effect}-`;

function isLeftover(facts: Facts, taint: Taint): boolean {
  const since = removalSince(taint);
  if (isRemovalTaint(taint)) {
    return since !== null && facts.now - since > LONGEST_REMOVAL;
  }
  const deployed = !facts.deployment.ok || facts.deployment.value !== null;
  return isCandidateTaint(taint) && !deployed && runningIn(facts).length === 0 && !isStatusFresh(facts);
}

/** The checks of other autoscalers and their remains, in the order in which the checks are shown. */
export const AUTOSCALER_CHECKS: readonly Check[] = [CLUSTER_AUTOSCALER, KARPENTER, CAPACITY_QUOTA_CHECK, TAINTS];
