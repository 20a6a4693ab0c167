import { getExisting } from '@outrigger/core/model/values/existing.ts';
import * as z from 'zod';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { type Resources, roundUpResources } from '@outrigger/core/model/values/resources.ts';
import { type Result, err, ok } from '@outrigger/core/model/values/result.ts';
import { type EpochMs, addTime, minutes } from '@outrigger/core/model/values/time.ts';
import { ApiError, isRefusal } from '../../kubernetes/client/api-error.ts';
import { type ApiResource, JSON_TYPE, nonResourceRequest } from '../../kubernetes/client/api-request.ts';
import type { Transport } from '../../kubernetes/client/transport.ts';
import { jsonPageReader } from '../../kubernetes/read/json-page.ts';
import { allOf } from '../../kubernetes/read/pages.ts';
import { parsedOf } from '../../kubernetes/read/parsed.ts';
import { amountOf } from '../../manifest/amounts.ts';
import { type SectionReader, nameIn, objectIn, optionalNameIn, unreported } from '../../manifest/fields.ts';
import { namespaceOf } from '../../manifest/metadata.ts';
import type { InfrastructureRef } from '../api/objects.ts';

/**
 * The statements of an infrastructure template about its nodes: `status.capacity` and `status.nodeInfo`, which
 * providers may fill in (Cluster API's contract for InfraMachineTemplate, "autoscaling from zero").
 */
export interface InfrastructureTemplate {
  readonly namespace: string;
  readonly name: string;
  /** Without quantities that cannot be read. */
  readonly capacity: Resources;
  readonly architecture: string | null;
  readonly operatingSystem: string | null;
}

/** The infrastructure templates of a management cluster. */
interface InfrastructureTemplates {
  /**
   * The templates of these references, listed once per kind; kept for ten minutes.
   *
   * @returns for each reference the template, or why it cannot be read; rejects only for aborts and bugs.
   */
  get(
    refs: readonly InfrastructureRef[],
    signal?: AbortSignal,
  ): Promise<(ref: InfrastructureRef) => Result<InfrastructureTemplate, string>>;
}

const KEPT = minutes(10);
/** Time that a failed or missing template is remembered. */
const FAILURE_KEPT = minutes(1);

const PAGE_SIZE = 500;

/** The templates of one kind by `NAMESPACE/NAME`, or why they cannot be read. */
type TemplateList = Result<ReadonlyMap<string, InfrastructureTemplate>, string>;

interface CachedList {
  readonly listed: TemplateList;
  readonly at: EpochMs;
}

export function createInfrastructureTemplates(transport: Transport, now: () => EpochMs): InfrastructureTemplates {
  const kept = new Map<string, CachedList>();

  const isFresh = ({ listed, at }: CachedList, wanted: readonly InfrastructureRef[]): boolean => {
    const complete = listed.ok && wanted.every((ref) => listed.value.has(keyOf(ref)));
    return now() < addTime(at, complete ? KEPT : FAILURE_KEPT);
  };

  async function read(key: string, refs: readonly InfrastructureRef[], signal?: AbortSignal): Promise<void> {
    const known = kept.get(key);
    if (known === undefined || !isFresh(known, refs)) {
      kept.set(key, { listed: await listKind(transport, refs, signal), at: now() });
    }
  }

  return {
    async get(refs, signal) {
      const byKind = Map.groupBy(refs, kindOf);
      for (const key of kept.keys()) {
        if (!byKind.has(key) && now() >= addTime(getExisting(kept, key).at, KEPT)) {
          kept.delete(key);
        }
      }
      await Promise.all([...byKind].map(([key, of]) => read(key, of, signal)));
      return (ref) => {
        const { listed } = getExisting(kept, kindOf(ref));
        if (!listed.ok) {
          return listed;
        }
        const found = listed.value.get(keyOf(ref));
        if (found === undefined) {
          return err(`there is no ${ref.kind} ${keyOf(ref)}`);
        }
        return ok(found);
      };
    },
  };
}

const kindOf = ({ apiGroup, apiVersion, kind }: InfrastructureRef): string => `${apiVersion ?? apiGroup} ${kind}`;

const keyOf = ({ namespace, name }: Pick<InfrastructureRef, 'namespace' | 'name'>): string => `${namespace}/${name}`;

async function listKind(
  transport: Transport,
  refs: readonly InfrastructureRef[],
  signal?: AbortSignal,
): Promise<TemplateList> {
  const [{ kind, apiGroup, apiVersion }] = refs as readonly [InfrastructureRef, ...InfrastructureRef[]];
  const namespaces = new Set(refs.map(({ namespace }) => namespace));
  const [first = null] = namespaces;
  if (!KIND.test(kind) || !GROUP.test(apiGroup)) {
    return err(`${JSON.stringify(clip(`${kind}.${apiGroup}`))} is no kind of an API group`);
  }
  try {
    const version = VERSION.exec(apiVersion ?? '')?.[1] ?? (await preferredVersion(transport, apiGroup, signal));
    const resource = resourceOf(apiGroup, version, kind);
    const listing = {
      kind,
      resource,
      accept: JSON_TYPE,
      reader: () => jsonPageReader({ kind, resource }, readTemplate),
    };
    const namespace = namespaces.size === 1 ? first : null;
    const { items } = await allOf(transport, listing, { pageSize: PAGE_SIZE, namespace }, signal);
    return ok(new Map(items.map((template) => [keyOf(template), template])));
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof ApiError)) {
      throw error;
    }
    const group = apiVersion ?? apiGroup;
    if (isRefusal(error, 404)) {
      return err(`the management cluster does not serve ${kind} of ${group}`);
    }
    return err(`${kind} of ${group} cannot be read: ${error.message}`);
  }
}

const KIND = /^[A-Za-z][A-Za-z0-9]{0,62}$/;
const VERSION = /\/([a-z0-9]{1,63})$/;
const GROUP = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;

/** Cluster API requires this name of the resource (`CalculateCRDName` of sigs.k8s.io/cluster-api/internal/contract). */
const resourceOf = (group: string, version: string, kind: string): ApiResource => ({
  group,
  version,
  resource: `${kind.toLowerCase()}s`,
});

const ApiGroup = z.object({ preferredVersion: z.object({ version: z.string().min(1) }) });

async function preferredVersion(transport: Transport, group: string, signal?: AbortSignal): Promise<string> {
  return await transport.send(
    nonResourceRequest(`/apis/${group}`),
    ({ body }) => {
      const read = ApiGroup.safeParse(parsedOf(body));
      if (!read.success) {
        throw new ApiError(`the response for /apis/${group} is not that of an API server`, {
          kind: 'unreadable',
          retryable: true,
        });
      }
      return read.data.preferredVersion.version;
    },
    signal,
  );
}

/** Fields that providers do not have in this form count as absent: the status is theirs. */
const readTemplate: SectionReader<InfrastructureTemplate> = (from) => {
  const metadata = objectIn(from, 'metadata');
  const status = objectIn(unreported(from), 'status');
  const nodeInfo = objectIn(status, 'nodeInfo');
  const amounts = Object.entries(objectIn(status, 'capacity').fields).flatMap(([resource, amount]) => {
    const read = amountOf(resource, amount);
    return read === null ? [] : [[resource, read] as const];
  });
  return {
    namespace: namespaceOf(metadata),
    name: nameIn(metadata, 'name'),
    capacity: roundUpResources(Object.fromEntries(amounts)),
    architecture: optionalNameIn(nodeInfo, 'architecture'),
    operatingSystem: optionalNameIn(nodeInfo, 'operatingSystem'),
  };
};
