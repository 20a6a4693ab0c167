import { present } from '@outrigger/core/model/values/present.ts';
import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { CPU, PODS, type Resources } from '@outrigger/core/model/values/resources.ts';
import { capacityText } from '@outrigger/core/model/capacity-schedule.ts';
import { nodeBudgetText } from '@outrigger/core/model/node-budget.ts';
import type { GroupOptions } from '@outrigger/core/model/options.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { type NodeName, nodeName } from '@outrigger/core/model/values/names.ts';
import { simulatedNode, type SimulatedScalingGroup, withoutAmounts } from '../cloud/scaling-group.ts';
import type { ObjectStore } from './object-store.ts';
import {
  API_GROUP,
  CLUSTER_LABEL,
  DEPLOYMENT_LABEL,
  INFRASTRUCTURE_GROUP,
  type MachineTemplate,
  newStatus,
  type ScalableObject,
  SET_LABEL,
} from './objects.ts';

/** Cluster of all machines of the simulated management cluster. */
const CLUSTER_NAME = 'workload';
const CAPACITY = 'capacity.cluster-autoscaler.kubernetes.io';

/** A scalable resource, as a node group's name has it. */
interface GroupPlace {
  readonly kind: ScalableObject['kind'];
  readonly namespace: string;
  readonly name: string;
}

/**
 * The resource of a group named `MachineDeployment/NAMESPACE/NAME` or `MachineSet/NAMESPACE/NAME`.
 *
 * @throws Error for another name, and for a group of several zones: a MachineDeployment has one failure domain.
 */
export function placeOf({ name, zones }: SimulatedScalingGroup): GroupPlace {
  const [kind, namespace = '', own = '', ...rest] = name.split('/');
  if ((kind !== 'MachineDeployment' && kind !== 'MachineSet') || namespace === '' || own === '' || rest.length > 0) {
    throw new Error(`simulation: ${name} is to be MachineDeployment/NAMESPACE/NAME or MachineSet/NAMESPACE/NAME`);
  }
  if (zones.length !== 1) {
    throw new Error(`simulation: ${name} is to have one zone, and has ${zones.join(', ')}`);
  }
  return { kind, namespace, name: own };
}

/** Creates the resource of a group, with annotations for the bounds and the nodes' properties, and its template. */
export function createGroupObjects(store: ObjectStore, group: SimulatedScalingGroup): void {
  const place = placeOf(group);
  const { kind, namespace, name } = place;
  if (store.get('Cluster', namespace, CLUSTER_NAME) === null) {
    store.create<'Cluster'>(
      'Cluster',
      { name: CLUSTER_NAME, namespace },
      { spec: { paused: false }, status: { phase: 'Provisioned' } },
    );
  }
  store.create<'SimulatedMachineTemplate'>(
    'SimulatedMachineTemplate',
    { name, namespace, labels: { [CLUSTER_LABEL]: CLUSTER_NAME } },
    {
      spec: { template: { spec: { instanceType: group.instanceType } } },
      status: { capacity: quantities(withoutAmounts(group.allocatable, group.devices)) },
    },
  );
  const own = { [kind === 'MachineDeployment' ? DEPLOYMENT_LABEL : SET_LABEL]: name };
  const selector = { matchLabels: { [CLUSTER_LABEL]: CLUSTER_NAME, ...own } };
  store.create(
    kind,
    { name, namespace, labels: { [CLUSTER_LABEL]: CLUSTER_NAME }, annotations: annotationsOf(group) },
    {
      spec: {
        clusterName: CLUSTER_NAME,
        replicas: group.desiredSize,
        selector,
        template: templateOf(group, place, selector.matchLabels),
      },
      status: newStatus(selector),
    },
  );
}

const templateOf = ({ zones }: SimulatedScalingGroup, { name }: GroupPlace, labels: Labels): MachineTemplate => ({
  metadata: { labels },
  spec: {
    clusterName: CLUSTER_NAME,
    failureDomain: firstItem(zones),
    infrastructureRef: { apiGroup: INFRASTRUCTURE_GROUP, kind: 'SimulatedMachineTemplate', name },
  },
});

/** Allocatable and not capacity: of what these say, nothing is taken off for the system. */
function annotationsOf(group: SimulatedScalingGroup): Labels {
  const { minSize, maxSize, options, zones, taints } = group;
  const { labels } = simulatedNode(group, firstItem(zones), TEMPLATE, null);
  return {
    [`${API_GROUP}/cluster-api-autoscaler-node-group-min-size`]: String(minSize),
    [`${API_GROUP}/cluster-api-autoscaler-node-group-max-size`]: String(maxSize),
    ...Object.fromEntries(
      Object.entries(optionTexts(options)).map(([option, text]) => [
        `${API_GROUP}/autoscaling-options-${option.toLowerCase()}`,
        text,
      ]),
    ),
    [`${CAPACITY}/labels`]: Object.entries(labels)
      .filter(([, value]) => value !== TEMPLATE)
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
    ...present({
      [`${CAPACITY}/taints`]: taints.map(({ key, value, effect }) => `${key}=${value}:${effect}`).join(',') || null,
    }),
    ...devicesOf(group),
    ...present({ [`${CAPACITY}/maxPods`]: group.allocatable[PODS]?.toString() }),
  };
}

/** Devices are what the infrastructure's template says nothing of: one kind of them is stated by annotations. */
function devicesOf({ allocatable, devices }: SimulatedScalingGroup): Labels {
  const [kind] = devices?.names ?? [];
  if (kind === undefined) {
    return {};
  }
  return { [`${CAPACITY}/gpu-type`]: kind, [`${CAPACITY}/gpu-count`]: String(allocatable[kind]) };
}

const TEMPLATE: NodeName = nodeName('template');

/** Times are milliseconds, thresholds parts of one, budgets in their short form. */
const optionTexts = (options: Partial<GroupOptions>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(options).map(([option, value]) => {
      if (typeof value === 'object') {
        return [option, value.map((one) => ('least' in one ? capacityText(one) : nodeBudgetText(one))).join('; ')];
      }
      return [option, option.endsWith('Time') ? `${value}ms` : String(value)];
    }),
  );

const quantities = (resources: Resources): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(resources).map(([name, amount]) => [name, name === CPU ? `${amount}m` : String(amount)]),
  );
