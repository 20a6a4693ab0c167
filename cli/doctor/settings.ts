import type { ClusterConfig } from '../../config/schema.ts';
import type { Role } from '@outrigger/providers/aws/api/assumed-role.ts';
import { ok } from '@outrigger/core/model/values/result.ts';
import {
  configuredCluster,
  defaultsOf,
  type CommandLineNames,
  autoscalerNamespace,
  roleOf,
} from '../live/configured.ts';

/** The cluster, and whether its role is assumed: unless `role` is `false`. */
export interface CheckedCluster extends CommandLineNames {
  readonly role?: boolean;
}

/** Settings of the command line and the configuration for a cluster that is to be checked. */
export interface DoctorSettings extends Pick<
  ClusterConfig,
  'vpc' | 'mode' | 'options' | 'discovery' | 'clusterApi' | 'webhook' | 'reservedConcurrency'
> {
  readonly cluster: string;
  /** `null`: the region of the AWS environment. */
  readonly region: string | null;
  /** Assumed for what is in the account of the cluster; `null`: that is read with the credentials of the user. */
  readonly role: Role | null;
  /** Cluster Autoscaler's `--namespace`. */
  readonly namespace: string;
}

/**
 * Reads the settings of one cluster. A cluster that the default file does not name has the defaults of a cluster of which
 * nothing is said.
 *
 * @returns the settings, and settings without effect; or what is wrong with the file, one line each
 */
export function settingsFor(named: CheckedCluster) {
  const found = configuredCluster(named);
  if (!found.ok) {
    return found;
  }
  const { cluster = defaultsOf(named.cluster), warnings = [] } = found.value ?? {};
  return ok({ settings: doctorSettings(named, cluster), warnings });
}

export const doctorSettings = ({ cluster, region, role }: CheckedCluster, config: ClusterConfig): DoctorSettings => ({
  ...config,
  cluster,
  region: region ?? config.region,
  role: role === false ? null : roleOf(config),
  namespace: autoscalerNamespace(config) ?? 'kube-system',
});
