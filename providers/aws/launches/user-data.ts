import type { Taint } from '@outrigger/core/model/cluster/node.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';
import { type KubeletSettings, readKubeletSettings } from './kubelet-settings.ts';

/** The kubelet's settings in the user data of an instance. */
export interface UserData {
  readonly podLimit: PodLimit;
  /** Labels and taints that the kubelet gives its node. */
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  /** Bottlerocket keeps images and pods on its second volume. */
  readonly bottlerocket: boolean;
  readonly kubelet: KubeletSettings;
}

/** The kubelet's limit of pods: the addresses of the VPC CNI, with or without prefixes, or a number. */
export type PodLimit =
  | { readonly kind: 'addresses' }
  | { readonly kind: 'prefixes' }
  /** nodeadm's `maxPodsExpression`, by the type's interfaces. */
  | { readonly kind: 'expression'; readonly expression: string }
  | { readonly kind: 'fixed'; readonly pods: number };

/** A kubelet flag, nodeadm's or the kubelet's configuration, or Bottlerocket's settings. */
const MAX_PODS = [
  /--max-pods[=\s]+["']?(\d+)/g,
  /["']?\bmaxPods["']?\s*:\s*["']?(\d+)/g,
  /^[ \t]*max-pods[ \t]*=[ \t]*"?(\d+)/gm,
];
const PREFIXES = /--cni-prefix-delegation-enabled|ENABLE_PREFIX_DELEGATION["']?\s*[=:]\s*["']?true/;
const BOTTLEROCKET = /^[ \t]*\[settings\.(?:kubernetes|host-containers|bootstrap-containers)/m;

/**
 * Reads the user data of a launch template: shell for AL2, MIME parts with a NodeConfig for AL2023, TOML for
 * Bottlerocket. EKS itself writes `--max-pods` there for managed node groups. A limit that the script computes at
 * run time is not visible; the addresses of the instance type are then the best estimate.
 *
 * @param base64 as the EC2 API returns it; `null` where there is none.
 */
export function readUserData(base64: string | null): UserData {
  const text = Buffer.from(base64 ?? '', 'base64').toString('utf8');
  const kubelet = readKubeletSettings(text);
  return {
    podLimit: podLimitOf(text, kubelet.maxPodsExpression),
    labels: labelsOf([...labelFlags(text), ...tableEntries(text, 'node-labels')]),
    taints: lastTaintFlag(text)?.[1]?.split(',').flatMap(toTaint) ?? [
      ...tableEntries(text, 'node-taints').flatMap(toTaint),
      ...kubelet.taints,
    ],
    bottlerocket: BOTTLEROCKET.test(text),
    kubelet,
  };
}

function podLimitOf(text: string, expression: string | null): PodLimit {
  // The last one wins, as it does on a command line.
  const last = MAX_PODS.flatMap((pattern) => [...text.matchAll(pattern)]).sort((a, b) => b.index - a.index)[0];
  if (last !== undefined) {
    return { kind: 'fixed', pods: Number(last[1]) };
  }
  if (expression !== null) {
    return { kind: 'expression', expression };
  }
  return { kind: PREFIXES.test(text) ? 'prefixes' : 'addresses' };
}

/** A flag of labels may be repeated; the kubelet uses all of its values. */
const labelFlags = (text: string): readonly string[] =>
  [...text.matchAll(/--node-labels[=\s]+["']?([^\s"'\]]+)/g)].flatMap(([, values = '']) => values.split(','));

/** The last `--register-with-taints`, which replaces those before it and the taints of the kubelet's configuration. */
export const lastTaintFlag = (text: string): RegExpExecArray | undefined =>
  [...text.matchAll(/--register-with-taints(?<=^[^#\n]*)[=\s]+["']?([^\s"'\]]+)/gm)].at(-1);

/** The entries of one table of Bottlerocket's settings as `key=value`; a key may have a list of values. */
function tableEntries(text: string, table: string): readonly string[] {
  const start = new RegExp(`^[ \\t]*\\[settings\\.kubernetes\\.${table}\\]`, 'm').exec(text);
  if (start === null) {
    return [];
  }
  const rest = text.slice(start.index + start[0].length);
  const [own = ''] = rest.split(/^[ \t]*\[\S/m);
  return [...own.matchAll(/^[ \t]*"?([^"=\s#]+)"?[ \t]*=[ \t]*(.*)$/gm)].flatMap(([, key, values = '']) =>
    [...values.matchAll(/"([^"]*)"/g)].map(([, value]) => `${key}=${value}`),
  );
}

const KEY = String.raw`(?:[a-z0-9.-]+\/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`;
const VALUE = String.raw`(?:[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)?`;
/** An entry that contains a shell variable does not match, and is left out. */
const LABEL = new RegExp(`^(${KEY})=(${VALUE})$`);
const TAINT = new RegExp(`^(${KEY})(?:=(${VALUE}))?:(NoSchedule|NoExecute|PreferNoSchedule)$`);

const labelsOf = (entries: readonly string[]): Labels =>
  Object.fromEntries(
    entries
      .map((entry) => LABEL.exec(entry))
      .filter((match) => match !== null)
      .map(([, key = '', value = '']) => [key, value]),
  );

function toTaint(text: string): readonly Taint[] {
  const [, key, value = '', effect] = TAINT.exec(text) ?? [];
  return key === undefined || effect === undefined ? [] : [{ key, value, effect }];
}
