import { parseAllDocuments } from 'yaml';
import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import { parseQuantity, roundUp } from '@outrigger/core/model/values/quantity.ts';
import { quantityScale, type Resources } from '@outrigger/core/model/values/resources.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { valueOf } from '@outrigger/core/model/values/records.ts';

/** The kubelet's configuration in user data, beside labels and the number of pods. */
export interface KubeletSettings {
  /** nodeadm's `maxPodsExpression`: kube-reserved is computed from its result, whatever limit is set beside it. */
  readonly maxPodsExpression: string | null;
  readonly kubeReserved: Resources;
  readonly systemReserved: Resources;
  /** Thresholds by signal (`memory.available`): a quantity, or a percentage of the capacity as `10%`. */
  readonly evictionHard: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  /** Share of the instance store that is the disk of the pods: 0 without an array of its disks. */
  readonly instanceStoreShare: number;
}

export const NO_SETTINGS: KubeletSettings = Object.freeze({
  maxPodsExpression: null,
  kubeReserved: {},
  systemReserved: {},
  evictionHard: {},
  taints: [],
  instanceStoreShare: 0,
});

/** EC2 allows 16 KiB. */
const LONGEST = 64 * 1_024;

/**
 * Reads the NodeConfigs of AL2023 (parts of a MIME message, or the whole of the user data) and the flags of a kubelet.
 * What cannot be parsed is ignored.
 */
export function readKubeletSettings(text: string): KubeletSettings {
  if (text.length > LONGEST) {
    return NO_SETTINGS;
  }
  const configs = text.includes('NodeConfig') ? text.split(/^--.*$/m).flatMap(nodeConfigs) : [];
  const settings = configs.reduce(merged, NO_SETTINGS);
  return {
    ...settings,
    kubeReserved: flagAmounts(text, 'kube-reserved') ?? settings.kubeReserved,
    systemReserved: flagAmounts(text, 'system-reserved') ?? settings.systemReserved,
    evictionHard: flagPairs(text, 'eviction-hard', '<') ?? settings.evictionHard,
    // A flag of the images' `bootstrap.sh` (AL2).
    instanceStoreShare: shareOf(/--local-disks[=\s]+["']?(raid\d+)/.exec(text)?.[1]) ?? settings.instanceStoreShare,
  };
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** The `spec` of the NodeConfigs in a part of the user data. */
function nodeConfigs(part: string): readonly Fields[] {
  const start = /^(?:apiVersion|kind|---|\{)/m.exec(part);
  if (start === null) {
    return [];
  }
  try {
    return [...parseAllDocuments(part.slice(start.index))]
      .filter(({ errors }) => errors.length === 0)
      .map((document) => fieldsOf(document.toJS({ maxAliasCount: 10 })))
      .filter(({ kind }) => kind === 'NodeConfig')
      .map(({ spec }) => fieldsOf(spec));
  } catch {
    return [];
  }
}

/**
 * A later NodeConfig overrides the fields that it sets, as in nodeadm's merge; the kubelet merges its maps in the same
 * way.
 */
function merged(settings: KubeletSettings, spec: Fields): KubeletSettings {
  const kubelet = fieldsOf(spec['kubelet']);
  const { strategy } = fieldsOf(fieldsOf(spec['instance'])['localStorage']);
  const config = fieldsOf(kubelet['config']);
  const expression = kubelet['maxPodsExpression'];
  const taints = config['registerWithTaints'];
  return {
    maxPodsExpression: typeof expression === 'string' ? expression : settings.maxPodsExpression,
    kubeReserved: { ...settings.kubeReserved, ...amounts(texts(config['kubeReserved'])) },
    systemReserved: { ...settings.systemReserved, ...amounts(texts(config['systemReserved'])) },
    evictionHard: { ...settings.evictionHard, ...texts(config['evictionHard']) },
    taints: Array.isArray(taints) ? taints.flatMap(toTaint) : settings.taints,
    instanceStoreShare: shareOf(strategy) ?? settings.instanceStoreShare,
  };
}

/** nodeadm's strategies (`LocalStorageStrategy`) but for `Mount`, which leaves the kubelet's directory on the root volume. */
const SHARES: Readonly<Record<string, number>> = { RAID0: 1, RAID10: 1 / 2 };

const shareOf = (strategy: unknown): number | undefined => valueOf(SHARES, String(strategy).toUpperCase());

const texts = (value: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fieldsOf(value))
      .filter(([, amount]) => typeof amount === 'string' || typeof amount === 'number')
      .map(([key, amount]) => [key, String(amount)]),
  );

function amounts(given: Readonly<Record<string, string>>): Resources {
  const read = new Map<string, number>();
  for (const [resource, text] of Object.entries(given)) {
    const amount = parseQuantity(text, quantityScale(resource));
    if (amount.ok && amount.value >= 0) {
      read.set(resource, roundUp(amount.value));
    }
  }
  return Object.fromEntries(read);
}

const EFFECTS: ReadonlySet<unknown> = new Set(['NoSchedule', 'NoExecute', 'PreferNoSchedule']);

function toTaint(value: unknown): readonly Taint[] {
  const { key, value: of = '', effect } = fieldsOf(value);
  if (typeof key !== 'string' || key === '' || typeof of !== 'string' || !EFFECTS.has(effect)) {
    return [];
  }
  return [{ key, value: of, effect: effect as string }];
}

/** A flag replaces the whole map of the configuration; the last one wins. */
function flagPairs(text: string, flag: string, separator: string): Readonly<Record<string, string>> | null {
  const values = [...text.matchAll(new RegExp(`--${flag}[=\\s]+["']?([^\\s"'\\]]+)`, 'g'))].at(-1)?.[1];
  if (values === undefined) {
    return null;
  }
  const pairs = values
    .split(',')
    .map((pair) => ({ pair, at: pair.indexOf(separator) }))
    .filter(({ at }) => at > 0);
  return Object.fromEntries(pairs.map(({ pair, at }) => [pair.slice(0, at), pair.slice(at + 1)]));
}

const flagAmounts = (text: string, flag: string): Resources | null => mapOptional(flagPairs(text, flag, '='), amounts);
