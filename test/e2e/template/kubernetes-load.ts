import type { V1Pod } from '@kubernetes/client-node';
import type { Kube } from '../servers/kube.ts';

/** Controllers whose pods stay. */
const KEPT = ['claiming', 'bare', 'stateful', 'daemon'];

const isPlaced = ({ metadata, spec }: V1Pod, app: string): boolean =>
  metadata?.labels?.['app'] === app && spec?.nodeName !== undefined;

/**
 * Creates two pods for each kind of controller, one on each node if possible; the pods of the Deployment have a volume.
 * Waits until all pods are scheduled on the two existing nodes.
 */
export async function createControllers(kube: Kube, namespace: string): Promise<() => Promise<void>> {
  const made: string[] = [];
  const create = async (collection: string, name: string, body: object): Promise<void> => {
    await kube.create(collection, { metadata: { name }, ...body });
    made.push(`${collection}/${name}`);
  };
  const inNamespace = `namespaces/${namespace}`;
  const size = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteMany'], storageClassName: '' };
  await create('/api/v1/persistentvolumes', `${namespace}-shared`, {
    spec: { ...size, nfs: { server: 'nfs.test', path: '/' }, claimRef: { namespace, name: 'shared' } },
  });
  const { accessModes, storageClassName } = size;
  await create(`/api/v1/${inNamespace}/persistentvolumeclaims`, 'shared', {
    spec: { accessModes, storageClassName, volumeName: `${namespace}-shared`, resources: { requests: size.capacity } },
  });
  const volumes = [{ name: 'shared', persistentVolumeClaim: { claimName: 'shared' } }];
  await create(`/apis/apps/v1/${inNamespace}/deployments`, 'claiming', {
    spec: { replicas: 2, ...selecting('claiming', { volumes }) },
  });
  const { template } = selecting('bare');
  await create(`/api/v1/${inNamespace}/replicationcontrollers`, 'bare', {
    spec: { replicas: 2, selector: { app: 'bare' }, template },
  });
  await create(`/apis/apps/v1/${inNamespace}/statefulsets`, 'stateful', {
    spec: { replicas: 2, podManagementPolicy: 'Parallel', serviceName: 'stateful', ...selecting('stateful') },
  });
  await create(`/apis/apps/v1/${inNamespace}/daemonsets`, 'daemon', { spec: selecting('daemon') });
  await create(`/apis/batch/v1/${inNamespace}/jobs`, 'job', {
    spec: { parallelism: 2, completions: 2, template: { ...selecting('job', { restartPolicy: 'Never' }).template } },
  });
  await kube.until<V1Pod>(`/api/v1/${inNamespace}/pods`, {
    what: 'the places of these pods',
    holds: (pods) => KEPT.every((app) => pods.filter((pod) => isPlaced(pod, app)).length === 2),
  });
  return async () => {
    for (const object of made.toReversed()) await kube.remove(object, 0);
    await kube.removeAll(`/api/v1/${inNamespace}/pods`);
  };
}

const selecting = (app: string, spec: object = {}) => ({
  selector: { matchLabels: { app } },
  template: {
    metadata: { labels: { app } },
    spec: {
      containers: [
        { name: 'main', image: 'registry.test/main', resources: { requests: { cpu: '10m', memory: '10Mi' } } },
      ],
      topologySpreadConstraints: [
        {
          maxSkew: 1,
          topologyKey: 'kubernetes.io/hostname',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: { app } },
        },
      ],
      ...spec,
    },
  },
});
