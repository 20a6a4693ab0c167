import type { GroupGlance } from '@outrigger/core/model/glance.ts';
import type { NodeGroup } from '@outrigger/core/model/node-group.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { type GroupName, byName } from '@outrigger/core/model/values/names.ts';
import type { Pause } from '@outrigger/core/model/pause.ts';
import { type Result, okValue } from '@outrigger/core/model/values/result.ts';
import type { NodeGroups } from '@outrigger/core/ports/node-groups.ts';
import { explainInvalid } from '../manifest/invalid.ts';
import { closedOptions } from '../node-groups/option-texts.ts';
import { PRICE_KEY, statedPrice } from '../node-groups/stated-price.ts';
import { PAUSE_KEY, parsePause } from '../schema/pause.ts';
import { type HourlyWarn, createHourlyWarnings } from '../node-groups/warnings.ts';
import { withShortTimeout } from '../with-short-timeout.ts';
import type { Failure } from './api/objects.ts';
import type { ApiKeys } from './api/resources.ts';
import { createChanges } from './changes/changes.ts';
import { type ClusterApiSettings, managementOf } from './cluster-api-changes.ts';
import { type Group, titleOf } from './groups/group.ts';
import { idOfMachine, instancesOf } from './groups/instances.ts';
import { type Inventory, readInventory } from './groups/inventory.ts';
import { launchFailuresOf, creationFailureOf } from './groups/launch-failures.ts';
import type { MatchedNodes } from './groups/node-matching.ts';
import { matchInventory, nodesOfGroup } from './groups/nodes.ts';
import { optionsOf } from './groups/options.ts';
import { isRollingOut, outdatedSets } from './groups/rollout.ts';
import { type TemplateShape, createTemplateSource } from './templates/template-source.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/**
 * MachineDeployments, MachineSets and MachinePools as node groups. Keep the result for the life of the process: which
 * kinds are served, and infrastructure templates are cached in it.
 *
 * `list` and `glance` make one call for each kind that is served, five at most, whatever the number of groups; `list` those
 * for templates besides. Objects that cannot be read are left out, with a warning, and the rest goes on.
 */
export function createClusterApiGroups(settings: ClusterApiSettings): NodeGroups {
  const { transport, defaultArchitecture, now } = settings;
  const warn = createHourlyWarnings(settings.warn, now);
  const { api, rules, ...management } = managementOf(settings, warn);
  const { keys } = rules;
  const templates = createTemplateSource({ transport, defaultArchitecture, warn, now });
  /** Why the groups do not get the Machines that they lack, as of the last `list`. */
  let failures: ReadonlyMap<GroupName, Failure | null> = new Map();

  return {
    async list(nodes, signal) {
      const inventory = await readInventory(api, rules, signal);
      const { groups } = inventory;
      const matched = matchInventory(inventory, nodes, keys);
      warnOfAmbiguous(matched, warn);
      warnOfNone(inventory, settings, warn);
      failures = new Map(groups.map((group) => [group.name, creationFailureOf(group)]));
      const shapes = await templates.get(
        groups.map((group) => ({ group: group.name, resource: group.resource, nodes: nodesOfGroup(group, matched) })),
        signal,
      );
      return groups.map((group) => {
        try {
          warnOf(group, keys, warn);
          const made = toNodeGroup(group, keys, matched, shapes.get(group.name) ?? NO_SHAPE);
          warnOfFailed(group, made, warn);
          return made;
        } catch (error) {
          return undescribed(group, keys, matched, error);
        }
      });
    },

    async glance(signal) {
      const { groups } = await readInventory(api, rules, withShortTimeout(signal));
      return groups.map((group) => glanceOf(group, keys));
    },

    withLaunchFailures: (groups, asked) =>
      Promise.resolve(
        groups.map((group) => {
          const failure = failures.get(group.name) ?? null;
          if (!asked.has(group.name) || failure === null) {
            return group;
          }
          return { ...group, launchFailures: launchFailuresOf(group, failure) };
        }),
      ),

    // `list` says it already: it has read what shows a rollout.
    withCloudActions: (groups) => Promise.resolve(groups),

    ...createChanges({ ...management, api, rules }, settings),
  };
}

const NO_NODES: MatchedNodes['nodes'] = new Map();
const NO_SHAPE: TemplateShape = Object.freeze({ template: null, problem: null });

/** As `toNodeGroup` has them. */
const glanceOf = (group: Group, keys: ApiKeys): GroupGlance => ({
  name: group.name,
  minSize: group.bounds.min,
  maxSize: group.bounds.max,
  targetSize: group.resource.replicas,
  options: optionsOf(group.resource.annotations, keys).options,
  instances: instancesOf(group, NO_NODES),
});

