import { type GroupName, groupName, instanceId, nodeName } from '../../core/model/names.ts';
import { type Node, ZONE_LABEL } from '../../core/model/node.ts';
import type { Instance, InstanceError, InstanceState, NodeGroup, NodeTemplate } from '../../core/model/node-group.ts';
import type { Pod } from '../../core/model/pod.ts';
import {
  type Fields,
  type Manifest,
  booleanIn,
  itemsIn,
  manifest,
  nameIn,
  objectIn,
  optionalNameIn,
  optionalObjectIn,
  readFields,
  stringIn,
  unlessBlank,
  unlessEmpty,
} from '../manifest/fields.ts';
import { type Invalid, type Reader, fieldOf, itemOf, report } from '../manifest/invalid.ts';
import { nodeReader, writeNode } from '../manifest/node.ts';
import { writePod } from '../manifest/pod.ts';
import { reportUnknownFields } from '../schema/known-fields.ts';
import { groupOptionsIn, writeOptions } from './options.ts';
import { FAILURE_CLASSES } from '../schema/names.ts';
import { choiceIn, countIn, namesIn, optionalStringIn } from './values.ts';

const FIELDS = [
  'name',
  'minSize',
  'maxSize',
  'targetSize',
  'options',
  'template',
  'templatePods',
  'templateProblem',
  'alternatives',
  'capacityType',
  'price',
  'nodes',
  'instances',
  'updating',
  'launchSuspended',
  'zonesRebalanced',
  'invalid',
] as const satisfies readonly (keyof NodeGroup | 'templatePods')[];

const STATES: readonly InstanceState[] = ['Creating', 'Running', 'Deleting'];

/**
 * Reads one of `nodeGroups`.
 *
 * @param nodes the scenario's Node objects by name, to tell the instances of a group that does not list them.
 * @param readPod reads a pod of a template.
 */
export function nodeGroupReader(nodes: ReadonlyMap<string, Node>, readPod: Reader<Pod>): Reader<NodeGroup> {
  return (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    reportUnknownFields(fields, FIELDS, place, problems);
    const name = groupName(nameIn(fields, 'name', place, problems));
    const minSize = countIn(fields, 'minSize', place, problems);
    const maxSize = countIn(fields, 'maxSize', place, problems);
    if (minSize > maxSize) {
      report(problems, fieldOf(place, 'minSize'), `at most maxSize, ${maxSize}`, minSize);
    }
    const registered = namesIn(fields, 'nodes', place, problems).map(nodeName);
    const given = fields['instances'];
    return {
      name,
      minSize,
      maxSize,
      targetSize: countIn(fields, 'targetSize', place, problems),
      options: groupOptionsIn(fields, 'options', place, problems),
      template: templateIn(fields, name, place, problems, readPod),
      templateProblem: optionalNameIn(fields, 'templateProblem', place, problems),
      alternatives: itemsIn(fields, 'alternatives', place, problems, alternativeReader(name, readPod)),
      capacityType: optionalNameIn(fields, 'capacityType', place, problems),
      price: priceIn(fields, place, problems),
      nodes: registered,
      instances:
        given === undefined || given === null
          ? registered.map((node) => runningInstance(node, nodes.get(node)))
          : itemsIn(fields, 'instances', place, problems, readInstance),
      updating: booleanIn(fields, 'updating', place, problems),
      launchSuspended: booleanIn(fields, 'launchSuspended', place, problems),
      zonesRebalanced: booleanIn(fields, 'zonesRebalanced', place, problems),
      invalid: optionalNameIn(fields, 'invalid', place, problems),
    };
  };
}

function priceIn(fields: Fields, place: string, problems: Invalid[]): number | null {
  const raw = fields['price'];
  if (raw === undefined || raw === null) {
    return null;
  }
  if (typeof raw !== 'number' || !(raw >= 0) || raw === Number.POSITIVE_INFINITY) {
    report(problems, fieldOf(place, 'price'), 'a price in USD per hour, such as 0.192', raw);
    return null;
  }
  return raw + 0;
}

function templateIn(
  fields: Fields,
  group: GroupName,
  place: string,
  problems: Invalid[],
  readPod: Reader<Pod>,
): NodeTemplate | null {
  const pods = itemsIn(fields, 'templatePods', place, problems, readPod);
  const raw = optionalObjectIn(fields, 'template', place, problems);
  if (raw !== null) {
    return { node: nodeReader(named(raw, group), fieldOf(place, 'template'), problems), pods };
  }
  if (pods.length > 0) {
    report(problems, fieldOf(place, 'template'), 'the node that carries the templatePods', fields['template']);
  }
  return null;
}

