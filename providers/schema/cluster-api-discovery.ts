import { present } from '@outrigger/core/model/values/present.ts';

/**
 * Selects the resources of Cluster API that are node groups: resources that match all fields. Follows Cluster
 * Autoscaler's `--node-group-auto-discovery=clusterapi:…`.
 */
export interface DiscoverySpec {
  /** `null`: any. */
  readonly namespace: string | null;
  /** Name of the Cluster that a resource belongs to; `null`: any. */
  readonly clusterName: string | null;
  /** Labels of the resource itself. */
  readonly labels: Readonly<Record<string, string>>;
}

/** Longest specification, in characters. */
const LONGEST = 2_000;

const NAME = /^[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?$/;
const LABEL_KEY = /^(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?\/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const LABEL_VALUE = /^(?:[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?$/;

/** The expected form of `parseDiscoverySpec`, for errors. */
export const A_DISCOVERY_SPEC =
  "clusterapi:namespace=NAMESPACE,clusterName=NAME,LABEL=VALUE with any of these, as Cluster Autoscaler's --node-group-auto-discovery has it";

/**
 * Reads one specification, such as `clusterapi:namespace=blue,clusterName=test,shape=square`. As Cluster Autoscaler reads it:
 * empty parts say nothing, and so does an empty namespace or cluster; of a namespace and a cluster the last one counts.
 *
 * @returns `null` where it cannot be read: another discoverer, a part that is not `key=value`, no name, no label; and two
 *   values of one label, which no resource has
 */
export function parseDiscoverySpec(text: string): DiscoverySpec | null {
  const [, list] = (text.length <= LONGEST && /^clusterapi:([^:]*)$/.exec(text)) || [];
  if (list === undefined) {
    return null;
  }
  const names: Record<'namespace' | 'clusterName', string | null> = { namespace: null, clusterName: null };
  const labels = new Map<string, string>();
  for (const part of list.split(',').filter((one) => one !== '')) {
    const [key = '', value, ...more] = part.split('=');
    if (value === undefined || more.length > 0) {
      return null;
    }
    if (key === 'namespace' || key === 'clusterName') {
      if (value !== '' && !NAME.test(value)) {
        return null;
      }
      names[key] = value || null;
    } else if (!LABEL_KEY.test(key) || !LABEL_VALUE.test(value) || (labels.get(key) ?? value) !== value) {
      return null;
    } else {
      labels.set(key, value);
    }
  }
  return { ...names, labels: Object.fromEntries(labels) };
}

/** As `parseDiscoverySpec` reads it. */
export const writeDiscoverySpec = ({ namespace, clusterName, labels }: DiscoverySpec): string =>
  `clusterapi:${[...Object.entries(present({ namespace, clusterName })), ...Object.entries(labels)]
    .map(([key, value]) => `${key}=${value}`)
    .join(',')}`;
