import type { Container, Pod, PodResize, PodSpec } from './pod.ts';
import { addResources, maxResources, NO_RESOURCES, type Resources, roundUpResources } from './resources.ts';

/**
 * What kube-scheduler counts a pod for: the larger of the containers with all sidecars, and of every init container with
 * the sidecars before it; pod-level figures replace that for what they name; then the overhead. Rounded up once.
 *
 * A pod that waits is counted by its spec alone. One that runs may have been resized in place: it is counted by the
 * largest of spec, allocated and actual, or, once the kubelet called the resize infeasible, without the spec.
 *
 * Follows `PodRequests` of k8s.io/component-helpers/resource, 1.35.
 */
export function podRequests(pod: Pod): Resources {
  return pod.resize === null || pod.nodeName === null ? specRequests(pod.spec) : resizedRequests(pod.spec, pod.resize);
}

/** The requests of a pod that was never resized. */
export function specRequests(spec: PodSpec): Resources {
  return total(spec, (container) => container.requests, spec.podRequests);
}

function resizedRequests(spec: PodSpec, resize: PodResize): Resources {
  const byName = new Map(resize.containers.map((status) => [status.name, status]));
  const ofContainer = (container: Container): Resources => {
    const status = byName.get(container.name);
    if (status === undefined || (status.allocated === null && status.actual === null)) {
      return container.requests;
    }
    const settled = maxResources(status.allocated ?? NO_RESOURCES, status.actual ?? NO_RESOURCES);
    return resize.infeasible ? settled : maxResources(settled, container.requests);
  };
  const podLevel =
    spec.podRequests === null
      ? null
      : resize.infeasible && (resize.allocated !== null || resize.actual !== null)
        ? maxResources(resize.allocated ?? NO_RESOURCES, resize.actual ?? NO_RESOURCES)
        : maxResources(spec.podRequests, maxResources(resize.allocated ?? NO_RESOURCES, resize.actual ?? NO_RESOURCES));
  return total(spec, ofContainer, podLevel);
}

function total(spec: PodSpec, requestsOf: (container: Container) => Resources, podLevel: Resources | null): Resources {
  let running = NO_RESOURCES;
  for (const container of spec.containers) {
    running = addResources(running, requestsOf(container));
  }
  let sidecars = NO_RESOURCES;
  let starting = NO_RESOURCES;
  for (const container of spec.initContainers) {
    const requests = requestsOf(container);
    if (container.restartable) {
      running = addResources(running, requests);
      sidecars = addResources(sidecars, requests);
      starting = maxResources(starting, sidecars);
    } else {
      starting = maxResources(starting, addResources(requests, sidecars));
    }
  }
  const containers = maxResources(running, starting);
  const replaced = podLevel === null ? containers : { ...containers, ...podLevel };
  return roundUpResources(addResources(replaced, spec.overhead));
}
