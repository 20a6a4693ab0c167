import { specRequests } from '@outrigger/core/model/cluster/pod-requests.ts';
import { required } from '@outrigger/core/model/values/existing.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { addTime } from '@outrigger/core/model/values/time.ts';
import { writeQuantity } from '@outrigger/providers/manifest/amounts.ts';
import { neededOf } from '../cluster/disruption-controller.ts';
import { type Workload, workloadKey } from '../cluster/workload.ts';
import type { SimulatedWorld } from '../world.ts';
import type { LoadStep } from '../load/load.ts';
import type { LoadEntry } from './recording.ts';

/** Carries out a step of the load. */
export function apply(step: LoadStep, world: SimulatedWorld): void {
  const { controllers, scaling } = world;
  switch (step.kind) {
    case 'deploy':
    case 'job':
      controllers.apply(step.workload);
      break;
    case 'scale':
      controllers.apply({ ...required(controllers.workload(step.workload), step.workload), pods: step.pods });
      break;
    case 'delete':
      controllers.remove(step.workload);
      break;
    case 'capacity':
      scaling.setAvailable(step.group, step.available);
      break;
    case 'interruption':
      interrupt(step, world);
      break;
  }
}

/** Takes back the middle one of the instances by age: neither young nor old ones are interrupted rather than others. */
function interrupt(
  { group, zone, notice }: Extract<LoadStep, { readonly kind: 'interruption' }>,
  { clock, scaling, announce }: SimulatedWorld,
): void {
  const { instances = [] } = scaling.groups().find((view) => view.group.name === group) ?? {};
  const alive = instances.filter(({ state }) => state !== 'Deleting').toSorted((a, b) => a.launchedAt - b.launchedAt);
  const inZone = alive.filter((instance) => instance.zone === zone);
  const from = inZone.length > 0 ? inZone : alive;
  const instance = from[Math.floor(from.length / 2)];
  if (instance === undefined) {
    return;
  }
  if (notice > 0) {
    const [time, endsAt] = [clock.now(), addTime(clock.now(), notice)];
    announce?.({ id: `interruption-${instance.id}`, what: 'SpotInterruption', instances: [instance.id], time, endsAt });
  }
  clock.after(notice, () => scaling.fail(instance.id));
}

/** A step of the load as it is recorded, before it is carried out. */
export function loadEntry(step: LoadStep, { controllers }: SimulatedWorld): LoadEntry {
  const pods = (key: string): number => controllers.workload(key)?.pods ?? 0;
  switch (step.kind) {
    case 'deploy':
    case 'job': {
      const subject = workloadKey(step.workload);
      const { pods: count } = step.workload;
      return entryOf({ step: step.kind, subject, count, before: pods(subject) }, step.workload);
    }
    case 'scale':
    case 'delete': {
      const { workload: subject } = step;
      const count = step.kind === 'scale' ? step.pods : 0;
      return entryOf({ step: step.kind, subject, count, before: pods(subject) }, controllers.workload(subject));
    }
    case 'capacity':
      return entryOf({ step: step.kind, subject: step.group, count: step.available, before: 0 }, null);
    case 'interruption':
      return entryOf({ step: step.kind, subject: step.group, count: 1, before: 0 }, null);
  }
}

function entryOf(
  about: Pick<LoadEntry, 'step' | 'subject' | 'count' | 'before'>,
  workload: Workload | null,
): LoadEntry {
  const requests = mapOptional(workload?.spec, specRequests) ?? {};
  return {
    kind: 'Load',
    ...about,
    requests: Object.fromEntries(
      Object.entries(requests).map(([resource, amount]) => [resource, writeQuantity(resource, amount)]),
    ),
    runsFor: mapOptional(workload?.runsFor, (ms) => ms / 1_000) ?? null,
    minAvailable: mapOptional(workload, (one) => neededOf({ ...one, pods: about.count })),
    annotations: workload?.annotations ?? {},
  };
}
