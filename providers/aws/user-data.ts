/** What the start script of an instance tells about its kubelet. */
export interface UserData {
  readonly podLimit: PodLimit;
  /** Bottlerocket keeps images and pods on its second volume. */
  readonly bottlerocket: boolean;
}

/** How many pods the kubelet takes: what the VPC CNI can give addresses to, with or without prefixes, or a number. */
export type PodLimit =
  | { readonly kind: 'addresses' }
  | { readonly kind: 'prefixes' }
  | { readonly kind: 'fixed'; readonly pods: number };

/** Kubelet flag, nodeadm's or kubelet's configuration, Bottlerocket's settings. */
const MAX_PODS = [
  /--max-pods[=\s]+["']?(\d+)/g,
  /["']?\bmaxPods["']?\s*:\s*["']?(\d+)/g,
  /^\s*max-pods\s*=\s*"?(\d+)/gm,
];
const PREFIXES = /--cni-prefix-delegation-enabled|ENABLE_PREFIX_DELEGATION["']?\s*[=:]\s*["']?true/;
const BOTTLEROCKET = /^\s*\[settings\.(?:kubernetes|host-containers|bootstrap-containers)/m;

/**
 * Reads the user data of a launch template: shell for AL2, MIME parts with a NodeConfig for AL2023, TOML for
 * Bottlerocket. EKS itself writes `--max-pods` there for managed node groups. A limit that the script computes when it
 * runs cannot be seen; the addresses of the instance type are then the best guess.
 *
 * @param base64 as the EC2 API gives it; `null` where there is none.
 */
export function readUserData(base64: string | null): UserData {
  const text = Buffer.from(base64 ?? '', 'base64').toString('utf8');
  // The last one wins, as it does on a command line.
  const last = MAX_PODS.flatMap((pattern) => [...text.matchAll(pattern)]).sort((a, b) => b.index - a.index)[0];
  return {
    podLimit:
      last === undefined
        ? { kind: PREFIXES.test(text) ? 'prefixes' : 'addresses' }
        : { kind: 'fixed', pods: Number(last[1]) },
    bottlerocket: BOTTLEROCKET.test(text),
  };
}
