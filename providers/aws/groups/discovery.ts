import {
  type AutoScalingClient,
  type DescribeAutoScalingGroupsCommandInput,
  paginateDescribeAutoScalingGroups,
} from '@aws-sdk/client-auto-scaling';
import type { Discovery, DiscoveryTag } from '@outrigger/core/model/discovery.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import { abortable } from '../api/clients.ts';
import { callFailed } from '../api/call-problem.ts';
import { hasTags, PAGE } from './membership.ts';
import { type ScalingGroup, toScalingGroup, withBounds } from './scaling-group.ts';
import { chunksOf } from '@outrigger/core/model/values/chunks.ts';

/**
 * Finds the groups of one cluster. One call per hundred groups, by tags and by name.
 *
 * @returns sorted by name.
 * @throws when a call fails, after the SDK's retries: a decision needs the complete list.
 */
export async function discoverGroups(
  client: AutoScalingClient,
  cluster: string,
  discovery: Discovery,
  signal?: AbortSignal,
): Promise<readonly ScalingGroup[]> {
  try {
    return await listGroups(client, discovery, signal);
  } catch (error) {
    throw callFailed(`DescribeAutoScalingGroups for cluster ${cluster}`, error);
  }
}

/** As `discoverGroups`. Errors are the SDK's. */
export async function listGroups(
  client: AutoScalingClient,
  discovery: Discovery,
  signal?: AbortSignal,
  questions = questionsOf(discovery),
): Promise<readonly ScalingGroup[]> {
  const groups = new Map<string, ScalingGroup>();
  for (const question of questions) {
    const pages = paginateDescribeAutoScalingGroups({ client, pageSize: PAGE }, question, abortable(signal));
    for await (const { AutoScalingGroups = [] } of pages) {
      for (const group of AutoScalingGroups.map(toScalingGroup)) {
        const known = discovered(group, discovery);
        if (known !== null) {
          groups.set(group.name, known);
        }
      }
    }
  }
  return [...groups.values()].sort((a, b) => byName(a.name, b.name));
}

const namedQuestions = (names: readonly string[]): readonly DescribeAutoScalingGroupsCommandInput[] =>
  chunksOf(names, PAGE).map((some) => ({ AutoScalingGroupNames: [...some] }));

function questionsOf({ tags, nodes }: Discovery): readonly DescribeAutoScalingGroupsCommandInput[] {
  const named = namedQuestions(nodes.map(({ name }) => name));
  // Filters are ANDed, the values inside one filter ORed: a filter for each tag.
  if (tags.length === 0) {
    return named;
  }
  return [{ Filters: tags.map(filterOf) }, ...named];
}

const filterOf = ({ key, value }: DiscoveryTag) =>
  value === null ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] };

/** A group with the bounds that it has as a node group; `null` where it is none of the cluster's. */
function discovered(group: ScalingGroup, { tags, nodes }: Discovery): ScalingGroup | null {
  const explicit = nodes.find(({ name }) => name === group.name);
  if (explicit !== undefined) {
    return withBounds(group, explicit);
  }
  return hasTags(group.tags, tags) ? group : null;
}

/** Reads one group by name; `null` where it does not exist or does not belong to this cluster. Errors are the SDK's. */
export type ReadGroup = (name: string, signal?: AbortSignal) => Promise<ScalingGroup | null>;

/** The request to make while another call is under way. */
interface NextCall {
  readonly names: Set<string>;
  readonly controller: AbortController;
  readonly found: Promise<ReadonlyMap<string, ScalingGroup>>;
  /** Readers that have not aborted. */
  readers: number;
}

/**
 * Reads groups by name. AWS throttles `DescribeAutoScalingGroups` per account, and its answer has all instances of a group:
 * the reads that are asked for while a call is under way are one call after it. No read sees a group as it was before it
 * was asked for.
 */
export function createGroupReads(client: AutoScalingClient, discovery: Discovery): ReadGroup {
  let next: NextCall | null = null;
  let underWay: Promise<unknown> = Promise.resolve();

  const begin = (): NextCall => {
    const names = new Set<string>();
    const controller = new AbortController();
    const found = underWay.then(() => {
      next = null;
      return groupsOfNames(client, discovery, [...names], controller.signal);
    });
    underWay = found.catch(() => null);
    return { names, controller, found, readers: 0 };
  };

  return async (name, signal) => {
    signal?.throwIfAborted();
    const call = (next ??= begin());
    call.names.add(name);
    call.readers += 1;
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => {
      call.readers -= 1;
      if (call.readers === 0) call.controller.abort(signal?.reason);
      aborted.reject(signal?.reason);
    };
    signal?.addEventListener('abort', abort, { once: true });
    try {
      const found = await (signal === undefined ? call.found : Promise.race([call.found, aborted.promise]));
      return found.get(name) ?? null;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };
}

async function groupsOfNames(
  client: AutoScalingClient,
  discovery: Discovery,
  names: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, ScalingGroup>> {
  signal.throwIfAborted();
  return new Map(
    (await listGroups(client, discovery, signal, namedQuestions(names))).map((group) => [group.name, group]),
  );
}
