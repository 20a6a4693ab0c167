import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import type { ClusterWriter } from '@outrigger/core/ports/cluster.ts';
import type { EvictOutcome, WriteOutcome } from '@outrigger/core/model/answers.ts';
import type { NodeChange } from '@outrigger/core/model/cluster/node-change.ts';
import { ApiError, isDenied, isFinalRefusal, isRefusal } from './client/api-error.ts';
import { apiRequest, jsonBody, mergePatch } from './client/api-request.ts';
import type { Answer } from './client/exchange.ts';
import { createObjectStatusWriter } from './object-status.ts';
import { createEventRecorder } from './events.ts';
import { NODES, POD_LISTS } from './read/kinds.ts';
import { patchOf, type RawNode, removalOf } from './node-patch.ts';
import { createStatusWriter, type StatusPlace, type StatusWriterOptions } from './status-config-map.ts';
import type { Transport } from './client/transport.ts';

/**
 * The kubelet and controllers write nodes every few seconds: this number of conflicts in a row does not happen by
 * chance.
 */
const MOST_CONFLICTS = 8;

export interface ClusterWriterOptions extends StatusWriterOptions {
  /** The place of the status; absent or `null`: the status is not written. */
  readonly status?: StatusPlace | null | undefined;
}

/** Changes a cluster through its API server. */
export function createClusterWriter(
  transport: Transport,
  { now, warn, status = null }: ClusterWriterOptions,
): ClusterWriter {
  const statusWriter = createStatusWriter(transport, status, { now, warn });
  return {
    async changeNode(name, uid, { knownTaints, ...change }, signal) {
      const unread = removalOf(uid, knownTaints ?? [], change);
      const first = unread && (await patchUnread(transport, name, unread, signal));
      if (first !== null && first !== 'conflict') {
        return first;
      }
      for (let conflicts = 0; ; conflicts += 1) {
        const outcome = await changeOnce(transport, { name, uid }, change, signal);
        if (outcome !== 'conflict') {
          return outcome;
        }
        if (conflicts === MOST_CONFLICTS) {
          return {
            kind: 'failed',
            code: 'Conflict',
            message: `node ${name} was changed by other clients ${conflicts + 1} times in a row`,
          };
        }
      }
    },

    nominate: (pod, node, signal) => nominate(transport, pod, node, signal),

    async evict({ namespace, name, uid }, graceSeconds, signal) {
      const eviction = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { namespace, name },
        deleteOptions: {
          preconditions: { uid },
          ...present({ gracePeriodSeconds: graceSeconds }),
        },
      };
      const request = apiRequest('create', POD_LISTS.resource, {
        namespace,
        name,
        subresource: 'eviction',
        body: jsonBody(eviction),
        retried: false,
      });
      try {
        await transport.send(request, () => undefined, signal);
        return { kind: 'done' };
      } catch (error) {
        return evictionRefusal(error);
      }
    },

    ...createEventRecorder(transport, { now, warn, statusObject: statusWriter.object }),
    writeStatus: statusWriter.writeStatus,
    ...createObjectStatusWriter(transport, { warn }),
  };
}

async function nominate(
  transport: Transport,
  { namespace, name, uid }: Parameters<ClusterWriter['nominate']>[0],
  node: string | null,
  signal: AbortSignal | undefined,
): Promise<WriteOutcome> {
  const request = apiRequest('patch', POD_LISTS.resource, {
    namespace,
    name,
    subresource: 'status',
    body: mergePatch({ metadata: { uid }, status: { nominatedNodeName: node } }),
  });
  try {
    await transport.send(request, () => undefined, signal);
    return { kind: 'done' };
  } catch (error) {
    // A pod of the same name with another UID is a conflict, and one that has a node by now is invalid with a nomination.
    return isRefusal(error, 404, 409, 422) ? { kind: 'gone' } : failureOf(error);
  }
}

/** A patch that does not fit the node as it is now is a conflict. */
async function patchUnread(
  transport: Transport,
  name: string,
  patch: readonly object[],
  signal: AbortSignal | undefined,
): Promise<WriteOutcome | 'conflict'> {
  const body = jsonBody(patch, 'application/json-patch+json');
  try {
    await transport.send(apiRequest('patch', NODES.resource, { name, body }), () => undefined, signal);
    return { kind: 'done' };
  } catch (error) {
    return isRefusal(error, 409, 422) ? 'conflict' : goneOr(error);
  }
}

async function changeOnce(
  transport: Transport,
  { name, uid }: { readonly name: string; readonly uid: string },
  change: NodeChange,
  signal: AbortSignal | undefined,
): Promise<WriteOutcome | 'conflict'> {
  try {
    const node = await transport.send(apiRequest('get', NODES.resource, { name }), readNode, signal);
    if (node.metadata.uid !== uid) {
      return { kind: 'gone' };
    }
    const patch = patchOf(node, change);
    if (patch !== null) {
      const request = apiRequest('patch', NODES.resource, { name, body: mergePatch(patch) });
      await transport.send(request, () => undefined, signal);
    }
    return { kind: 'done' };
  } catch (error) {
    return isRefusal(error, 409) ? 'conflict' : goneOr(error);
  }
}

const goneOr = (error: unknown): WriteOutcome => (isRefusal(error, 404) ? { kind: 'gone' } : failureOf(error));

/** A permanent refusal is an outcome; everything else (no connection, a busy server) is rethrown for a later retry. */
function failureOf(error: unknown): WriteOutcome {
  if (isFinalRefusal(error)) {
    return { kind: 'failed', code: error.reason || `HTTP ${error.status}`, message: error.message };
  }
  throw error;
}

/**
 * The API server responds with 429 both when a budget does not allow an eviction (with the cause `DisruptionBudget`,
 * also while the budget's status is being computed) and when it is busy; with 500 when several budgets cover the pod;
 * with 409 when the pod has another UID, or when too many evictions update one budget concurrently. An admission webhook that denies
 * the eviction chooses the status: KubeVirt's has 429.
 */
function evictionRefusal(error: unknown): EvictOutcome {
  if (!(error instanceof ApiError) || error.kind !== 'refused') {
    throw error;
  }
  const { status, causes, message } = error;
  const retryAfterSeconds = mapOptional(error.retryAfterMs, (ms) => Math.ceil(ms / 1_000));
  if (isDenied(message) || (status === 429 && causes.includes('DisruptionBudget'))) {
    return { kind: 'refused', message, retryAfterSeconds };
  }
  if (status === 404 || (status === 409 && /\bUID\b/.test(message))) {
    return { kind: 'gone' };
  }
  if (status === 500 && message.includes('more than one PodDisruptionBudget')) {
    return { kind: 'failed', code: 'SeveralBudgets', message };
  }
  if (status !== null && (status === 409 || status === 429 || status >= 500)) {
    return { kind: 'throttled', message, retryAfterSeconds };
  }
  return failureOf(error);
}

const readNode = ({ body }: Answer): RawNode => {
  try {
    return JSON.parse(body.toString('utf8')) as RawNode;
  } catch (error) {
    throw new ApiError('the response is not JSON', { kind: 'unreadable', retryable: true, cause: error });
  }
};
