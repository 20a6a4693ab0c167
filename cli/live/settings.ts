import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { readFileSync } from 'node:fs';
import { parse as parseYaml } from 'yaml';
import { CONFIG_FILE } from '../../config/read.ts';
import type { ClusterConfig } from '../../config/schema.ts';
import type { Discovery } from '@outrigger/core/model/discovery.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import type { Role } from '@outrigger/providers/aws/api/assumed-role.ts';
import { type ClusterApi, defaultClusterApi } from '@outrigger/providers/schema/cluster-api.ts';
import { readOptions } from '@outrigger/providers/scenario/read-options.ts';
import { InvalidSettings } from '../exit-codes.ts';
import { whyUnreadable } from '../terminal/sources.ts';
import { configuredCluster, optionsOf, roleOf } from './configured.ts';
import type { LiveFlags } from './flags.ts';
import { regionFor } from './region.ts';

/** Access to a live cluster and its scaling options: from the command line, else from the configuration. */
export interface LiveSettings {
  /** `null`: none is given, and nothing on AWS is needed. */
  readonly region: string | null;
  readonly options: Options;
  /** `null`: by the tags of Cluster Autoscaler's convention. */
  readonly discovery: Discovery | null;
  /** `null`: the credentials are those of the cluster's account. */
  readonly role: Role | null;
  /** `null`: Auto Scaling groups alone. */
  readonly clusterApi: ClusterApi | null;
}

/**
 * Reads the settings of a cluster. Of the configuration they are `region`, `options`, `defaults`, `discovery`, `clusterApi` and `role`;
 * `mode` is the stack's: here `--dry-run` says it.
 *
 * @param tell receives what the command line overrides, and which flags in the configuration have no effect
 * @throws InvalidSettings where the configuration or the options cannot be read, and where no region is given
 */
export async function liveSettings(flags: LiveFlags, tell: (message: string) => void): Promise<LiveSettings> {
  try {
    return await settingsOf(flags, tell);
  } catch (error) {
    throw new InvalidSettings(messageOf(error), { cause: error instanceof Error ? error.cause : undefined });
  }
}

async function settingsOf(flags: LiveFlags, tell: (message: string) => void): Promise<LiveSettings> {
  const { cluster: name, config } = flags;
  const read = configuredCluster(flags);
  if (!read.ok) {
    throw new Error(read.error.join('\n'));
  }
  const found = read.value?.cluster ?? null;
  const file = config ?? CONFIG_FILE;
  if (found !== null) {
    tell(`Settings of cluster ${name} are read from ${file}`);
    for (const warning of read.value?.warnings ?? []) {
      tell(`Warning: ${warning}`);
    }
  }
  const clusterApi = clusterApiOf(flags, found);
  const given = flags.region ?? found?.region ?? null;
  const region = needsAws(clusterApi, flags) ? await regionFor(given) : given;
  if (flags.options !== undefined && found !== null) {
    tell(`--options ${flags.options} replaces the options of ${file}`);
  }
  if (flags.role === false && found !== null && found.role !== null) {
    tell(`--no-role: ${found.role} of ${file} is not assumed`);
  }
  return {
    region,
    options: mapOptional(flags.options, optionsFrom) ?? optionsOf(found, file),
    discovery: found?.discovery ?? null,
    role: flags.role === false ? null : mapOptional(found, roleOf),
    clusterApi,
  };
}

/** Does a cluster have Auto Scaling groups as node groups? */
export const scalesGroups = (clusterApi: ClusterApi | null): boolean => clusterApi?.autoScalingGroups !== false;

/** Is the management cluster named by the command line, or another EKS cluster, or the cluster itself? */
export const isManagementGiven = ({ managementKubeconfig, managementContext }: LiveFlags): boolean =>
  managementKubeconfig !== undefined || managementContext !== undefined;

const needsAws = (clusterApi: ClusterApi | null, flags: LiveFlags): boolean =>
  scalesGroups(clusterApi) ||
  (clusterApi !== null && clusterApi.managementCluster !== null && !isManagementGiven(flags));

function clusterApiOf(flags: LiveFlags, found: ClusterConfig | null): ClusterApi | null {
  const configured = found?.clusterApi ?? (flags.clusterApi === true ? defaultClusterApi() : null);
  if (configured === null) {
    const given = [
      { flag: '--no-auto-scaling-groups', isGiven: flags.autoScalingGroups === false },
      { flag: '--management-kubeconfig', isGiven: flags.managementKubeconfig !== undefined },
      { flag: '--management-context', isGiven: flags.managementContext !== undefined },
    ].find(({ isGiven }) => isGiven);
    if (given !== undefined) {
      throw new Error(
        `${given.flag} needs --cluster-api, or the setting clusterApi in ${CONFIG_FILE}: there are no resources of Cluster API otherwise`,
      );
    }
    return null;
  }
  return flags.autoScalingGroups === false ? { ...configured, autoScalingGroups: false } : configured;
}

function optionsFrom(file: string): Options {
  let raw: unknown;
  try {
    raw = parseYaml(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`The options file ${file}: ${whyUnreadable(error)}`, { cause: error });
  }
  return readOptions(raw, file);
}
