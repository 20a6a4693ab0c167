import { setTimeout as delay } from 'node:timers/promises';
import type { KubernetesMinor } from '../../core/model/cluster/kubernetes-version.ts';
import { keyOf } from '../../core/model/cluster/pod.ts';
import type { Kube, KubeObject } from '../e2e/servers/kube.ts';
import { apply, clear, readObjects, remove } from './api.ts';
import type { Cluster, Manifest } from './cluster.ts';
import { ourMessages } from './verdict.ts';

/** A pod of which the scheduler says something else than we do. */
export interface Disagreement {
  readonly pod: Manifest;
  readonly scheduler: string;
  readonly ours: readonly string[];
}

export interface Examination {
  /** The scheduler's message about each pod that it was asked about. */
  readonly messages: readonly string[];
  readonly disagreements: readonly Disagreement[];
  /** Pods that were asked about more than once. */
  readonly repeated: number;
  /** Objects that the API server did not take, and why: clusters of which much is refused test less than they seem to. */
  readonly refused: readonly string[];
}

/**
 * Pods of which the two say different things are compared again after each of these times, as the scheduler may have been
 * behind: the last time on a host that is busy with other things, too. Only what stays different takes that time.
 */
const PATIENCE_MS: readonly number[] = [100, 400, 1_000, 5_000, 20_000];
/** Times for a difference that is known to be one. */
const SHORT_PATIENCE_MS: readonly number[] = [100, 400, 1_000];

interface PodObject extends KubeObject {
  readonly status?: {
    readonly conditions?: readonly { readonly type: string; readonly reason?: string; readonly message?: string }[];
  };
}

/**
 * Makes a cluster, asks the scheduler about its pending pods, compares, and removes it all.
 *
 * @param kubernetesMinor the version of the scheduler, which may be newer than the API server.
 */
export async function examine(
  api: Kube,
  cluster: Cluster,
  kubernetesMinor: KubernetesMinor,
  patienceMs = PATIENCE_MS,
): Promise<Examination> {
  const refused: string[] = [];
  const accepted = async (objects: readonly Manifest[]): Promise<readonly Manifest[]> => {
    const reasons = await Promise.all(objects.map((object) => apply(api, object)));
    refused.push(...reasons.filter((reason) => reason !== null));
    return objects.filter((_, i) => reasons[i] === null);
  };
  try {
    await accepted(cluster.objects);
    // The scheduler receives each kind of object on a stream of its own: nothing says when it has received all. Most
    // often this is enough; pods that it judged too early are asked about again below.
    await delay(20);
    const pods = await accepted(cluster.pending);
    const first = await compare(api, pods, kubernetesMinor);
    let { disagreements } = first;
    let repeated = 0;
    for (const patience of patienceMs) {
      if (disagreements.length === 0) {
        break;
      }
      const again = disagreements.map(({ pod }) => pod);
      repeated += again.length;
      await Promise.all(again.map((pod) => remove(api, pod)));
      await delay(patience);
      await Promise.all(again.map((pod) => apply(api, pod)));
      ({ disagreements } = await compare(api, again, kubernetesMinor));
    }
    return { messages: first.messages, disagreements, repeated, refused };
  } finally {
    await clear(api, cluster);
  }
}

/**
 * A smaller cluster that still shows a disagreement: objects are left out, half of them at first, one by one in the end,
 * as long as the scheduler and we go on to differ about the pod.
 */
export async function minimise(
  api: Kube,
  cluster: Cluster,
  kubernetesMinor: KubernetesMinor,
  pod: Manifest,
): Promise<Cluster> {
  let smallest: Cluster = { ...cluster, pending: [pod] };
  for (let size = Math.ceil(cluster.objects.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < smallest.objects.length;) {
      const candidate = { ...smallest, objects: smallest.objects.toSpliced(from, size) };
      const nodes = candidate.objects.some(({ kind }) => kind === 'Node');
      if (nodes && (await examine(api, candidate, kubernetesMinor, SHORT_PATIENCE_MS)).disagreements.length > 0) {
        smallest = candidate;
      } else {
        from += size;
      }
    }
  }
  return smallest;
}

/** Waits for the scheduler's word on pods that are there, and compares it with ours. */
async function compare(
  api: Kube,
  pods: readonly Manifest[],
  kubernetesMinor: KubernetesMinor,
): Promise<Pick<Examination, 'messages' | 'disagreements'>> {
  const messages = await schedulerMessages(api, pods);
  const objects = { ...(await readObjects(api)), kubernetesMinor };
  const waiting = objects.pods.filter((pod) => messages.has(keyOf(pod)));
  const ours = new Map([...ourMessages(objects, waiting)].map(([pod, forms]) => [keyOf(pod) as string, forms]));
  const disagreements = pods.flatMap((pod) => {
    const key = `${pod.metadata.namespace}/${pod.metadata.name}`;
    const scheduler = messages.get(key)!;
    const forms = ours.get(key)!;
    return forms.includes(scheduler) ? [] : [{ pod, scheduler, ours: forms }];
  });
  return { messages: [...messages.values()], disagreements };
}

/** The scheduler's messages about pods, by `namespace/name`. */
async function schedulerMessages(api: Kube, pods: readonly Manifest[]): Promise<ReadonlyMap<string, string>> {
  const wanted = new Set(pods.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`));
  const judged = (objects: readonly PodObject[]): ReadonlyMap<string, string> =>
    new Map(
      objects.flatMap(({ metadata, status }) => {
        const key = `${metadata?.namespace}/${metadata?.name}`;
        const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
        return wanted.has(key) && condition !== undefined && condition.reason !== 'SchedulingGated'
          ? [[key, condition.message ?? `no message: ${condition.reason}`] as const]
          : [];
      }),
    );
  const there = await api.until<PodObject>('/api/v1/pods', {
    what: `the scheduler to evaluate ${wanted.size} pods`,
    holds: (objects) => judged(objects).size === wanted.size,
    describe: (objects) => `${judged(objects).size} judged`,
  });
  return judged(there);
}
