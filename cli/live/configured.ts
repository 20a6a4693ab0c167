import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { existsSync, readFileSync } from 'node:fs';
import { optionsOver, writeGivenOptions } from '../../config/options.ts';
import { CONFIG_FILE, type Configuration, readClusterList, readConfiguration } from '../../config/read.ts';
import type { ClusterConfig } from '../../config/schema.ts';
import { defaultOptions, type Options } from '@outrigger/core/model/options.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type { Role } from '@outrigger/providers/aws/api/assumed-role.ts';
import { readOptions } from '@outrigger/providers/scenario/read-options.ts';
import { whyUnreadable } from '../terminal/sources.ts';

/** The names on the command line. */
export interface CommandLineNames {
  readonly cluster: string;
  readonly region?: string;
  /** The configuration file; absent: outrigger.config.yaml of this directory, if it exists. */
  readonly config?: string;
}

/** A cluster in a configuration file, and where that is. */
export interface ConfiguredCluster {
  readonly file: string;
  readonly cluster: ClusterConfig;
  /** Warnings about the options: flags that have no effect, and why; one line each. */
  readonly warnings: readonly string[];
}

/**
 * Reads a configuration file.
 *
 * @param named on the command line; `undefined`: outrigger.config.yaml of this directory
 * @returns `null` if no file is named and there is none; what is wrong with the file, one line each
 */
export function readConfigurationFile(named: string | undefined): Result<Configuration | null, readonly string[]> {
  const file = named ?? CONFIG_FILE;
  if (named === undefined && !existsSync(file)) {
    return ok(null);
  }
  try {
    return readConfiguration(readFileSync(file, 'utf8'), file);
  } catch (error) {
    return err([`${file}: ${whyUnreadable(error)}`]);
  }
}

/**
 * Finds a cluster in the configuration file.
 *
 * @returns `null` where no file is named and outrigger.config.yaml does not name the cluster; what is wrong with the file,
 *   one line each; that it does not name the cluster too, where the file was named
 */
export function configuredCluster({
  cluster,
  region,
  config,
}: CommandLineNames): Result<ConfiguredCluster | null, readonly string[]> {
  const file = config ?? CONFIG_FILE;
  const read = readConfigurationFile(config);
  if (!read.ok) {
    return read;
  }
  if (read.value === null) {
    return ok(null);
  }
  const { clusters, warnings: all } = read.value;
  const named = clusters.filter(
    (one) => one.name === cluster && (region === undefined || one.region === null || one.region === region),
  );
  if (named.length > 1) {
    return err([`${file}: names cluster ${cluster} in several regions; give one of them as --region`]);
  }
  const [found] = named;
  if (found !== undefined) {
    const place = `clusters[${clusters.indexOf(found)}].`;
    return ok({ file, cluster: found, warnings: all.filter((warning) => warning.includes(place)) });
  }
  if (config === undefined) {
    return ok(null);
  }
  const where = mapOptional(region, (name) => ` in ${name}`) ?? '';
  return err([`${file}: names no cluster ${cluster}${where}`]);
}

/** A cluster of which nothing is said but its name. */
export function defaultsOf(cluster: string): ClusterConfig {
  const read = readClusterList([{ name: cluster }], 'command line');
  if (!read.ok) {
    throw new Error(read.error.join('; '));
  }
  return firstItem(read.value.clusters);
}

/** The scaling options that a configuration has for a cluster; without one, the defaults. @param origin for messages */
export const optionsOf = (config: ClusterConfig | null, origin: string): Options =>
  mapOptional(config, ({ defaults, options }) =>
    readOptions(structuredClone(writeGivenOptions(optionsOver(defaults, options))), origin),
  ) ?? defaultOptions();

/** Cluster Autoscaler's `--namespace`; absent: its default. */
export function autoscalerNamespace({ defaults, options }: ClusterConfig): string | undefined {
  const { namespace } = optionsOver(defaults, options);
  return typeof namespace === 'string' ? namespace : undefined;
}

/** The role in the account of the cluster; `null`: the cluster is in the account of its stack. */
export const roleOf = ({ role, externalId }: Pick<ClusterConfig, 'role' | 'externalId'>): Role | null =>
  mapOptional(role, (arn) => ({ arn, externalId }));
