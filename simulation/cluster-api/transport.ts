import { ApiError } from '@outrigger/providers/kubernetes/client/api-error.ts';
import {
  type ApiRequest,
  describeRequest,
  isIdempotent,
  JSON_TYPE,
  methodOf,
  urlOf,
} from '@outrigger/providers/kubernetes/client/api-request.ts';
import type { Answer } from '@outrigger/providers/kubernetes/client/exchange.ts';
import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { type ApiCalls, ServiceError as Trouble } from '../api-call.ts';
import type { Clock } from '../clock.ts';
import type { SimulatedManagementApi } from './management-api.ts';

const SERVER = new URL('https://management.example');
/** As the real transport, which has a limit for all attempts together. */
const MOST_ATTEMPTS = 4;
const FIRST_PAUSE_MS = 200;

/**
 * The connection to the simulated management cluster: what the API server answers, in virtual time, with the retries of
 * the real transport. A change whose answer is lost is therefore made a second time, and meets its own first.
 */
export function createSimulatedTransport(api: SimulatedManagementApi, calls: ApiCalls, clock: Clock): Transport {
  const attempt = async (request: ApiRequest, signal: AbortSignal | undefined): Promise<Answer> => {
    const url = urlOf(SERVER, request);
    const call = { service: 'management', operation: operationOf(request) } as const;
    const sentAt = clock.now();
    const { status, body } = await calls
      .make(call, () => api.handle({ method: methodOf(request), url, body: request.body, sentAt }), signal)
      .catch((error: unknown) => {
        throw error instanceof Trouble ? asTransportError(request, error) : error;
      });
    if (status > 299) {
      throw refusal(request, status, String(body['reason']), String(body['message']));
    }
    return { status, headers: {}, contentType: JSON_TYPE, body: Buffer.from(JSON.stringify(body)) };
  };
  return {
    send: async (request, read, signal) => {
      signal?.throwIfAborted();
      for (let attempts = 1; ; attempts += 1) {
        try {
          return read(await attempt(request, signal));
        } catch (error) {
          const mayRetry = request.retried && attempts < MOST_ATTEMPTS && error instanceof ApiError && error.retryable;
          if (!mayRetry) {
            throw error;
          }
        }
        await clock.sleep(FIRST_PAUSE_MS * 2 ** (attempts - 1), signal);
      }
    },
    close: () => {},
  };
}

const OPERATION: Readonly<Record<ApiRequest['verb'], string>> = {
  list: 'List',
  watch: 'Watch',
  get: 'Get',
  create: 'Create',
  update: 'Update',
  patch: 'Patch',
  delete: 'Delete',
};

/** `ListMachines`, `PatchMachinedeploymentsScale`. */
const operationOf = ({ verb, resource, subresource }: ApiRequest): string =>
  `${OPERATION[verb]}${capitalized(resource.resource)}${capitalized(subresource ?? '')}`;

const capitalized = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const refusal = (request: ApiRequest, status: number, reason: string, message: string): ApiError =>
  new ApiError(`"${describeRequest(request)}" at ${SERVER.origin} was refused (HTTP ${status}: ${message}).`, {
    kind: 'refused',
    status,
    reason,
    retryable: status === 429 || (status >= 500 && isIdempotent(request)),
  });

/** An injected fault, as the real transport reports it. */
function asTransportError(request: ApiRequest, { class: failure, code, message }: Trouble): ApiError {
  if (failure === 'Timeout') {
    return new ApiError(`"${describeRequest(request)}" got no complete response in time: ${message}`, {
      kind: 'timeout',
      retryable: isIdempotent(request),
    });
  }
  if (failure === 'Throttled') {
    return refusal(request, 429, code, message);
  }
  if (failure === 'Authorization') {
    return refusal(request, 403, 'Forbidden', message);
  }
  return refusal(request, 500, 'InternalError', message);
}