/** Reads one of `alternatives`: a template and its pods, named as those of the group are. */
function alternativeReader(group: GroupName, readPod: Reader<Pod>): Reader<NodeTemplate> {
  return (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    reportUnknownFields(fields, ['template', 'templatePods'], place, problems);
    return {
      node: nodeReader(
        named(objectIn(fields, 'template', place, problems), group),
        fieldOf(place, 'template'),
        problems,
      ),
      pods: itemsIn(fields, 'templatePods', place, problems, readPod),
    };
  };
}

/** A template describes nodes that do not exist yet and need no name; what carries one must. */
function named(template: Fields, group: GroupName): Fields {
  const { metadata } = template;
  if (metadata !== undefined && metadata !== null && (typeof metadata !== 'object' || 'name' in metadata)) {
    return template;
  }
  return { ...template, metadata: { ...metadata, name: `template-node-for-${group}` } };
}

/** The instance of a node that is there: EC2's name of it is the last part of the provider ID. */
function runningInstance(name: Instance['node'] & string, node: Node | undefined): Instance {
  const providerId = node?.providerId ?? '';
  return {
    id: instanceId(providerId.slice(providerId.lastIndexOf('/') + 1) || name),
    node: name,
    zone: node?.labels[ZONE_LABEL] ?? null,
    state: 'Running',
    error: null,
  };
}

const INSTANCE_FIELDS = ['id', 'node', 'zone', 'state', 'error'] as const satisfies readonly (keyof Instance)[];

const readInstance: Reader<Instance> = (raw, place, problems) => {
  const fields = readFields(raw, place, problems);
  reportUnknownFields(fields, INSTANCE_FIELDS, place, problems);
  const node = optionalNameIn(fields, 'node', place, problems);
  return {
    id: instanceId(nameIn(fields, 'id', place, problems)),
    node: node === null ? null : nodeName(node),
    zone: optionalStringIn(fields, 'zone', place, problems),
    state: choiceIn(fields, 'state', place, problems, STATES, 'Running'),
    error: errorIn(fields, place, problems),
  };
};

const ERROR_FIELDS = ['class', 'code', 'message'] as const satisfies readonly (keyof InstanceError)[];

function errorIn(instance: Fields, place: string, problems: Invalid[]): InstanceError | null {
  const fields = optionalObjectIn(instance, 'error', place, problems);
  if (fields === null) {
    return null;
  }
  const at = fieldOf(place, 'error');
  reportUnknownFields(fields, ERROR_FIELDS, at, problems);
  return {
    class: choiceIn(fields, 'class', at, problems, FAILURE_CLASSES, 'Other'),
    code: stringIn(fields, 'code', at, problems),
    message: stringIn(fields, 'message', at, problems),
  };
}

/** Reports what no single group shows: two of one name, a node or an instance in two of them. */
export function reportClashes(groups: readonly NodeGroup[], place: string, problems: Invalid[]): void {
  const owners = {
    group: new Map<string, string>(),
    node: new Map<string, string>(),
    instance: new Map<string, string>(),
  };
  const take = (what: keyof typeof owners, name: string, at: string): void => {
    const owner = owners[what].get(name);
    if (name !== '' && owner !== undefined) {
      report(problems, at, `each ${what} once (this one is ${owner} already)`, name);
    }
    owners[what].set(name, owner ?? at);
  };
  for (const [index, group] of groups.entries()) {
    const at = itemOf(place, index);
    take('group', group.name, fieldOf(at, 'name'));
    for (const [i, node] of group.nodes.entries()) {
      take('node', node, itemOf(fieldOf(at, 'nodes'), i));
    }
    for (const [i, instance] of group.instances.entries()) {
      take('instance', instance.id, itemOf(fieldOf(at, 'instances'), i));
    }
  }
}

const writeTemplate = ({ node, pods }: NodeTemplate): Manifest =>
  manifest({ template: writeNode(node), templatePods: pods.map(writePod) });

/** Writes a group so that reading it gives an equal one. */
export const writeNodeGroup = (group: NodeGroup): Manifest => ({
  ...manifest({
    name: group.name,
    minSize: group.minSize,
    maxSize: group.maxSize,
    targetSize: group.targetSize,
    options: unlessEmpty(writeOptions(group.options)),
    ...(group.template !== null && writeTemplate(group.template)),
    templateProblem: group.templateProblem,
    alternatives: group.alternatives.map(writeTemplate),
    capacityType: group.capacityType,
    price: group.price,
    nodes: group.nodes,
    updating: group.updating || null,
    launchSuspended: group.launchSuspended || null,
    zonesRebalanced: group.zonesRebalanced || null,
    invalid: group.invalid,
  }),
  // Kept when empty: absent means one running instance for each node.
  instances: group.instances.map(({ id, node, zone, state, error }) =>
    manifest({
      id,
      node,
      zone,
      state,
      error: error === null ? null : manifest({ ...error, message: unlessBlank(error.message) }),
    }),
  ),
});
