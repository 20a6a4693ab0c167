import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { startOwnApiServer } from '../../e2e/own-api-server.ts';
import { connectionIn } from '../../e2e/servers/api-server.ts';
import { kube as connect, type Kube } from '../../e2e/servers/kube.ts';
import { NAMESPACE, nodeManifest, nodeNameOf, podManifest, podNameOf } from './objects.ts';

/** An API server with nodes and pods of which only this process changes any. */
export interface FilledCluster {
  readonly kubeconfig: string;
  readonly size: Size;
  /** Changes labels of so many pods, spread over all, and then something else: the newest version is that of no pod. */
  readonly change: (pods: number, value: string) => Promise<void>;
  /** Changes so many pods in a second until it is told to stop; nodes report their status every five minutes then. */
  readonly churn: (pods: number, stop: AbortSignal) => Promise<void>;
  /** CPU time that the API server has taken so far, in ms. */
  readonly cpuMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

export interface Size {
  readonly nodes: number;
  readonly pods: number;
}

const AT_A_TIME = 24;
const HEARTBEAT_S = 300;

/** Starts etcd and kube-apiserver, and writes the objects. */
export async function fillCluster(size: Size): Promise<FilledCluster> {
  const { kube, kubeconfig, stop } = await startOwnApiServer('observe');
  const started = performance.now();
  try {
    await kube.create('/api/v1/namespaces', { metadata: { name: NAMESPACE } });
    await each(size.nodes, (index) => kube.create('/api/v1/nodes', nodeManifest(index)));
    await each(size.pods, (index) => kube.create(PODS, podManifest(index, size.nodes)));
  } catch (error) {
    await stop();
    throw error;
  }
  const seconds = Math.round((performance.now() - started) / 1_000);
  process.stderr.write(`bench: ${size.nodes} nodes and ${size.pods} pods in ${seconds} s\n`);
  return clusterOver(kube, kubeconfig, size, stop);
}

/** A cluster of this size that another process has filled. */
export async function filledBefore(kubeconfig: string, size: Size): Promise<FilledCluster> {
  const kube = connect(connectionIn(await readFile(kubeconfig, 'utf8')));
  return clusterOver(kube, kubeconfig, size, async () => kube.close());
}

const PODS = `/api/v1/namespaces/${NAMESPACE}/pods`;

function clusterOver(kube: Kube, kubeconfig: string, size: Size, stop: () => Promise<void>): FilledCluster {
  const relabel = (path: string, value: string): Promise<unknown> =>
    kube.patch(path, { metadata: { labels: { changed: value } } });
  const relabelPod = (index: number, value: string) => relabel(`${PODS}/${podNameOf(index % size.pods)}`, value);
  const heartbeat = (index: number, value: string) => relabel(`/api/v1/nodes/${nodeNameOf(index % size.nodes)}`, value);
  return {
    kubeconfig,
    size,
    async change(pods, value) {
      await each(pods, (index) => relabelPod(Math.floor((index * size.pods) / pods), value));
      await kube.create(`/api/v1/namespaces/${NAMESPACE}/configmaps`, { metadata: { generateName: 'else-' } });
    },
    async churn(pods, stopped) {
      const every = async (perSecond: number, work: (index: number, value: string) => Promise<unknown>) => {
        for (let index = 0; !stopped.aborted; index += 1) {
          await Promise.all([work(index * 101, String(performance.now())), delay(1_000 / perSecond)]);
        }
      };
      await Promise.all([every(pods, relabelPod), every(size.nodes / HEARTBEAT_S, heartbeat)]);
    },
    cpuMs: async () => {
      const [, seconds] = /^process_cpu_seconds_total (\S+)$/m.exec(await kube.text('/metrics')) ?? [];
      return Number(seconds) * 1_000;
    },
    stop,
  };
}

/** Does something for each index, several at a time. */
async function each(count: number, work: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) {
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, count) }, worker));
}
