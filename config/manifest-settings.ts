import type { ClusterApi } from '@outrigger/providers/schema/cluster-api.ts';
import { rolesIn } from './cluster-api.ts';

/** The settings of a cluster that the objects in the cluster depend on. */
interface SettingsOfObjects {
  readonly name: string;
  /** Scaling options under their names. */
  readonly options: Readonly<Record<string, unknown>>;
  readonly schedulerUsers: readonly string[];
  readonly flowSchema: boolean;
  readonly dryRun: boolean;
  readonly clusterApi: ClusterApi | null;
}

/** The settings as the manifests are made of them: `ManifestSettings`. Stack and command line apply the same objects. */
export function manifestSettings({ name, options, clusterApi, ...rest }: SettingsOfObjects) {
  // Cluster Autoscaler's `--namespace`, `--status-config-map-name` and `--write-status-configmap`.
  const { namespace, statusConfigMapName: status, writeStatusConfigmap: writes } = options;
  const { capacityBuffers, provisioningRequests, capacityQuotas, enableProactiveScaleup } = options;
  const { plannedPlacement, incrementalReads } = options;
  const configMap = typeof status === 'string' ? status : undefined;
  return {
    cluster: name,
    namespace: typeof namespace === 'string' ? namespace : undefined,
    statusConfigMap: writes === false ? null : configMap,
    capacityBuffers: ifOn(capacityBuffers),
    provisioningRequests: ifOn(provisioningRequests),
    capacityQuotas: ifOn(capacityQuotas),
    enableProactiveScaleup: ifOn(enableProactiveScaleup),
    plannedPlacement: ifOn(plannedPlacement),
    incrementalReads: ifOn(incrementalReads),
    schedulerUsers: rest.schedulerUsers,
    flowSchema: rest.flowSchema,
    clusterApi: rolesIn(clusterApi),
    dryRun: rest.dryRun,
  };
}

/** Options that are off are left out: a stack applies its manifests again once the text of the settings differs. */
const ifOn = (option: unknown): true | undefined => option === true || undefined;
