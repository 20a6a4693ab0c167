import type { Raw } from './builders.ts';

const GROUP = 'cluster.x-k8s.io';
const VERSION = `${GROUP}/v1beta2`;
const KINDS: Readonly<Record<string, string>> = {
  machinedeployments: 'MachineDeployment',
  machinesets: 'MachineSet',
  machines: 'Machine',
  clusters: 'Cluster',
};

/**
 * The answer of a management cluster's API server to a GET.
 *
 * @param objects all that there are
 * @returns `null` where the path is none of Cluster API
 */
export function servedAt(path: string, objects: readonly Raw[]): object | null {
  if (path === `/apis/${GROUP}`) {
    const version = { groupVersion: VERSION, version: 'v1beta2' };
    return { kind: 'APIGroup', apiVersion: 'v1', name: GROUP, versions: [version], preferredVersion: version };
  }
  if (path === `/apis/${VERSION}`) {
    return {
      kind: 'APIResourceList',
      groupVersion: VERSION,
      resources: Object.entries(KINDS).map(([name, kind]) => ({
        name,
        kind,
        namespaced: true,
        verbs: ['get', 'list'],
      })),
    };
  }
  const kind = path.startsWith(`/apis/${VERSION}/`) ? KINDS[path.slice(`/apis/${VERSION}/`.length)] : undefined;
  return kind === undefined
    ? null
    : {
        kind: `${kind}List`,
        apiVersion: VERSION,
        metadata: { resourceVersion: '1' },
        items: objects.filter((object) => object['kind'] === kind),
      };
}
