import { byName } from '@outrigger/core/model/values/names.ts';
import { INSTANCE_TYPE_LABEL } from '@outrigger/core/model/cluster/node.ts';
import { podRequests, specRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import { getOptional, mapOptional } from '@outrigger/core/model/values/optional.ts';
import { CPU, largestShare, MEMORY, type Resources } from '@outrigger/core/model/values/resources.ts';
import { nodeStretches, type StretchOfNode, timeOn } from '../backtest/node-stretches.ts';
import type { ObservedPeriod, ObservedPod } from '../history/observed.ts';

/** Pods of which no two fit on one node, with room beside them that nothing uses. */
export interface WastefulWorkload {
  readonly namespace: string;
  readonly kind: string;
  /** Names of controllers of this kind whose pods request the same. */
  readonly names: readonly string[];
  /** CPU in thousandths, memory in bytes. */
  readonly requests: { readonly cpu: number; readonly memory: number };
  readonly instanceType: string;
  /** Part of the node's CPU or memory that a pod requests: of both, the larger. */
  readonly share: number;
  /** Cost of the room beside the pods that nothing requested, USD in the period. */
  readonly unusedUsd: number;
  /** Requests of which two pods fit on a node, beside its DaemonSets. */
  readonly toFitTwo: { readonly cpu: number; readonly memory: number };
}

/** More than half of a node. */
const HALF = 0.5;
/** A workload is named for this part of the cost of all nodes. */
const LEAST = 0.01;

/** Workloads whose requests keep nodes half empty, by the history; the dearest first. */
export function wastefulWorkloads(period: ObservedPeriod): readonly WastefulWorkload[] {
  const daemons = daemonRequests(period);
  const podsOn = Map.groupBy(period.pods, ({ node }) => node);
  const found = new Map<string, WastefulWorkload>();
  let total = 0;
  for (const stretch of nodeStretches(period)) {
    const price = getOptional(period.prices, stretch.group) ?? null;
    if (price === null) {
      continue;
    }
    total += (price * (stretch.to - stretch.from)) / 3_600;
    const pods = (podsOn.get(stretch.node.name) ?? []).map((pod) => lifeOn(pod, stretch, period));
    for (const one of pods.filter(({ share, hours }) => share > HALF && hours > 0)) {
      const beside = pods
        .filter((other) => other !== one)
        .reduce((sum, other) => sum + other.share * overlap(one, other), 0);
      const unused = Math.max(0, 1 - one.share - beside);
      const key = keyOf(one.pod, stretch);
      const known = found.get(key) ?? workloadOf(one, stretch, daemons);
      const names = [...new Set([...known.names, ownerOf(one.pod)])].toSorted();
      found.set(key, { ...known, names, unusedUsd: known.unusedUsd + price * one.hours * unused });
    }
  }
  return [...found.values()]
    .filter(({ unusedUsd }) => unusedUsd >= LEAST * total)
    .toSorted((a, b) => b.unusedUsd - a.unusedUsd || byName(a.names.join(' '), b.names.join(' ')));
}

/** A pod on a node, in seconds from the start of the period. */
interface LifeOnNode {
  readonly pod: ObservedPod;
  readonly from: number;
  readonly to: number;
  readonly hours: number;
  /** Part of the node. */
  readonly share: number;
}

function lifeOn(pod: ObservedPod, stretch: StretchOfNode, period: ObservedPeriod): LifeOnNode {
  const { from, to } = timeOn(pod, stretch, period);
  const share = largestShare(podRequests(pod.pod), stretch.node.allocatable);
  return { pod, from, to, hours: (to - from) / 3_600, share };
}

/** For which part of its life another pod is beside a pod. */
const overlap = (one: LifeOnNode, other: LifeOnNode): number =>
  Math.max(0, Math.min(one.to, other.to) - Math.max(one.from, other.from)) / (one.to - one.from);

function daemonRequests({ daemonSets }: ObservedPeriod): Resources {
  const requests = daemonSets.map(({ template }) => mapOptional(template, ({ spec }) => specRequests(spec)));
  const sum = (name: string): number => requests.reduce((all, amounts) => all + (amounts?.[name] ?? 0), 0);
  return { [CPU]: sum(CPU), [MEMORY]: sum(MEMORY) };
}

const typeOf = ({ node }: StretchOfNode): string => node.labels[INSTANCE_TYPE_LABEL] ?? 'unknown';

const ownerOf = ({ pod }: ObservedPod): string => pod.controller?.name ?? pod.name;

function keyOf({ pod }: ObservedPod, stretch: StretchOfNode): string {
  const requests = podRequests(pod);
  return JSON.stringify([pod.namespace, pod.controller?.kind, requests[CPU], requests[MEMORY], typeOf(stretch)]);
}

function workloadOf({ pod: { pod }, share }: LifeOnNode, stretch: StretchOfNode, daemons: Resources): WastefulWorkload {
  const { namespace, controller } = pod;
  const requests = podRequests(pod);
  const half = (of: string): number => Math.floor(((stretch.node.allocatable[of] ?? 0) - (daemons[of] ?? 0)) / 2);
  return {
    namespace,
    kind: controller?.kind ?? 'Pod',
    names: [],
    requests: { cpu: requests[CPU] ?? 0, memory: requests[MEMORY] ?? 0 },
    instanceType: typeOf(stretch),
    share,
    unusedUsd: 0,
    toFitTwo: { cpu: half(CPU), memory: half(MEMORY) },
  };
}
