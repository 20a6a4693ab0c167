import type { LaunchedFrom } from './launched-from.ts';
import { type Launch, splitKey } from './scaling-group.ts';

/**
 * How an instance differs from what its group launches now, in words; `undefined` where the instance does not differ,
 * or the difference is unknown.
 *
 * The versions of `$Latest` and `$Default` are cached for a while (`createLaunchTemplates`). An instance of a later
 * version than the cached one is not replaced.
 *
 * @param resolved the version of `$Latest` or `$Default`; `null` where unknown.
 */
export function driftOf(
  from: LaunchedFrom | null,
  launches: readonly Launch[],
  resolved: number | null,
): string | undefined {
  if (from === null || launches.length === 0) {
    return undefined;
  }
  if (from.kind === 'configuration') {
    const isCurrent = launches.some((launch) => launch.kind === 'configuration' && launch.name === from.name);
    return isCurrent ? undefined : `launch configuration ${from.name}, which its group launches no more`;
  }
  const versions = new Set(
    launches
      .filter((launch) => launch.kind === 'template')
      .map((launch) => splitKey(launch.template))
      .filter(({ template }) => template === from.id || template === from.name)
      .map(({ version }) => version),
  );
  if (versions.size === 0) {
    return `launch template ${from.name || from.id}, which its group launches no more`;
  }
  const isCurrent = [...versions].some((version) =>
    version.startsWith('$') ? resolved === null || Number(from.version) >= resolved : version === from.version,
  );
  if (isCurrent) {
    return undefined;
  }
  const now = [...versions].map((version) => (version.startsWith('$') ? resolved : version)).join(' or ');
  return `launch template ${from.name || from.id} version ${from.version}, of which its group launches version ${now}`;
}
