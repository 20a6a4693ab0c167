import * as z from 'zod';
import { clip } from '@outrigger/core/model/values/clip.ts';
import type { GroupName } from '@outrigger/core/model/values/names.ts';
import { printableLine } from '@outrigger/core/model/values/printable.ts';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import type { OptionOfGroup } from '@outrigger/core/ports/external-expander.ts';
import { group } from './names.ts';

/** Cluster Autoscaler's `BestOptionsResponse` as JSON; other fields of the options are not read. */
const response = z.object({ options: z.array(z.object({ nodeGroupId: group }), 'a list') });

/**
 * Writes the question to an external expander: Cluster Autoscaler's `BestOptionsRequest` as JSON, with the number of pods in
 * place of the pods, and the figures of each option.
 */
export const writeExpanderRequest = (cluster: string, options: readonly OptionOfGroup[]): string =>
  JSON.stringify({
    cluster,
    options: options.map(({ option, group: of }) => {
      const { group: nodeGroupId, nodes: nodeCount, pods: podCount, similarGroups, incomplete: _, ...figures } = option;
      return { nodeGroupId, nodeCount, podCount, similarNodeGroupIds: similarGroups, ...figures, ...nodeOf(of) };
    }),
  });

/** A new node of the group, as far as it is known. */
const nodeOf = ({ template, capacityType, minSize, maxSize, targetSize }: OptionOfGroup['group']): object => ({
  minSize,
  maxSize,
  targetSize,
  capacityType: capacityType ?? undefined,
  labels: template?.node.labels,
  capacity: template?.node.capacity,
});

/**
 * Parses the answer of an external expander.
 *
 * @param options that it was asked about: another group is an error
 * @returns the groups that it prefers; an error says what was expected and found, as a clause
 */
export function parseExpanderResponse(
  text: string,
  options: readonly OptionOfGroup[],
): Result<readonly GroupName[], string> {
  const { data } = response.safeParse(parsed(text));
  if (data === undefined) {
    return err(`expected {"options": [{"nodeGroupId": …}]}, found ${found(text)}`);
  }
  const asked = new Set(options.map(({ option }) => option.group));
  const chosen = data.options.map(({ nodeGroupId }) => nodeGroupId);
  const other = chosen.find((name) => !asked.has(name));
  if (other !== undefined) {
    return err(`the node group ${found(other)} is none of the options`);
  }
  return chosen.length === 0 ? err('the function chose none of the options') : ok(chosen);
}

/** The JSON of a text; `null` without any. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const found = (text: string): string => clip(printableLine(text), 100);
