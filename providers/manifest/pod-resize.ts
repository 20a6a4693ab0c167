import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { getOwn } from '@outrigger/core/model/values/existing.ts';
import type { ContainerResize, Pod, PodResize, PodSpec } from '@outrigger/core/model/cluster/pod.ts';
import { NO_RESOURCES, type Resources } from '@outrigger/core/model/values/resources.ts';
import { amountsIn, writeAmounts } from './amounts.ts';
import { type Manifest, type Section, manifest, nameIn, optionalObjectIn, sectionsIn } from './fields.ts';

/**
 * Reads the resources that the kubelet has allocated to a pod.
 *
 * @returns `null` unless they differ from the spec: since Kubernetes 1.33 the status of every running container repeats
 *   its requests, and pods without a difference must stay equal.
 */
export const resizeReader =
  (spec: PodSpec, infeasible: boolean) =>
  (status: Section): PodResize | null => {
    const containers = [
      ...containerResizesIn(status, 'containerStatuses'),
      ...containerResizesIn(status, 'initContainerStatuses').filter(({ name }) =>
        spec.initContainers.some((container) => container.restartable && container.name === name),
      ),
    ];
    const allocated = amountsIn(status, 'allocatedResources');
    const actual = actualIn(status);
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

function containerResizesIn(status: Section, key: string): ContainerResize[] {
  const found: ContainerResize[] = [];
  for (const from of sectionsIn(status, key)) {
    // The scheduler uses a container's status only where it has `resources`.
    if (optionalObjectIn(from, 'resources') !== null) {
      found.push({
        name: nameIn(from, 'name'),
        allocated: amountsIn(from, 'allocatedResources'),
        actual: actualIn(from),
      });
    }
  }
  return found;
}

function actualIn(from: Section): Resources | null {
  const resources = optionalObjectIn(from, 'resources');
  return resources === null ? null : (amountsIn(resources, 'requests') ?? NO_RESOURCES);
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
