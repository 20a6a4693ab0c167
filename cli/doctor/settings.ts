import { existsSync, readFileSync } from 'node:fs';
import { optionsOver } from '../../config/options.ts';
import { CONFIG_FILE, readConfiguration } from '../../config/read.ts';
import type { ClusterConfig } from '../../config/schema.ts';
import { err, ok, type Result } from '../../core/model/values/result.ts';

/** What the command line and the configuration say of a cluster that is to be checked. */
export interface DoctorSettings extends Pick<
  ClusterConfig,
  'vpc' | 'mode' | 'discovery' | 'webhook' | 'reservedConcurrency'
> {
  readonly cluster: string;
  /** `null`: the region of the AWS environment. */
  readonly region: string | null;
  /** Cluster Autoscaler's `--namespace`. */
  readonly namespace: string;
}

/** What the command line names. */
export interface Named {
  readonly cluster: string;
  readonly region?: string;
  /** The configuration file; absent: outrigger.config.yaml of this directory, where there is one. */
  readonly config?: string;
}

/**
 * Reads the settings of one cluster. A cluster that the default file does not name has the defaults of a cluster of which
 * nothing is said.
 *
 * @returns what is wrong with the file, one line each; that it does not name the cluster too, where the file was named
 */
export function settingsFor({ cluster, region, config }: Named): Result<DoctorSettings, readonly string[]> {
  const file = config ?? CONFIG_FILE;
  if (config === undefined && !existsSync(file)) {
    return ok(withDefaults(cluster, region ?? null, null));
  }
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    return err([`${file}: cannot be read: ${error instanceof Error ? error.message : String(error)}`]);
  }
  const read = readConfiguration(text, file);
  if (!read.ok) {
    return read;
  }
  const named = read.value.clusters.filter(
    (one) => one.name === cluster && (region === undefined || one.region === null || one.region === region),
  );
  if (named.length > 1) {
    return err([`${file}: names cluster ${cluster} in several regions; give one of them as --region`]);
  }
  const [found = null] = named;
  return found === null && config !== undefined
    ? err([`${file}: names no cluster ${cluster}${region === undefined ? '' : ` in ${region}`}`])
    : ok(withDefaults(cluster, region ?? found?.region ?? null, found));
}

const withDefaults = (cluster: string, region: string | null, found: ClusterConfig | null): DoctorSettings => ({
  cluster,
  region,
  vpc: found?.vpc ?? null,
  mode: found?.mode ?? 'observe',
  discovery: found?.discovery ?? null,
  webhook: found?.webhook ?? 'functionUrl',
  reservedConcurrency: found?.reservedConcurrency ?? null,
  namespace: namespaceOf(found),
});

function namespaceOf(found: ClusterConfig | null): string {
  const { namespace } = optionsOver(found?.defaults ?? 'outrigger', found?.options ?? {});
  return typeof namespace === 'string' ? namespace : 'kube-system';
}
