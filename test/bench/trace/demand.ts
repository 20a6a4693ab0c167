import { specRequests } from '../../../core/model/cluster/pod-requests.ts';
import { CPU, MEMORY, PODS } from '../../../core/model/values/resources.ts';
import type { DemoLoad } from '../../../simulation/load/load.ts';
import { workloadKey, type Workload } from '../../../simulation/cluster/workload.ts';

export const GPU = 'nvidia.com/gpu';
/** Resources that count, in the order of an `Amounts`. */
const RESOURCES = [CPU, MEMORY, GPU, PODS];

/** Amounts of CPU, memory, GPUs and pods. */
export type Amounts = readonly number[];

/** A pod that wants to run, in seconds from the start. */
export interface Wanted {
  readonly amounts: Amounts;
  readonly from: number;
  to: number;
}

/** Room of a node of a type for pods beside its DaemonSets, and its price (USD per hour). */
export interface NodeShape {
  readonly name: string;
  readonly room: Amounts;
  readonly price: number;
}

/** Each instance type of the load once. */
export function shapesOf({ groups, daemonSets }: DemoLoad): readonly NodeShape[] {
  const daemons = daemonSets.map(({ spec }) => specRequests(spec));
  const shapes = groups.map(({ instanceType, allocatable, price }) => ({
    name: instanceType,
    room: RESOURCES.map(
      (resource) =>
        (allocatable[resource] ?? 0) -
        (resource === PODS ? daemons.length : daemons.reduce((sum, pod) => sum + (pod[resource] ?? 0), 0)),
    ),
    price: price!,
  }));
  return [...new Map(shapes.map((shape) => [shape.name, shape])).values()];
}

/** Every pod of the load, as if each ran from the moment it was wanted: what no cluster can do without. */
export function demandOf({ steps, until }: DemoLoad): readonly Wanted[] {
  const end = until! / 1_000;
  const pods: Wanted[] = [];
  const alive = new Map<string, { readonly workload: Workload; readonly pods: Wanted[] }>();
  const add = (workload: Workload, at: number, to: number): Wanted => {
    const requests = specRequests(workload.spec);
    const pod = {
      amounts: RESOURCES.map((resource) => (resource === PODS ? 1 : (requests[resource] ?? 0))),
      from: at,
      to: Math.min(to, end),
    };
    pods.push(pod);
    return pod;
  };
  const scale = (key: string, count: number, at: number): void => {
    const { workload, pods: its } = alive.get(key)!;
    while (its.length > count) {
      its.pop()!.to = at;
    }
    while (its.length < count) {
      its.push(add(workload, at, end));
    }
  };
  for (const step of steps) {
    const at = step.at / 1_000;
    if (step.kind === 'job') {
      for (let n = 0; n < step.workload.pods; n += 1) {
        add(step.workload, at, at + step.workload.runsFor! / 1_000);
      }
    } else if (step.kind === 'deploy') {
      const key = workloadKey(step.workload);
      alive.set(key, { workload: step.workload, pods: [] });
      scale(key, step.workload.pods, at);
    } else if (step.kind === 'scale') {
      scale(step.workload, step.pods, at);
    } else {
      throw new Error(`bench: a load of the traces has no step ${step.kind}`);
    }
  }
  return pods.filter(({ from, to }) => to > from);
}

/** Requests of all Jobs in core-hours. */
export const jobCoreHours = ({ steps, until }: DemoLoad): number =>
  steps.reduce((sum, { at, ...step }) => {
    if (step.kind !== 'job') {
      return sum;
    }
    const { spec, runsFor, pods } = step.workload;
    const hours = Math.min(runsFor!, until! - at) / 3_600_000;
    return sum + ((specRequests(spec)[CPU] ?? 0) / 1_000) * hours * pods;
  }, 0);
