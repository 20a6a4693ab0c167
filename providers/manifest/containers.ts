import { getOwn } from '@outrigger/core/model/values/existing.ts';
import { followedRequests, MOST_FOLLOWED } from '@outrigger/core/model/cluster/followed.ts';
import type { Container, HostPort } from '@outrigger/core/model/cluster/pod.ts';
import {
  type Fields,
  type Manifest,
  integerIn,
  itemsIn,
  listIn,
  manifest,
  objectIn,
  readFields,
  stringIn,
  unlessBlank,
  unlessEmpty,
} from './fields.ts';
import { requestsIn, writeAmounts } from './amounts.ts';
import { type Invalid, type Reader, fieldOf, itemOf } from './invalid.ts';
import { MOST_READ } from './most-read.ts';

const NO_PORTS: readonly HostPort[] = Object.freeze([]);

/** The ports that use a host port; at most one more than are followed. */
function hostPortsIn(container: Fields, place: string, problems: Invalid[], hostNetwork: boolean): readonly HostPort[] {
  const ports = listIn(container, 'ports', place, problems);
  if (ports.length === 0) {
    return NO_PORTS;
  }
  const taken: HostPort[] = [];
  for (let i = 0; i < ports.length && taken.length < MOST_READ.hostPorts; i += 1) {
    const at = itemOf(`${place}.ports`, i);
    const port = readFields(ports[i], at, problems);
    const given = integerIn(port, 'hostPort', at, problems, 0);
    // On the host's network a container port is a host port, with or without `hostPort`.
    const hostPort = given === 0 && hostNetwork ? integerIn(port, 'containerPort', at, problems, 0) : given;
    if (hostPort !== 0) {
      taken.push({
        hostIP: stringIn(port, 'hostIP', at, problems),
        hostPort,
        protocol: stringIn(port, 'protocol', at, problems) || 'TCP',
      });
    }
  }
  return taken.length === 0 ? NO_PORTS : taken;
}

function readerOf(hostNetwork: boolean): Reader<Container> {
  return (raw, place, problems) => {
    const fields = readFields(raw, place, problems);
    return {
      name: stringIn(fields, 'name', place, problems),
      requests: requestsIn(objectIn(fields, 'resources', place, problems), fieldOf(place, 'resources'), problems),
      hostPorts: hostPortsIn(fields, place, problems, hostNetwork),
      restartable: stringIn(fields, 'restartPolicy', place, problems) === 'Always',
    };
  };
}

const readContainer = readerOf(false);
const readHostContainer = readerOf(true);

/**
 * Reads `containers` or `initContainers` of a pod's spec. Containers beyond the followed number count as one container
 * with all their requests and ports. Such init containers count as running with the containers, which overstates the
 * requests: the pod is not simulated, and its node is taken for fuller rather than for emptier than it is.
 */
export const containersIn = (
  spec: Fields,
  key: 'containers' | 'initContainers',
  place: string,
  problems: Invalid[],
  hostNetwork: boolean,
): readonly Container[] => {
  const read = hostNetwork ? readHostContainer : readContainer;
  const raw = listIn(spec, key, place, problems);
  const own = itemsIn(spec, key, place, problems, read, MOST_FOLLOWED.containers);
  return raw.length === own.length ? own : [...own, restOf(raw, read, fieldOf(place, key), key, problems)];
};

function restOf(
  raw: readonly unknown[],
  read: Reader<Container>,
  path: string,
  key: 'containers' | 'initContainers',
  problems: Invalid[],
): Container {
  const requests = new Map<string, number>();
  const hostPorts: HostPort[] = [];
  for (let i = MOST_FOLLOWED.containers; i < raw.length; i += 1) {
    const container = read(raw[i], itemOf(path, i), problems);
    for (const name in container.requests) {
      requests.set(name, (requests.get(name) ?? 0) + getOwn(container.requests, name));
    }
    hostPorts.push(...container.hostPorts.slice(0, MOST_READ.hostPorts - hostPorts.length));
  }
  return {
    name: '',
    requests: followedRequests(Object.fromEntries(requests)),
    hostPorts,
    restartable: key === 'initContainers',
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
