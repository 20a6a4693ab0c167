import { clip } from '@outrigger/core/model/values/clip.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import type { Node } from '@outrigger/core/model/cluster/node.ts';
import type { NodeTemplate } from '@outrigger/core/model/node-group.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { type Result, okValue } from '@outrigger/core/model/values/result.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { Transport } from '../../kubernetes/client/transport.ts';
import { anyNode, sampleNode, templateOfLiveNode } from '../../node-groups/templates/live-node.ts';
import type { HourlyWarn } from '../../node-groups/warnings.ts';
import type { InfrastructureRef, ScalableResource } from '../api/objects.ts';
import { CAPACITY_PREFIX, describeMalformed, parseCapacity } from './capacity.ts';
import { type InfrastructureTemplate, createInfrastructureTemplates } from './infrastructure.ts';
import { buildMachineTemplate } from './node-template.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

interface GroupToShape {
  readonly group: GroupName;
  readonly resource: ScalableResource;
  /** The group's registered nodes. */
  readonly nodes: readonly Node[];
}

export interface TemplateShape {
  readonly template: NodeTemplate | null;
  /** Why there is no template, in words; `null` where there is one. */
  readonly problem: string | null;
}

/** The templates of groups' next nodes. */
interface TemplateSource {
  get(groups: readonly GroupToShape[], signal?: AbortSignal): Promise<ReadonlyMap<GroupName, TemplateShape>>;
}

interface TemplateSourceSettings {
  /** Transport to the management cluster. */
  readonly transport: Transport;
  /** The architecture of nodes whose infrastructure template says nothing, such as `amd64`. */
  readonly defaultArchitecture: string;
  readonly warn: HourlyWarn;
  readonly now: () => EpochMs;
}

/**
 * A group's template is its newest ready node, with what annotations state and the node does not have yet. Without one
 * it is built from the annotations of the resource and from its infrastructure template, and where these do not say
 * enough, it is any node of the group. Infrastructure templates are read for groups without a ready node alone; if they
 * cannot be read, only the groups that depend on them have no template.
 *
 * Keep the result: infrastructure templates are cached in it.
 */
export function createTemplateSource(settings: TemplateSourceSettings): TemplateSource {
  const { transport, defaultArchitecture, warn, now } = settings;
  const infrastructure = createInfrastructureTemplates(transport, now);

  return {
    async get(groups, signal) {
      const all = groups.map((one) => ({ ...one, sample: sampleNode(one.nodes, now()), ...capacityOf(one, warn) }));
      const refs = all.filter(({ sample }) => sample === null).flatMap(({ resource }) => resource.infrastructure ?? []);
      const find = await infrastructure.get(refs, signal);
      const shapeOf = (one: (typeof all)[number]): TemplateShape => {
        const { group, resource, nodes, sample, stated } = one;
        if (sample !== null) {
          return ready(templateOfLiveNode(group, sample, stated.resources));
        }
        const ref = resource.infrastructure;
        const found = mapOptional(ref, find);
        const read = okValue(found) ?? null;
        const template =
          buildMachineTemplate({ group, resource, stated, infrastructure: read, defaultArchitecture }) ??
          mapOptional(anyNode(nodes), (any) => templateOfLiveNode(group, any, stated.resources));
        return template === null ? { template, problem: problemOf(ref, found) } : ready(template);
      };
      return new Map(
        all.map((one) => {
          try {
            return [one.group, shapeOf(one)];
          } catch (error) {
            return [one.group, { template: null, problem: `its template cannot be made: ${clip(messageOf(error))}` }];
          }
        }),
      );
    },
  };
}

const ready = (template: NodeTemplate): TemplateShape => ({ template, problem: null });

function capacityOf({ group, resource }: GroupToShape, warn: HourlyWarn) {
  const { stated, malformed } = parseCapacity(resource.annotations);
  if (malformed.length > 0) {
    warn(`capacity: ${group}`, `${group}: ${describeMalformed(malformed)}`);
  }
  return { stated };
}

/** Why neither annotations nor the infrastructure template say enough, and what to do. */
function problemOf(ref: InfrastructureRef | null, found: Result<InfrastructureTemplate, string> | null): string {
  const annotate = `annotate it with ${CAPACITY_PREFIX}cpu and ${CAPACITY_PREFIX}memory`;
  if (ref === null || found === null) {
    return `no node of it is known, and it names no infrastructure template; ${annotate}`;
  }
  if (!found.ok) {
    return `no node of it is known, and ${found.error}; make it readable, or ${annotate}`;
  }
  return `no node of it is known, and the status of ${ref.kind} ${ref.namespace}/${ref.name} has no capacity with cpu and memory; ${annotate}`;
}
