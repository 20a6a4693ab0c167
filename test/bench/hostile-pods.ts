/**
 * Pods as one person with `edit` in one namespace can write them: of a megabyte each, which is about what the API server
 * takes, made of whatever the simulation multiplies by something else.
 */
import { times } from '../scenario-builders.ts';
import type { Json } from '../providers/kubernetes/protobuf/pod-encoder.ts';

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

/** As many as make a megabyte. */
function megabyteOf<T>(make: (i: number) => T): readonly T[] {
  const size = (JSON.stringify(make(0)).length + JSON.stringify(make(9_999)).length) / 2;
  return times(Math.floor(1_000_000 / size), make);
}

const labels = (of: string): Readonly<Record<string, string>> =>
  Object.fromEntries(megabyteOf((i) => [`${of}/k${i}`, `v${i}`]));

/** By what there is too much of. */
const SPECS: Readonly<Record<string, (seed: number) => object>> = {
  antiAffinity: (seed) => ({
    affinity: {
      podAntiAffinity: {
        [REQUIRED]: megabyteOf((i) => ({
          topologyKey: `x/${seed}-${i}`,
          labelSelector: { matchExpressions: [{ key: `k${seed}-${i}`, operator: 'DoesNotExist' }] },
          namespaceSelector: {},
        })),
      },
    },
  }),
  spread: (seed) => ({
    topologySpreadConstraints: megabyteOf((i) => ({
      maxSkew: 1,
      topologyKey: `x/${seed}-${i}`,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: {},
    })),
  }),
  selectorKeys: (seed) => ({
    affinity: {
      podAntiAffinity: { [REQUIRED]: [{ topologyKey: 'x', labelSelector: { matchLabels: labels(`s${seed}`) } }] },
    },
  }),
  mostFollowed: (seed) => ({
    affinity: {
      podAntiAffinity: {
        [REQUIRED]: times(64, (i) => ({
          topologyKey: `x/${seed}-${i}`,
          labelSelector: {
            matchExpressions: times(3, (k) => ({ key: `f${seed}-${i}-${k}`, operator: 'DoesNotExist' })),
          },
          namespaceSelector: {},
        })),
      },
    },
  }),
  nodeAffinity: () => ({
    affinity: {
      nodeAffinity: {
        [REQUIRED]: {
          nodeSelectorTerms: megabyteOf((i) => ({ matchExpressions: [{ key: `k${i}`, operator: 'Exists' }] })),
        },
      },
    },
  }),
  tolerations: () => ({ tolerations: megabyteOf((i) => ({ key: `t${i}`, operator: 'Exists' })) }),
  volumes: () => ({ volumes: megabyteOf((i) => ({ name: `v${i}`, awsElasticBlockStore: { volumeID: `vol-${i}` } })) }),
  ports: () => ({
    containers: [
      { name: 'c', ports: megabyteOf((i) => ({ hostPort: (i % 65_535) + 1, hostIP: `10.0.0.${i % 250}` })) },
    ],
  }),
  containers: () => ({
    containers: megabyteOf((i) => ({ name: `c${i}`, resources: { requests: { [`example.com/r${i}`]: '1' } } })),
  }),
  claimName: () => ({ volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'c'.repeat(1_000_000) } }] }),
};

/** A hundred pods of a megabyte as manifests, half of them on nodes. Each claims a controller, which there need not be. */
export function hostilePods(): readonly Json[] {
  const kinds = Object.keys(SPECS);
  return times(100, (i) => {
    const kind = kinds[i % kinds.length]!;
    const running = Math.floor(i / kinds.length) % 2 === 0;
    return {
      metadata: {
        name: `evil-${i}`,
        namespace: 'evil',
        uid: `evil-${i}`,
        ownerReferences: [
          { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `evil-${i}`, uid: `owner-${i}`, controller: true },
        ],
        ...(kind === 'mostFollowed' && { labels: labels(`l${i}`) }),
        annotations: { 'karpenter.sh/do-not-disrupt': '1'.repeat(100_000), [`evil/a${i}`]: `${i}`.padEnd(100_000) },
      },
      spec: { containers: [{ name: 'c' }], ...SPECS[kind]!(i), ...(running && { nodeName: `n-${i}` }) },
      status: running
        ? { phase: 'Running' }
        : { conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable' }] },
    };
  });
}
