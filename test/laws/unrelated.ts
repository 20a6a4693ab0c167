import { PLAIN_POD_SPEC } from '../../core/model/cluster/pod.ts';
import type { Scenario } from '../../core/model/scenario.ts';
import { addTime, minutes } from '../../core/model/values/time.ts';
import { budget, node, pod, selector } from '../builders.ts';
import { group, running } from '../scenario-builders.ts';

const GROUP = 'unrelated';
const NODE = 'node-of-unrelated';
const INSTANCE = 'i-unrelated';
const KEY = 'unrelated.example/only';
const SHAPE = { cpu: 16, memory: '63Gi' };
const ONLY = { labels: { [KEY]: 'true' }, taints: [{ key: KEY, value: '', effect: 'NoSchedule' }] };

/**
 * The scenario with objects that no pod of it, and no node, has to do with: a pod that has completed, one that is scheduled by hand to a
 * node that is not there, and a namespace with a budget, a class and a ConfigMap.
 */
export const withUnusedObjects = (scenario: Scenario): Scenario => ({
  ...scenario,
  objects: {
    ...scenario.objects,
    pods: [
      pod('completed', {
        namespace: GROUP,
        node: scenario.objects.nodes[0]?.name ?? NODE,
        phase: 'Succeeded',
        requests: { cpu: 2 },
      }),
      ...scenario.objects.pods,
    ],
    namespaces: [...scenario.objects.namespaces, { name: GROUP, labels: { unrelated: 'true' } }],
    podDisruptionBudgets: [
      budget({ namespace: GROUP, selector: selector({ app: 'web' }), disruptionsAllowed: 0 }),
      ...scenario.objects.podDisruptionBudgets,
    ],
    priorityClasses: [{ name: GROUP, value: 77, globalDefault: false }, ...scenario.objects.priorityClasses],
    configMaps: [{ namespace: GROUP, name: GROUP, data: {}, priorities: null }, ...scenario.objects.configMaps],
  },
});

/**
 * The scenario with an additional node group of one node, filled by a pod of another namespace. A taint keeps all other
 * pods off the node, and a node selector keeps this pod on the node. Limits that count all nodes are raised
 * accordingly.
 */
export function withUnrelatedGroup(scenario: Scenario): Scenario {
  const { nodeGroups, objects, options, now } = scenario;
  const resident = pod('resident', {
    namespace: GROUP,
    node: NODE,
    requests: { cpu: '15500m', memory: '60Gi' },
    createdAt: addTime(now, minutes(-300)),
    spec: {
      ...PLAIN_POD_SPEC,
      nodeSelector: ONLY.labels,
      tolerations: [{ key: KEY, operator: 'Exists', value: '', effect: '', tolerationSeconds: null }],
    },
  });
  const unrelated = group(GROUP, { ...ONLY, node: SHAPE, max: 3, nodes: [NODE], instances: [running(INSTANCE, NODE)] });
  // Costs are in prices only where every group has one.
  const isPriced = nodeGroups.every(({ price }) => price !== null);
  return {
    ...scenario,
    options: { ...options, maxNodesTotal: options.maxNodesTotal === 0 ? 0 : options.maxNodesTotal + 1 },
    nodeGroups: [{ ...unrelated, price: isPriced ? 1.31 : null }, ...nodeGroups],
    objects: {
      ...objects,
      nodes: [node(NODE, SHAPE, { ...ONLY, createdAt: addTime(now, minutes(-300)) }), ...objects.nodes],
      pods: [resident, ...objects.pods],
    },
  };
}

const NAMES: ReadonlySet<unknown> = new Set([GROUP, NODE, INSTANCE]);

/** A decision without what it says of the unrelated group, without numbers of all nodes, and without the nearest of all groups. */
export function withoutUnrelated(value: unknown): unknown {
  if (Array.isArray(value)) {
    return value.filter((one) => !isAboutUnrelated(one)).map(withoutUnrelated);
  }
  return value !== null && typeof value === 'object'
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, one]) =>
          NAMES.has(key) || OVER_ALL.has(key) ? [] : [[key, withoutUnrelated(one)]],
        ),
      )
    : value;
}

const OVER_ALL: ReadonlySet<string> = new Set(['totals', 'total', 'nearest', 'monthCosts']);

const isAboutUnrelated = (one: unknown): boolean =>
  NAMES.has(one) ||
  (one !== null &&
    typeof one === 'object' &&
    (['group', 'node', 'type'].some((key) => NAMES.has(Reflect.get(one, key))) || isOfUnrelatedAlone(one)));

const isOfUnrelatedAlone = (one: object): boolean => {
  const groups: unknown = Reflect.get(one, 'groups');
  return Array.isArray(groups) && groups.length > 0 && groups.every((group) => NAMES.has(group));
};
