import { optionsOver } from '../../config/options.ts';
import type { ClusterConfig } from '../../config/schema.ts';
import { ok, type Result } from '../../core/model/values/result.ts';
import { configuredCluster, type Named } from '../live/configured.ts';

/** What the command line and the configuration say of a cluster that is to be checked. */
export interface DoctorSettings extends Pick<
  ClusterConfig,
  'vpc' | 'mode' | 'discovery' | 'webhook' | 'reservedConcurrency' | 'drains'
> {
  readonly cluster: string;
  /** `null`: the region of the AWS environment. */
  readonly region: string | null;
  /** Cluster Autoscaler's `--namespace`. */
  readonly namespace: string;
}

/**
 * Reads the settings of one cluster. A cluster that the default file does not name has the defaults of a cluster of which
 * nothing is said.
 *
 * @returns what is wrong with the file, one line each
 */
export function settingsFor(named: Named): Result<DoctorSettings, readonly string[]> {
  const found = configuredCluster(named);
  return found.ok ? ok(doctorSettings(named, found.value?.cluster ?? null)) : found;
}

/** @param found what the configuration says of the cluster; `null`: nothing. */
export const doctorSettings = ({ cluster, region }: Named, found: ClusterConfig | null): DoctorSettings => ({
  cluster,
  region: region ?? found?.region ?? null,
  vpc: found?.vpc ?? null,
  mode: found?.mode ?? 'observe',
  discovery: found?.discovery ?? null,
  webhook: found?.webhook ?? 'functionUrl',
  drains: found?.drains ?? 'durable',
  reservedConcurrency: found?.reservedConcurrency ?? null,
  namespace: namespaceOf(found),
});

function namespaceOf(found: ClusterConfig | null): string {
  const { namespace } = optionsOver(found?.defaults ?? 'outrigger', found?.options ?? {});
  return typeof namespace === 'string' ? namespace : 'kube-system';
}
