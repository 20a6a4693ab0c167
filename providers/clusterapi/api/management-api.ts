import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { isRefusal } from '../../kubernetes/client/api-error.ts';
import { type ApiRequest, type ApiResource, JSON_TYPE, apiRequest } from '../../kubernetes/client/api-request.ts';
import type { Transport } from '../../kubernetes/client/transport.ts';
import { mayExist } from '../../kubernetes/object-names.ts';
import { type PageReader, jsonPageReader } from '../../kubernetes/read/json-page.ts';
import { allOf } from '../../kubernetes/read/pages.ts';
import type { SectionReader } from '../../manifest/fields.ts';
import { explainInvalid } from '../../manifest/invalid.ts';
import type { HourlyWarn } from '../../node-groups/warnings.ts';
import {
  type CapiCluster,
  type Machine,
  type ScalableResource,
  readClusterObject,
  machineReader,
  scalableReader,
} from './objects.ts';
import type { ClusterApiKind, ScalableKind } from './resources.ts';
import { createServedApi, isUnserved } from './served-api.ts';

/** Most objects per page, so that the objects of most management clusters take one call per kind. */
const PAGE_SIZE = 5_000;

/** The type that a kind is read as. */
type ObjectOf<K extends ClusterApiKind> = K extends ScalableKind
  ? ScalableResource
  : K extends 'Machine'
    ? Machine
    : CapiCluster;

export interface ListScope {
  /** `null`: all namespaces. */
  readonly namespace: string | null;
  /** As the query parameter of a list has it; `''`: all objects. */
  readonly labelSelector: string;
}

/** Reads the objects of Cluster API from the API server of a management cluster. */
export interface ManagementApi {
  /**
   * All objects of a kind, in one call per `PAGE_SIZE` of them; none where the kind is not served. Objects that cannot
   * be read are reported and left out.
   *
   * @throws ApiError
   */
  list<K extends ClusterApiKind>(kind: K, scope: ListScope, signal?: AbortSignal): Promise<readonly ObjectOf<K>[]>;
  /**
   * The object of a name; `null` where there is none.
   *
   * @throws ApiError; Error where it cannot be read.
   */
  get<K extends ClusterApiKind>(
    kind: K,
    of: { readonly namespace: string; readonly name: string },
    signal?: AbortSignal,
  ): Promise<ObjectOf<K> | null>;
  /** The resource of a kind in the version to use; `null` where the kind is not served. */
  resourceOf(kind: ClusterApiKind, signal?: AbortSignal): Promise<ApiResource | null>;
}

interface ManagementApiSettings {
  readonly transport: Transport;
  /** API group of the resources and their annotations. */
  readonly apiGroup: string;
  readonly warn: HourlyWarn;
  readonly now: () => EpochMs;
}

/** Keep the result: what is served is remembered in it. */
export function createManagementApi({ transport, apiGroup, warn, now }: ManagementApiSettings): ManagementApi {
  const served = createServedApi(transport, apiGroup, now);

  return {
    async list<K extends ClusterApiKind>(kind: K, { namespace, labelSelector }: ListScope, signal?: AbortSignal) {
      const reader = readerOf(kind, apiGroup);
      const query: Readonly<Record<string, string>> = labelSelector === '' ? {} : { labelSelector };
      const read = async (resource: ApiResource): Promise<readonly ObjectOf<K>[]> => {
        const listing = { kind, resource, accept: JSON_TYPE, reader: () => jsonPageReader({ kind, resource }, reader) };
        const { items, rejected } = await allOf(transport, listing, { query, pageSize: PAGE_SIZE, namespace }, signal);
        rejected.forEach((one) => warn(`unreadable: ${one.place}`, `${explainInvalid(one)}; it is left out`));
        return items;
      };
      return (await served.read(kind, read, signal)) ?? [];
    },

    async get<K extends ClusterApiKind>(kind: K, of: ObjectKey, signal?: AbortSignal) {
      const read = (resource: ApiResource): Promise<ObjectOf<K> | null> =>
        getOne(
          transport,
          apiRequest('get', resource, of),
          jsonPageReader({ kind, resource }, readerOf(kind, apiGroup)).single,
          signal,
        );
      return mayExist(of) ? await served.read(kind, read, signal) : null;
    },

    resourceOf: (kind, signal) => served.resourceOf(kind, signal),
  };
}

async function getOne<T>(
  transport: Transport,
  request: ApiRequest,
  read: PageReader<T>['single'],
  signal?: AbortSignal,
): Promise<T | null> {
  try {
    const { items, rejected } = await transport.send(request, read, signal);
    const [problem] = rejected;
    if (problem !== undefined) {
      throw new Error(`${explainInvalid(problem)}. Correct the object.`);
    }
    return items[0] ?? null;
  } catch (error) {
    if (isRefusal(error, 404) && !isUnserved(error)) {
      return null;
    }
    throw error;
  }
}

interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

const READERS: { readonly [K in ClusterApiKind]: (group: string) => SectionReader<ObjectOf<K>> } = {
  MachineDeployment: (group) => scalableReader('MachineDeployment', group),
  MachineSet: (group) => scalableReader('MachineSet', group),
  MachinePool: (group) => scalableReader('MachinePool', group),
  Machine: machineReader,
  Cluster: readClusterObject,
};

const readerOf = <K extends ClusterApiKind>(kind: K, group: string): SectionReader<ObjectOf<K>> =>
  (READERS[kind] as (of: string) => SectionReader<ObjectOf<K>>)(group);
