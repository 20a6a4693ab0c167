import type { HeadroomReport } from '../model/decision.ts';
import type { Pod } from '../model/cluster/pod.ts';
import type { Scenario } from '../model/scenario.ts';
import { bufferRoom } from './capacity-buffers.ts';
import { type Asking, type QuotaLimit, quotaLimits } from './resource-quotas.ts';

/** Pods that are simulated, and are in no cluster: room is held, and bought, for them as for pending ones. */
export interface VirtualPods {
  readonly source: HeadroomReport['source'];
  /** Of the object that asks for them: namespace and name. */
  readonly name: string;
  /** Unscheduled. They are alike. */
  readonly pod: Pod;
  readonly count: number;
}

/** What asks for room, and what it comes to. */
export interface Wanted {
  readonly source: HeadroomReport['source'];
  readonly name: string;
  /** `null`: no room is held, for the reason in `problem`. */
  readonly pods: VirtualPods | null;
  /** `null`: quotas leave it what it asks for. */
  readonly limit: QuotaLimit | null;
  /** In words; `null` where it is as it should be. */
  readonly problem: string | null;
}

/** Most virtual pods of a cluster: those that come last by name are left out. */
export const MOST_VIRTUAL_PODS = 5_000;

/** Everything that asks for room, by name. */
export function headroomIn(scenario: Scenario): readonly Wanted[] {
  const { objects, options } = scenario;
  if (!options.capacityBuffers) {
    return [];
  }
  const rooms = objects.capacityBuffers.map((buffer) => ({ buffer, found: bufferRoom(buffer, objects) }));
  const limits = quotaLimits(
    rooms.flatMap(({ buffer, found }): Asking[] => (found.ok ? [{ buffer, room: found.value }] : [])),
    objects.resourceQuotas,
  );
  let left = MOST_VIRTUAL_PODS;
  return rooms.map(({ buffer, found }): Wanted => {
    const name = `${buffer.namespace}/${buffer.name}`;
    const about = { source: 'CapacityBuffer' as const, name };
    if (!found.ok) {
      return { ...about, pods: null, limit: null, problem: found.error };
    }
    const limit = limits.get(buffer) ?? null;
    const { pod, count: asked } = found.value;
    const count = limit?.to ?? asked;
    const held = Math.min(count, left);
    left -= held;
    return {
      ...about,
      pods: { ...about, pod, count: held },
      limit,
      problem: held < count ? `limited from ${count} to ${held}: a cluster has ${MOST_VIRTUAL_PODS} at most` : null,
    };
  });
}
