import { getOwn } from '../values/existing.ts';
import type { AmountsSpec, Container, Pod, PodResize } from './pod.ts';
import { boundedResources } from './bounded-pod-spec.ts';
import { rememberedOf } from '../values/remembered.ts';
import { valueOf } from '../values/records.ts';
import { CPU, maxResources, MEMORY, NO_RESOURCES, type Resources, roundUpResources } from '../values/resources.ts';

/**
 * The requests that kube-scheduler counts for a pod: the larger of the containers with all sidecars, and of every init
 * container with the sidecars before it; pod-level figures replace the amounts of the resources that they name; then
 * the overhead. Rounded up once.
 *
 * A pending pod is counted by its spec alone. A running pod may have been resized in place: it is counted by the
 * largest of spec, allocated and actual, or, once the kubelet called the resize infeasible, without the spec.
 *
 * Follows `PodRequests` of k8s.io/component-helpers/resource, 1.33 to 1.37, for no more resources than are followed of a pod: sums
 * of thousands of pods with a thousand resources of their own each take the square of their number.
 */
export function podRequests(pod: Pod): Resources {
  return pod.resize === null || pod.nodeName === null ? specRequests(pod.spec) : resizedRequests(pod.spec, pod.resize);
}

/** The requests of a pod that was never resized. */
export const specRequests = rememberedOf((spec: AmountsSpec): Resources =>
  total(spec, spec.podRequests, (container) => container.requests),
);

function resizedRequests(spec: AmountsSpec, resize: PodResize): Resources {
  const byName = new Map(resize.containers.map((status) => [status.name, status]));
  return total(spec, resizedPodRequests(spec, resize), (container) => {
    const status = byName.get(container.name);
    // Allocated alone says nothing yet: it is taken for known with the first report of actual resources.
    if (status === undefined || status.actual === null) {
      return container.requests;
    }
    const settled = maxResources(status.allocated ?? NO_RESOURCES, status.actual);
    return resize.infeasible ? settled : maxResources(settled, container.requests);
  });
}

/** The pod-level figures. API servers below 1.36 drop them from the status, so the version of the cluster makes no difference. */
function resizedPodRequests(
  { podRequests }: AmountsSpec,
  { allocated, actual, infeasible }: PodResize,
): Resources | null {
  if (podRequests === null || actual === null) {
    return podRequests;
  }
  const settled = maxResources(allocated ?? NO_RESOURCES, actual);
  return infeasible ? settled : maxResources(settled, podRequests);
}

/** @param running the requests of a container that runs along with the others; plain init containers count by spec. */
function total(
  spec: AmountsSpec,
  podRequests: Resources | null,
  running: (container: Container) => Resources,
): Resources {
  // The sum is one object that grows, not a new object for each container: there may be thousands, each with resources
  // of its own.
  const followed = boundedResources(spec);
  const together: Sum = {};
  for (const container of spec.containers) {
    add(together, running(container), followed);
  }
  const sidecars: Sum = {};
  const starting: Sum = {};
  for (const container of spec.initContainers) {
    const requests = container.restartable ? running(container) : container.requests;
    if (container.restartable) {
      add(together, requests, followed);
      add(sidecars, requests, followed);
    }
    // Earlier sidecars run beside this container; resources that the container does not name have been counted with the
    // sidecars.
    for (const name in requests) {
      if (followed?.has(name) !== false) {
        const needed = (valueOf(sidecars, name) ?? 0) + (container.restartable ? 0 : getOwn(requests, name));
        starting[name] = Math.max(valueOf(starting, name) ?? 0, needed);
      }
    }
  }
  const containers = maxResources(together, starting);
  const replaced: Sum =
    podRequests === null ? { ...containers } : { ...containers, ...podLevel(podRequests, followed) };
  add(replaced, spec.overhead, followed);
  return roundUpResources(replaced);
}

type Sum = Record<string, number>;

function add(sum: Sum, amounts: Resources, followed: ReadonlySet<string> | null): void {
  for (const name in amounts) {
    if (followed?.has(name) !== false) {
      sum[name] = (valueOf(sum, name) ?? 0) + getOwn(amounts, name);
    }
  }
}

/** Resources that can be requested at the level of the pod. */
const podLevel = (requests: Resources, followed: ReadonlySet<string> | null): Resources =>
  Object.fromEntries(
    Object.entries(requests).filter(
      ([name]) => (name === CPU || name === MEMORY || name.startsWith('hugepages-')) && followed?.has(name) !== false,
    ),
  );
