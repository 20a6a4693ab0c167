import { getOwn } from '@outrigger/core/model/values/existing.ts';
import { boundedRequests, POD_SPEC_LIMITS } from '@outrigger/core/model/cluster/bounded-pod-spec.ts';
import type { Container, HostPort } from '@outrigger/core/model/cluster/pod.ts';
import {
  type FieldReader,
  type Manifest,
  type Section,
  type SectionReader,
  integerIn,
  itemsReader,
  manifest,
  objectIn,
  sectionsIn,
  stringIn,
  unlessBlank,
  unlessEmpty,
} from './fields.ts';
import { requestsIn, writeAmounts } from './amounts.ts';
import { MOST_READ } from './most-read.ts';

const NO_PORTS: readonly HostPort[] = Object.freeze([]);

/** The ports that use a host port; at most one more than are followed. */
function hostPortsIn(container: Section, hostNetwork: boolean): readonly HostPort[] {
  const taken: HostPort[] = [];
  for (const port of sectionsIn(container, 'ports')) {
    if (taken.length === MOST_READ.hostPorts) {
      break;
    }
    const given = integerIn(port, 'hostPort') ?? 0;
    // On the host's network a container port is a host port, with or without `hostPort`.
    const hostPort = given === 0 && hostNetwork ? (integerIn(port, 'containerPort') ?? 0) : given;
    if (hostPort !== 0) {
      taken.push({
        hostIP: stringIn(port, 'hostIP'),
        hostPort,
        protocol: stringIn(port, 'protocol') || 'TCP',
      });
    }
  }
  return taken.length === 0 ? NO_PORTS : taken;
}

function containerReader(hostNetwork: boolean): SectionReader<Container> {
  return (from) => ({
    name: stringIn(from, 'name'),
    requests: requestsIn(objectIn(from, 'resources')),
    hostPorts: hostPortsIn(from, hostNetwork),
    restartable: stringIn(from, 'restartPolicy') === 'Always',
  });
}

/**
 * Reads `containers` or `initContainers` of a pod's spec. Containers beyond the followed number count as one container
 * with all their requests and ports. Such init containers count as running with the containers, which overstates the
 * requests: the pod is not simulated, and its node is taken for fuller rather than for emptier than it is.
 */
function containersReader(hostNetwork: boolean): FieldReader<readonly Container[], 'containers' | 'initContainers'> {
  const read = itemsReader(containerReader(hostNetwork));
  return (spec, key) => {
    const all = read(spec, key);
    const most = POD_SPEC_LIMITS.containers;
    if (all.length <= most) {
      return all;
    }
    return [...all.slice(0, most), { ...sumOf(all.slice(most)), restartable: key === 'initContainers' }];
  };
}

export const containersIn = containersReader(false);
/** The same for a pod on the host's network. */
export const hostContainersIn = containersReader(true);

function sumOf(containers: readonly Container[]): Omit<Container, 'restartable'> {
  const requests = new Map<string, number>();
  const hostPorts: HostPort[] = [];
  for (const container of containers) {
    for (const name in container.requests) {
      requests.set(name, (requests.get(name) ?? 0) + getOwn(container.requests, name));
    }
    hostPorts.push(...container.hostPorts.slice(0, MOST_READ.hostPorts - hostPorts.length));
  }
  return {
    name: '',
    requests: boundedRequests(Object.fromEntries(requests)),
    hostPorts,
  };
}

const writeHostPort = ({ hostIP, hostPort, protocol }: HostPort): Manifest =>
  manifest({ containerPort: hostPort, hostPort, hostIP: unlessBlank(hostIP), protocol });

export const writeContainer = (container: Container): Manifest =>
  manifest({
    name: unlessBlank(container.name),
    restartPolicy: container.restartable ? 'Always' : null,
    ports: container.hostPorts.map(writeHostPort),
    resources: unlessEmpty(container.requests) && { requests: writeAmounts(container.requests) },
  });
