/** A provider ID in a form to compare. */
export interface ProviderId {
  /** All of it; equal for equal IDs. */
  readonly whole: string;
  /** The part before `://`; `null` where the ID has none. */
  readonly scheme: string | null;
  /** The parts of the path that are not empty. */
  readonly path: readonly string[];
  /** The last part of the path: the instance. */
  readonly last: string;
}

/**
 * Parses a provider ID: of a Machine, a MachinePool or a Node. An ID of Azure is the same in upper and lower case.
 *
 * @returns `null` where the ID names no instance.
 */
export function parseProviderId(text: string | null): ProviderId | null {
  const [, prefix, rest = ''] = /^(?:([A-Za-z][\w+.-]*):\/\/)?(.*)$/s.exec(text?.trim() ?? '') ?? [];
  const scheme = prefix?.toLowerCase() ?? null;
  const given = scheme === 'azure' ? rest.toLowerCase() : rest;
  const path = given.split('/').filter((part) => part !== '');
  const last = path.at(-1);
  return last === undefined ? null : { whole: `${scheme ?? ''}://${path.join('/')}`, scheme, path, last };
}

/**
 * Whether two IDs name the same instance where one of them leaves out parts of its path, or the scheme: `aws:////i-1` and
 * `aws:///us-east-1a/i-1`, `openstack:///ID` and `openstack://REGION/ID`. Cluster Autoscaler compares the last part alone,
 * which the instances of two scale sets (`…/virtualMachines/0`) or zones may have in common.
 */
export function isSameInstance(a: ProviderId, b: ProviderId): boolean {
  const [short, long] = a.path.length <= b.path.length ? [a.path, b.path] : [b.path, a.path];
  return isSameLast(a, b) && isWithin(short, long);
}

/** Whether two IDs may name the same instance: if other facts say so. */
export const isSameLast = (a: ProviderId, b: ProviderId): boolean =>
  a.last === b.last && (a.scheme === null || b.scheme === null || a.scheme === b.scheme);

/** Whether the short list is the long list without some of its parts. */
function isWithin(short: readonly string[], long: readonly string[]): boolean {
  let next = 0;
  for (const part of long) {
    next += Number(part === short[next]);
  }
  return next === short.length;
}
