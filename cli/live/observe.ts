import { conventionOf } from '@outrigger/core/model/discovery.ts';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { EMPTY_STATE } from '@outrigger/core/model/state.ts';
import { mapOptional, textIf, presentItems } from '@outrigger/core/model/values/optional.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { keysOf } from '@outrigger/providers/clusterapi/api/resources.ts';
import type { ClusterApi } from '@outrigger/providers/schema/cluster-api.ts';
import { writeDiscoverySpec } from '@outrigger/providers/schema/cluster-api-discovery.ts';
import type { ConnectedCluster } from './connect.ts';
import { scalesGroups } from './settings.ts';
import { writeTag } from '@outrigger/providers/schema/discovery.ts';
import { observeCluster } from '../../functions/evaluate/observe.ts';
import type { Log, Metrics } from '@outrigger/core/ports/observability.ts';
import type { Cluster } from '../../functions/shared/services.ts';

export interface ObserveSettings extends Omit<ConnectedCluster, 'transport' | 'close'> {
  readonly now: () => EpochMs;
  readonly log: Log;
}

/**
 * Observes a live cluster as the functions do at their first evaluation: all that scale-up and scale-down ask about, and
 * no state.
 *
 * @throws Error that says which of the two could not be reached, and what may be missing
 */
export async function observeLive(settings: ObserveSettings, signal: AbortSignal): Promise<Scenario> {
  const { cluster, server, now, log } = settings;
  const { reader, groups } = cluster;
  const explaining: Cluster = {
    ...cluster,
    reader: {
      ...reader,
      read: explained(
        `The cluster cannot be read from ${server.origin}`,
        async (...args) => await reader.read(...args),
      ),
    },
    groups: {
      ...groups,
      list: explained(
        `The ${kindsOf(settings).join(' and the ')} cannot be listed`,
        async (...args) => await groups.list(...args),
      ),
    },
  };
  const known = { version: 0, state: EMPTY_STATE, intents: [], drains: [] };
  // Scale-down asks about everything; what scale-up asks about is part of it.
  const services = { now, log, metrics: NO_METRICS, dryRun: false };
  return await observeCluster({ services, cluster: explaining, signal }, known, 'ScaleDown');
}

const explained =
  <A extends readonly unknown[], T>(what: string, work: (...args: A) => Promise<T>) =>
  async (...args: A): Promise<T> => {
    try {
      return await work(...args);
    } catch (error) {
      throw new Error(what, { cause: error });
    }
  };

const NO_METRICS: Metrics = { count: () => {}, milliseconds: () => {} };

/** The kinds of node groups, for messages. */
const kindsOf = ({ region, clusterApi }: ObserveScope): readonly string[] =>
  presentItems([
    scalesGroups(clusterApi) && `Auto Scaling groups in ${region}`,
    mapOptional(clusterApi, ({ apiGroup }) => `resources of ${apiGroup}`),
  ]);

/** The message that there is no node group, with what was looked for. */
export function noGroups(wanted: ObserveScope): string {
  const { clusterApi } = wanted;
  const scaling = scalesGroups(clusterApi) && noScalingGroups(wanted);
  return presentItems([scaling, mapOptional(clusterApi, noResources)]).join('. ');
}

function noResources({ apiGroup, discovery }: ClusterApi): string {
  const looked = textIf(discovery.length > 0, ` that ${discovery.map(writeDiscoverySpec).join(' or ')} names`);
  const { minSize, maxSize } = keysOf(apiGroup);
  return `There is no resource of ${apiGroup}${looked} with the annotations ${minSize} and ${maxSize}: annotate the resources, or correct clusterApi of the configuration`;
}

/** The message that there is no Auto Scaling group, with the tags and names that were looked for. */
function noScalingGroups({ cluster: { name }, region, discovery }: ObserveScope): string {
  const { tags, nodes } = discovery ?? conventionOf(name);
  const looked: string[] = [];
  if (tags.length > 0) {
    looked.push(`with the tags ${tags.map(writeTag).join(' and ')}`);
  }
  if (nodes.length > 0) {
    looked.push(`of the names ${nodes.map((group) => group.name).join(', ')}`);
  }
  const remedy = discovery === null ? 'tag the groups' : 'correct the discovery of the configuration';
  return `There is no Auto Scaling group in ${region} ${looked.join(' or ')}: ${remedy}, or give another --cluster or --region`;
}

type ObserveScope = Pick<ObserveSettings, 'cluster' | 'region' | 'discovery' | 'clusterApi'>;
