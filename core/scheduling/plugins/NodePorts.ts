import { minorOf } from '../../model/cluster/kubernetes-version.ts';
import type { HostPort, PodSpec } from '../../model/cluster/pod.ts';
import type { PodKind } from '../../model/snapshot/pod-kind.ts';
import { one, type Plugin, rejection } from '../plugin.ts';

const TAKEN = rejection('NodePorts', "node(s) didn't have free ports for the requested pod ports");
const ANY_ADDRESS = '0.0.0.0';

/**
 * A host port can be taken once for each protocol and address. `0.0.0.0` (or no address) stands for all addresses, `::`
 * only for itself. Sidecars' ports count since 1.34, those of other init containers do not. Follows kube-scheduler 1.33 to
 * 1.37, plugins/nodeports.
 */
export const nodePorts: Plugin = {
  name: 'NodePorts',
  prepare: ({ objects }) => {
    const countsSidecars = minorOf(objects) >= 34;
    /** By kind. */
    const portsOf: (readonly HostPort[] | undefined)[] = [];
    const ports = (kind: PodKind): readonly HostPort[] => (portsOf[kind.id] ??= hostPorts(kind.spec, countsSidecars));
    return (kind) => {
      const wanted = ports(kind);
      if (wanted.length === 0) {
        return null;
      }
      const clashes: (boolean | undefined)[] = [];
      return {
        node: ({ pods }) => {
          for (const other of pods.keys()) {
            if ((clashes[other.id] ??= clash(wanted, ports(other)))) {
              return TAKEN;
            }
          }
          return null;
        },
        // A second pod wants the very ports that the first one took.
        room: one,
      };
    };
  },
};

function hostPorts({ containers, initContainers }: PodSpec, countsSidecars: boolean): readonly HostPort[] {
  return [...initContainers.filter(({ restartable }) => restartable && countsSidecars), ...containers]
    .flatMap((container) => container.hostPorts)
    .filter(({ hostPort }) => hostPort > 0)
    .map(({ hostIP, hostPort, protocol }) => ({
      hostIP: hostIP === '' ? ANY_ADDRESS : hostIP,
      hostPort,
      protocol: protocol === '' ? 'TCP' : protocol,
    }));
}

const clash = (some: readonly HostPort[], others: readonly HostPort[]): boolean =>
  some.some((a) =>
    others.some(
      (b) =>
        a.hostPort === b.hostPort &&
        a.protocol === b.protocol &&
        (a.hostIP === b.hostIP || a.hostIP === ANY_ADDRESS || b.hostIP === ANY_ADDRESS),
    ),
  );
