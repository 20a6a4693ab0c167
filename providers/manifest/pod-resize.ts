import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { getOwn } from '@outrigger/core/model/values/existing.ts';
import type { ContainerResize, Pod, PodResize, PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import { NO_RESOURCES, type Resources } from '@outrigger/core/model/values/resources.ts';
import { amountsIn, writeAmounts } from './amounts.ts';
import { type Fields, type Manifest, listIn, manifest, nameIn, optionalObjectIn, readFields } from './fields.ts';
import { type Invalid, fieldOf, itemOf } from './invalid.ts';

/**
 * Reads the resources that the kubelet has allocated to a pod.
 *
 * @returns `null` unless they differ from the spec: since Kubernetes 1.33 the status of every running container repeats
 *   its requests, and pods without a difference must stay equal.
 */
export const resizeReader =
  (spec: PodSpec, infeasible: boolean) =>
  (status: Fields, place: string, problems: Invalid[]): PodResize | null => {
    const containers = [
      ...containerResizesIn(status, 'containerStatuses', place, problems),
      ...containerResizesIn(status, 'initContainerStatuses', place, problems).filter(({ name }) =>
        spec.initContainers.some((container) => container.restartable && container.name === name),
      ),
    ];
    const allocated = amountsIn(status, 'allocatedResources', place, problems);
    const actual = actualIn(status, place, problems);
    return resizeOf(spec, { containers, allocated, actual, infeasible });
  };

/**
 * Keeps only the amounts of a resize that matter: the scheduler counts the largest of spec, allocated and actual, and
 * of an infeasible resize the latter two alone.
 */
export function resizeOf(spec: PodSpec, resize: PodResize): PodResize | null {
  if (resize.infeasible) {
    return resize;
  }
  const containers = resize.containers.filter(({ name, allocated, actual }) => {
    const requests = requestsOf(spec, name);
    return exceeds(allocated, requests) || exceeds(actual, requests);
  });
  const podLevel = spec.podRequests;
  const isPodResized = podLevel !== null && (exceeds(resize.allocated, podLevel) || exceeds(resize.actual, podLevel));
  return containers.length > 0 || isPodResized ? { ...resize, containers } : null;
}

const requestsOf = (spec: PodSpec, name: string): Resources =>
  (
    spec.containers.find((container) => container.name === name) ??
    spec.initContainers.find((container) => container.name === name)
  )?.requests ?? NO_RESOURCES;

function exceeds(amounts: Resources | null, requests: Resources): boolean {
  for (const name in amounts) {
    if (getOwn(amounts, name) > (requests[name] ?? 0)) {
      return true;
    }
  }
  return false;
}

function containerResizesIn(status: Fields, key: string, place: string, problems: Invalid[]): ContainerResize[] {
  const found: ContainerResize[] = [];
  const statuses = listIn(status, key, place, problems);
  for (let i = 0; i < statuses.length; i += 1) {
    const at = itemOf(fieldOf(place, key), i);
    const fields = readFields(statuses[i], at, problems);
    // The scheduler uses a container's status only where it has `resources`.
    if (optionalObjectIn(fields, 'resources', at, problems) !== null) {
      found.push({
        name: nameIn(fields, 'name', at, problems),
        allocated: amountsIn(fields, 'allocatedResources', at, problems),
        actual: actualIn(fields, at, problems),
      });
    }
  }
  return found;
}

function actualIn(from: Fields, place: string, problems: Invalid[]): Resources | null {
  const resources = optionalObjectIn(from, 'resources', place, problems);
  if (resources === null) {
    return null;
  }
  return amountsIn(resources, 'requests', fieldOf(place, 'resources'), problems) ?? NO_RESOURCES;
}

/** Writes the part of `status` that `resizeReader` reads. */
export function writeResize({ resize, spec }: Pod): Manifest {
  if (resize === null) {
    return {};
  }
  const isSidecar = ({ name }: ContainerResize): boolean =>
    spec.initContainers.some((container) => container.name === name);
  return {
    ...writeAllocation(resize),
    containerStatuses: resize.containers.filter((one) => !isSidecar(one)).map(writeContainerResize),
    initContainerStatuses: resize.containers.filter(isSidecar).map(writeContainerResize),
  };
}

const writeContainerResize = (container: ContainerResize): Manifest => ({
  name: container.name,
  ...writeAllocation(container),
});

const writeAllocation = ({ allocated, actual }: Pick<PodResize, 'allocated' | 'actual'>): Manifest =>
  manifest({
    allocatedResources: mapOptional(allocated, writeAmounts),
    resources: mapOptional(actual, (requests) => ({ requests: writeAmounts(requests) })),
  });
