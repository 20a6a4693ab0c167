import { groupName, instanceId, nodeName } from '../../../core/model/values/names.ts';
import {
  type FailureClass,
  type Instance,
  type LaunchFailure,
  launchFailureId,
  type NodeGroup,
} from '../../../core/model/node-group.ts';
import type { Options } from '../../../core/model/options.ts';
import type { ScaleDownRequest, ScaleUpRequest, State } from '../../../core/model/state.ts';
import { epochMs, type EpochMs } from '../../../core/model/values/time.ts';
import { buildRegistry, type Registry } from '../../../core/registry/registry.ts';
import { node } from '../../builders.ts';
import { group, type GroupGiven, NOW, running, scenario, times } from '../../scenario-builders.ts';

export const minutesAgo = (count: number): EpochMs => epochMs(NOW - count * 60_000);
export const inMinutes = (count: number): EpochMs => minutesAgo(-count);

/** A group by what is there of it. */
export interface Population {
  readonly min?: number;
  readonly target: number;
  /** Ready nodes. */
  readonly ready?: number;
  /** Instances that are no nodes yet. */
  readonly unregistered?: number;
  /** The same, seen first 16 minutes ago. */
  readonly long?: number;
  /** Launches that failed, one for each class. */
  readonly errors?: readonly FailureClass[];
  /** Instances that were created with an error. */
  readonly broken?: number;
  readonly template?: GroupGiven;
}

export const NAME = groupName('g');

export function populated(population: Population, name: string = NAME): NodeGroup {
  const { min = 0, target, ready = 0, unregistered = 0, long = 0, errors = [], broken = 0, template } = population;
  return group(name, {
    min,
    max: 100,
    target,
    ...template,
    nodes: times(ready, (i) => `${name}-n${i}`),
    instances: [
      ...times(ready, (i) => running(`i-${name}-${i}`, `${name}-n${i}`)),
      ...times(unregistered, (i) => running(`i-${name}-new${i}`, null)),
      ...times(long, (i) => running(`i-${name}-long${i}`, null)),
      ...times(broken, (i) => failed(`i-${name}-broken${i}`, 'Other')),
    ],
    launchFailures: errors.map((failure, i) => launchFailure(name, i, failure)),
  });
}

export const failed = (id: string, failure: FailureClass): Instance => ({
  id: instanceId(id),
  node: null,
  zone: null,
  state: 'Creating',
  error: { class: failure, code: failure, message: '' },
});

export const launchFailure = (
  of: string,
  n: number,
  failure: FailureClass,
  zone: string | null = null,
): LaunchFailure => ({ id: launchFailureId(groupName(of), n), zone, class: failure, code: failure, message: '' });

export const request = (increase: number, expectedAddTime = inMinutes(10), of: string = NAME): ScaleUpRequest => ({
  group: groupName(of),
  increase,
  time: epochMs(expectedAddTime - 15 * 60_000),
  expectedAddTime,
});

export const removal = (of: string, expectedDeleteTime: EpochMs, from = 'g'): ScaleDownRequest => ({
  group: groupName(from),
  node: nodeName(of),
  time: NOW,
  expectedDeleteTime,
});

/** The registry of these groups; their nodes are ready, and instances called `long` are known for 16 minutes. */
export function registryOf(
  groups: readonly NodeGroup[],
  state: Partial<State> = {},
  options: Partial<Options> = {},
): Registry {
  const long = groups.flatMap(({ instances }) => instances.filter(({ id }) => id.includes('long')));
  return buildRegistry(
    scenario({
      groups,
      nodes: groups.flatMap(({ nodes }) => nodes.map((name) => node(name))),
      options,
      state: { unregisteredSince: Object.fromEntries(long.map(({ id }) => [id, minutesAgo(16)])), ...state },
    }),
  );
}
