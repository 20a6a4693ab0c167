import { nonEmpty } from '@outrigger/core/model/values/present.ts';
import * as z from 'zod';
import type { NodeName } from '@outrigger/core/model/values/names.ts';
import { CLOUD_ACTIONS } from '@outrigger/core/model/cloud-action.ts';
import { type InstanceState, WARM_POOL_STATES } from '@outrigger/core/model/node-group.ts';
import { PROVIDERS } from '@outrigger/core/model/provider.ts';
import { closed, flag, optionalName, optionalText, orNull, raw, listUnlessEmpty } from './document.ts';
import { documented } from './documented.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { choice, failureClass, group, instance as instanceId, node, uniqueNames } from './names.ts';
import { groupOptions } from './options.ts';
import { pause } from './pause.ts';
import { count, hourlyPrice } from './quantity.ts';
import { time } from './time.ts';

const STATES: readonly InstanceState[] = ['Creating', 'Running', 'Deleting'];

const instance = closed({
  id: instanceId,
  node: optionalName<NodeName>().describe('The Node it registered as; absent before that.'),
  zone: orNull(z.string('a string')),
  state: choice(STATES).default('Running'),
  error: orNull(
    closed({ class: failureClass.default('Other'), code: z.string('a string').default(''), message: optionalText }),
  ).describe('Why the cloud could not give it.'),
  drifted: z
    .string('a string')
    .optional()
    .describe('How it differs from what its group launches now; absent where it does not.'),
  stays: z
    .string('a string')
    .optional()
    .describe('Why another instance would be terminated in its place; absent if the group can remove this instance.'),
});

/** `until` is absent where no end is set. */
export const zonalShift = closed({
  zone: z.string('a string').describe('As the label `topology.kubernetes.io/zone` names it.'),
  until: orNull(time).describe('When the shift expires; absent where no end is set, as for an autoshift.'),
  launches: flag.describe('The cloud may launch instances of the group there all the same.'),
});

const nodeManifest = { type: 'object', description: 'A Node, as a manifest.' };
const podManifests = { type: 'array', items: { type: 'object', description: 'A Pod, as a manifest.' } };

/** The template of new nodes. Reading its pods requires the scenario's priority classes. */
const TEMPLATE = { template: raw(nodeManifest), templatePods: raw(podManifests) };

/** An entry of `nodeGroups`. Fields that require the rest of the scenario to read are not converted. */
export const nodeGroup = closed({
  name: documented(group, 'each once', 'an error'),
  provider: documented(choice(PROVIDERS).optional(), 'where it is from: `aws` or `clusterapi`', "the scenario's"),
  minSize: documented(count(), 'lower bound of the size', 'an error'),
  maxSize: documented(count(), 'upper bound of the size', 'an error'),
  targetSize: documented(count(), 'the desired capacity: the number of instances requested from the cloud', 'an error'),
  options: documented(
    raw(jsonSchemaOf(groupOptions)),
    "[those of node groups](options.md#of-node-groups) that differ from the cluster's",
    'none',
  ),
  template: documented(
    TEMPLATE.template,
    'a Node: what a new node of the group looks like',
    'a ready node of the group shows it; without one the group is skipped',
  ),
  templatePods: documented(
    TEMPLATE.templatePods,
    'Pods that every new node carries: of DaemonSets, and mirror pods',
    'none',
  ),
  templateProblem: documented(
    optionalName(),
    'why there is no `template`; said of the group when it is skipped',
    'nothing to say',
  ),
  alternatives: documented(
    listUnlessEmpty(z.array(closed(TEMPLATE), 'a list')),
    '`{template, templatePods}` for every other shape that the next node may have, in a group of several instance types or zones',
    'none',
  ),
  capacityType: documented(
    optionalName(),
    'the purchase option of the instances: `on-demand`, `spot` …; a label of the template takes precedence',
    'not known, or in several ways',
  ),
  price: documented(orNull(hourlyPrice), 'USD per hour of a node', 'not known'),
  warmPool: documented(
    closed({
      size: count().describe('Number of instances that wait.'),
      state: choice(WARM_POOL_STATES).default('Stopped'),
      reuse: flag,
    }).optional(),
    'initialized instances that wait to join the group ([warm pools](warm-pools.md)): `{size, state, reuse}`',
    'it has none',
  ),
  nodes: documented(listUnlessEmpty(uniqueNames(node)), 'names of its Nodes', 'none'),
  cloudActions: documented(
    z.array(choice(CLOUD_ACTIONS), 'a list').optional(),
    'what [the cloud itself does](reasons.md#actions-of-the-cloud-on-node-groups) to its nodes',
    'nothing',
  ),
  launchSuspended: documented(flag, 'the cloud launches no instances for it: it is not raised', '`false`'),
  paused: documented(
    optionalName(),
    'the reason of the pause, in words: the group is not scaled, and its nodes still count',
    'it is not',
  ),
  pause: documented(pause.optional(), 'the [pause](pause.md) that its tag or annotation asks for', 'none'),
  zonalShifts: documented(
    z.array(zonalShift, 'a list').optional(),
    'zones that traffic of the cluster or of the group is [shifted away from](zonal-shifts.md): `{zone, until, launches}`. No node is launched or removed there',
    'none',
  ),
  invalid: documented(optionalName(), 'why the group cannot be used', 'it can'),
  // Kept when empty: absent means one running instance for each node.
  instances: documented(
    orNull(z.array(instance, 'a list')),
    'the instances as the cloud has them',
    'one that runs for each of `nodes`',
  ),
}).check(({ value, issues }) => {
  if (value.minSize > value.maxSize) {
    const message = `at most maxSize, ${value.maxSize}`;
    issues.push({ code: 'custom', message, path: ['minSize'], input: value.minSize });
  }
});

const former = z.looseObject({
  updating: z.boolean().optional(),
  zonesRebalanced: z.boolean().optional(),
  cloudActions: z.array(z.unknown()).optional(),
});

/** Version 0.1.0 wrote two actions of the cloud as fields of their own. */
export function asWrittenNow(given: unknown): unknown {
  const { success, data } = former.safeParse(given);
  if (!success || (data.updating === undefined && data.zonesRebalanced === undefined)) {
    return given;
  }
  const { updating, zonesRebalanced, cloudActions = [], ...group } = data;
  const written = Object.entries({ Updating: updating, ZonesRebalanced: zonesRebalanced })
    .filter(([, isWritten]) => isWritten === true)
    .map(([action]) => action);
  return { ...group, ...nonEmpty({ cloudActions: [...cloudActions, ...written] }) };
}

export type NodeGroupDocument = z.output<typeof nodeGroup>;