function toNodeGroup(
  group: Group,
  keys: ApiKeys,
  matched: MatchedNodes,
  { template, problem }: TemplateShape,
): NodeGroup {
  const { resource, machines } = group;
  const instances = instancesOf(group, matched.nodes);
  // A group without a template cannot grow, but its nodes are still managed. An empty one is reported as invalid, with
  // the reason.
  const unused = resource.replicas === 0 && instances.length === 0;
  const invalid = group.problem ?? (unused && template === null ? problem : null);
  const price = priceOf(resource);
  const pause = pauseOf(group);
  return {
    name: group.name,
    minSize: group.bounds.min,
    maxSize: group.bounds.max,
    targetSize: resource.replicas,
    options: optionsOf(resource.annotations, keys).options,
    template,
    templateProblem: problem,
    alternatives: [],
    capacityType: null,
    price: okValue(price) ?? null,
    nodes: nodesOfGroup(group, matched)
      .map(({ name }) => name)
      .sort(byName),
    instances,
    launchFailures: [],
    cloudActions: isUpdating(group) || machines.some(isHeldBack) ? ['Updating'] : undefined,
    launchSuspended: false,
    paused: group.paused,
    pause: (pause.ok && pause.value) || undefined,
    invalid: mapOptional(invalid, (text) => `${titleOf(resource)}: ${text}`),
  };
}

/** A group of which something cannot be described is invalid, and the others are listed beside it. */
const undescribed = (group: Group, keys: ApiKeys, matched: MatchedNodes, error: unknown): NodeGroup =>
  toNodeGroup(
    {
      ...group,
      resource: { ...group.resource, annotations: {} },
      problem: `it cannot be described: ${clip(messageOf(error))}`,
    },
    keys,
    matched,
    NO_SHAPE,
  );

/** With the strategy `OnDelete` Machines of earlier templates stay until they are deleted. */
const isUpdating = ({ resource, sets, machines }: Group): boolean =>
  isRollingOut(outdatedSets(resource, sets) === null ? sets : [], machines);

const priceOf = ({ annotations }: Group['resource']): Result<number | null, string> =>
  statedPrice(annotations[PRICE_KEY], 'annotation');

const pauseOf = ({ name, resource }: Pick<Group, 'name' | 'resource'>): Result<Pause | null, string> =>
  parsePause(resource.annotations[PAUSE_KEY], 'annotation', { group: name, source: 'NodeGroup' });

/** A Machine whose controller would not delete it. The group's size could be lowered, and the Machine would stay. */
const isHeldBack = ({ paused, deletedAt }: Group['machines'][number]): boolean => paused && deletedAt === null;

/** Warns about problems that do not keep a group from growing. */
function warnOf({ name, resource, machines }: Group, keys: ApiKeys, warn: HourlyWarn): void {
  const { malformed } = optionsOf(resource.annotations, keys);
  if (malformed.length > 0) {
    const list = [...malformed.map((one) => explainInvalid(one)), ...closedOptions(malformed)].join('; ');
    warn(`options: ${name}`, `${titleOf(resource)}: ${list}; what is malformed counts as absent; correct it`);
  }
  const price = priceOf(resource);
  if (!price.ok) {
    warn(`price: ${name}`, `${titleOf(resource)}: ${price.error}; its price is unknown; correct it`);
  }
  const pause = pauseOf({ name, resource });
  if (!pause.ok) {
    warn(`pause: ${name}`, `${titleOf(resource)}: ${pause.error}; the node group is not paused; correct it`);
  }
  const [paused] = machines.filter(isHeldBack);
  if (paused !== undefined) {
    warn(
      `paused: ${name}`,
      `${titleOf(resource)}: its Machine ${idOfMachine(paused)} is paused (annotation ${keys.paused}), so that none of its nodes is removed; resume it`,
    );
  }
}

/**
 * Warns of a Machine that failed before it became a node, and is not ended since another Machine would be ended in its
 * place.
 */
function warnOfFailed({ resource }: Group, { name, instances }: NodeGroup, warn: HourlyWarn): void {
  const failed = instances.find(
    ({ state, error, stays }) => state === 'Creating' && error !== null && stays !== undefined,
  );
  if (failed !== undefined) {
    warn(
      `failed: ${name}`,
      `${titleOf(resource)}: its Machine ${failed.id} has failed, and is not ended: ${failed.stays}; delete it, so that another one is made`,
    );
  }
}

function warnOfAmbiguous({ ambiguous }: MatchedNodes, warn: HourlyWarn): void {
  for (const name of ambiguous) {
    warn(
      `ambiguous: ${name}`,
      `Node ${name} fits several Machines by its provider ID and name, so that it is in no node group; correct spec.providerID of these Machines`,
    );
  }
}

/** Warns if discovery is not set and the Cluster has another name than the cluster on EKS. */
function warnOfNone({ groups, left }: Inventory, { cluster }: ClusterApiSettings, warn: HourlyWarn): void {
  const [first, ...more] = left;
  if (groups.length === 0 && first !== undefined) {
    const others = more.length === 0 ? '' : ` and ${more.length} more`;
    warn(
      'no discovery',
      `${first}${others} are node groups of other clusters, as they belong to no Cluster named ${cluster}; set clusterApi.discovery if they are node groups of this one`,
    );
  }
}
