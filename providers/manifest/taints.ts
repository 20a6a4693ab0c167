import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import type { Toleration } from '@outrigger/core/model/cluster/pod.ts';
import {
  type Manifest,
  type SectionReader,
  integerIn,
  itemsReader,
  manifest,
  nameIn,
  stringIn,
  unlessBlank,
} from './fields.ts';

export const readTaint: SectionReader<Taint> = (from) => ({
  key: nameIn(from, 'key'),
  value: stringIn(from, 'value'),
  effect: nameIn(from, 'effect'),
});

export const taintsIn = itemsReader(readTaint);

export const writeTaint = ({ key, value, effect }: Taint): Manifest =>
  manifest({ key, value: unlessBlank(value), effect });

export const readToleration: SectionReader<Toleration> = (from) => ({
  key: stringIn(from, 'key'),
  operator: stringIn(from, 'operator'),
  value: stringIn(from, 'value'),
  effect: stringIn(from, 'effect'),
  tolerationSeconds: integerIn(from, 'tolerationSeconds'),
});

export const writeToleration = (toleration: Toleration): Manifest =>
  manifest({
    key: unlessBlank(toleration.key),
    operator: unlessBlank(toleration.operator),
    value: unlessBlank(toleration.value),
    effect: unlessBlank(toleration.effect),
    tolerationSeconds: toleration.tolerationSeconds,
  });

const daemonToleration = (key: string, effect: string): Toleration => ({
  key: `node.kubernetes.io/${key}`,
  operator: 'Exists',
  value: '',
  effect,
  tolerationSeconds: null,
});

const DAEMON_TOLERATIONS: readonly Toleration[] = [
  daemonToleration('not-ready', 'NoExecute'),
  daemonToleration('unreachable', 'NoExecute'),
  daemonToleration('disk-pressure', 'NoSchedule'),
  daemonToleration('memory-pressure', 'NoSchedule'),
  daemonToleration('pid-pressure', 'NoSchedule'),
  daemonToleration('unschedulable', 'NoSchedule'),
];

const OF_HOST_NETWORK = daemonToleration('network-unavailable', 'NoSchedule');

/**
 * Adds the tolerations that the DaemonSet controller adds to every pod: with those of the template alone the pod would
 * not fit a starting node (`AddOrUpdateDaemonPodTolerations` in k8s.io/kubernetes/pkg/controller/daemon/util).
 */
export function daemonTolerations(own: readonly Toleration[], hostNetwork: boolean): readonly Toleration[] {
  const added = hostNetwork ? [...DAEMON_TOLERATIONS, OF_HOST_NETWORK] : DAEMON_TOLERATIONS;
  // A toleration that differs only in `tolerationSeconds` is the same toleration, and is replaced in place.
  const updated = own.map((mine) => added.find((theirs) => sameToleration(mine, theirs)) ?? mine);
  return [...updated, ...added.filter((theirs) => !own.some((mine) => sameToleration(mine, theirs)))];
}

const sameToleration = (a: Toleration, b: Toleration): boolean =>
  a.key === b.key && a.operator === b.operator && a.value === b.value && a.effect === b.effect;
