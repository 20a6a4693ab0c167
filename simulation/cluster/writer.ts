import { type NodeName, podKey } from '@outrigger/core/model/values/names.ts';
import type { BufferStatus } from '@outrigger/core/model/cluster/capacity-buffer.ts';
import type { RequestStatus } from '@outrigger/core/model/cluster/provisioning-request.ts';
import { changedNode } from '@outrigger/core/model/cluster/node-change.ts';
import type { Pod } from '@outrigger/core/model/cluster/pod.ts';
import type { ClusterWriter } from '@outrigger/core/ports/cluster.ts';
import type { EvictOutcome, WriteOutcome } from '@outrigger/core/model/answers.ts';
import { type ApiCalls, ServiceError } from '../api-call.ts';
import { covering, evictionOf } from './disruption-controller.ts';
import type { ApiServer } from './api-server.ts';
import type { Clock } from '../clock.ts';
import type { BoundPodEvents } from '../world-event.ts';

interface WriterOptions extends BoundPodEvents {
  readonly api: ApiServer;
  readonly calls: ApiCalls;
  readonly clock: Clock;
}

/** Changes the simulated cluster with the rules of its API server: no eviction beyond a budget. */
export function createWriter({ api, calls, clock, emit, aboutBound }: WriterOptions): ClusterWriter {
  const evictNow = (namespace: string, name: string, uid: string, graceSeconds: number | null): EvictOutcome => {
    const key = podKey(namespace, name);
    const pod = api.pods.get(key);
    if (pod?.uid !== uid) {
      return { kind: 'gone' };
    }
    if (pod.deletedAt !== null) {
      return { kind: 'done' };
    }
    const verdict = evictionOf(pod, covering(pod, api.budgets()));
    if (verdict.kind === 'refused') {
      emit({ kind: 'EvictionRefused', ...aboutBound(pod), budget: verdict.by.name });
      return { kind: 'refused', message: verdict.message, retryAfterSeconds: null };
    }
    if (verdict.kind === 'error') {
      const budget = verdict.by.map(({ name: one }) => one).join(', ');
      emit({ kind: 'EvictionRefused', ...aboutBound(pod), budget });
      return { kind: 'failed', code: 'SeveralBudgets', message: verdict.message };
    }
    if (verdict.from !== null) {
      api.takeFromBudget(pod);
    }
    emit({ kind: 'PodEvicted', ...aboutBound(pod) });
    const grace = graceSeconds ?? pod.spec.terminationGracePeriodSeconds;
    api.updatePod(key, (before) => ({
      ...before,
      ready: false,
      deletedAt: clock.now(),
      spec: { ...before.spec, terminationGracePeriodSeconds: grace },
    }));
    return { kind: 'done' };
  };

  return {
    changeNode: (name, uid, change, signal) =>
      calls.make(
        { service: 'kubernetes', operation: 'PatchNode' },
        (): WriteOutcome => {
          const node = api.nodes.get(name);
          if (node?.uid !== uid) {
            return { kind: 'gone' };
          }
          api.putNode(changedNode(node, change));
          return { kind: 'done' };
        },
        signal,
      ),
    nominate: (pod, node, signal) =>
      calls.make({ service: 'kubernetes', operation: 'PatchPodStatus' }, () => nominated(api, pod, node), signal),
    evict: ({ namespace, name, uid }, graceSeconds, signal) =>
      calls
        .make(
          { service: 'kubernetes', operation: 'EvictPod' },
          () => evictNow(namespace, name, uid, graceSeconds),
          signal,
        )
        .catch(asOutcome),
    recordEvent: async (_event, signal) => await recordEvent(calls, signal),
    ...statusWriter(api, calls),
  };
}

/**
 * Writes after a decision is stored change nothing, and take no time of the simulation, except statuses that other
 * functions read.
 */
const statusWriter = (
  api: ApiServer,
  calls: ApiCalls,
): Pick<ClusterWriter, 'recordEvents' | 'writeStatus' | 'writeBufferStatus' | 'writeRequestStatus'> => ({
  recordEvents: async () => {},
  writeStatus: async () => {},
  writeBufferStatus: async (status, signal) => {
    const call = { service: 'kubernetes', operation: 'PatchBufferStatus' } as const;
    await calls.make(call, () => putBufferStatus(api, status), signal);
  },
  writeRequestStatus: async (status, signal) => {
    const call = { service: 'kubernetes', operation: 'PatchRequestStatus' } as const;
    await calls.make(call, () => putRequestStatus(api, status), signal);
  },
});

async function recordEvent(calls: ApiCalls, signal: AbortSignal | undefined): Promise<void> {
  try {
    await calls.make({ service: 'kubernetes', operation: 'CreateEvent' }, () => undefined, signal);
  } catch {
    // Best effort, as with the real one.
    signal?.throwIfAborted();
  }
}

/** A deleted buffer stays deleted. */
function putBufferStatus(api: ApiServer, { namespace, name, replicas, conditions }: BufferStatus): void {
  api.changeHeadroomSources(({ capacityBuffers }) => ({
    capacityBuffers: capacityBuffers.map((buffer) =>
      buffer.namespace === namespace && buffer.name === name
        ? { ...buffer, statusReplicas: replicas, conditions }
        : buffer,
    ),
  }));
}

/** A request with another version by now stays as it is. */
function putRequestStatus(api: ApiServer, { namespace, name, resourceVersion, conditions }: RequestStatus): void {
  api.changeHeadroomSources(({ provisioningRequests }) => ({
    provisioningRequests: provisioningRequests.map((request) =>
      request.namespace === namespace && request.name === name && request.resourceVersion === resourceVersion
        ? { ...request, conditions, resourceVersion: String(Number(resourceVersion) + 1) }
        : request,
    ),
  }));
}

function nominated(
  api: ApiServer,
  { namespace, name, uid }: Pick<Pod, 'namespace' | 'name' | 'uid'>,
  node: NodeName | null,
): WriteOutcome {
  const key = podKey(namespace, name);
  const pod = api.pods.get(key);
  if (pod?.uid !== uid || pod.nodeName !== null) {
    return { kind: 'gone' };
  }
  api.updatePod(key, (before) => ({ ...before, nominatedNodeName: node }));
  return { kind: 'done' };
}

/** A busy API server is an outcome of an eviction; other errors are rethrown for a retry. */
function asOutcome(error: unknown): EvictOutcome {
  if (error instanceof ServiceError && error.class === 'Throttled') {
    return { kind: 'throttled', message: error.message, retryAfterSeconds: null };
  }
  throw error;
}
