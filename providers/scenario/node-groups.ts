import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { type GroupName, instanceId } from '@outrigger/core/model/values/names.ts';
import { type Node, ZONE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import type { Instance, NodeGroup, NodeTemplate } from '@outrigger/core/model/node-group.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import {
  type Fields,
  type Manifest,
  itemsReader,
  listIn,
  objectIn,
  optionalObjectIn,
  reportIn,
  type Section,
  type SectionReader,
  unlessEmpty,
} from '../manifest/fields.ts';
import { type Invalid, type Reader, fieldOf, itemOf, report } from '../manifest/invalid.ts';
import { nodeReader, writeNode } from '../manifest/node.ts';
import { writePod } from '../manifest/pod.ts';
import { asWrittenNow, nodeGroup, type NodeGroupDocument } from '../schema/node-group.ts';
import { readBy, writeBy } from '../schema/read.ts';
import { joinLaunchFailures } from './launch-failures.ts';
import { groupOptionsIn, writeOptions } from './options.ts';

/**
 * Reads one of `nodeGroups`, with failed launches still among its instances (`splitLaunchFailures`); `null`
 * where it is invalid.
 */
export function nodeGroupReader(scenario: ScenarioReaders): Reader<NodeGroup | null> {
  return (given, place, problems) => {
    const written = asWrittenNow(given);
    const { instanceType, ...raw } = Object(written) as Fields;
    if (instanceType !== undefined) {
      const expected =
        'template: with the labels and the allocatable resources of its nodes, in place of an instance type';
      report(problems, fieldOf(place, 'instanceType'), expected, instanceType);
    }
    const read = readBy(nodeGroup, instanceType === undefined ? written : raw, place, problems);
    return mapOptional(read, (document) => nodeGroupOf({ fields: document, place, problems }, document, scenario));
  };
}

interface ScenarioReaders {
  /** The scenario's Node objects by name, for the instances of a group that does not list them. */
  readonly nodes: ReadonlyMap<string, Node>;
  /** Reads a pod of a template. */
  readonly readPod: SectionReader<Pod>;
}

function nodeGroupOf(from: Section, document: NodeGroupDocument, { nodes, readPod }: ScenarioReaders): NodeGroup {
  const { template: _, templatePods: __, alternatives: ___, ...group } = document;
  const readTemplate = templateReader(group.name, readPod);
  return {
    ...group,
    options: groupOptionsIn(from),
    template: templateIn(from, readTemplate),
    alternatives: itemsReader(readTemplate)(from, 'alternatives'),
    instances: group.instances ?? group.nodes.map((node) => runningInstance(node, nodes.get(node))),
    launchFailures: [],
  };
}

function templateIn(from: Section, readTemplate: SectionReader<NodeTemplate>): NodeTemplate | null {
  if (optionalObjectIn(from, 'template') !== null) {
    return readTemplate(from);
  }
  if (listIn(from, 'templatePods').length > 0) {
    reportIn(from, 'template', 'the node that carries the templatePods');
  }
  return null;
}

/** Reads a template and its pods, from the same fields as those of the group. */
const templateReader =
  (group: GroupName, readPod: SectionReader<Pod>): SectionReader<NodeTemplate> =>
  (from) => {
    const template = objectIn(from, 'template');
    return {
      pods: itemsReader(readPod)(from, 'templatePods'),
      node: nodeReader({ ...template, fields: named(template.fields, group) }),
    };
  };

/** Sets a default name: a template describes nodes that do not exist yet, so it may omit the name. */
function named(template: Fields, group: GroupName): Fields {
  const { metadata } = template;
  if (metadata !== undefined && metadata !== null && (typeof metadata !== 'object' || 'name' in metadata)) {
    return template;
  }
  return { ...template, metadata: { ...metadata, name: `template-node-for-${group}` } };
}

/** The instance of an existing node: its ID is the last part of the provider ID. */
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

/** Reports clashes between groups: two with one name, a node or an instance in two of them. */
export function reportClashes(groups: readonly (NodeGroup | null)[], place: string, problems: Invalid[]): void {
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
    if (group === null) {
      continue;
    }
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

const writeTemplate = (of: NodeTemplate | null) => ({
  template: of?.node && writeNode(of.node),
  templatePods: of === null || of.pods.length === 0 ? undefined : of.pods.map(writePod),
});

/** Writes a group so that reading the manifest gives an equal group. */
export const writeNodeGroup = ({
  template,
  instances,
  launchFailures,
  zonalShifts,
  cloudActions,
  ...group
}: NodeGroup): Manifest =>
  writeBy(nodeGroup, {
    ...group,
    zonalShifts: zonalShifts && [...zonalShifts],
    cloudActions: cloudActions && [...cloudActions],
    options: unlessEmpty(writeOptions(group.options)) ?? undefined,
    ...writeTemplate(template),
    alternatives: group.alternatives.map(writeTemplate),
    instances: joinLaunchFailures({ instances, launchFailures }),
  }) as Manifest;
