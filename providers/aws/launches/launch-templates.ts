import {
  DescribeLaunchTemplateVersionsCommand,
  type EC2Client,
  type LaunchTemplateVersion,
  paginateDescribeLaunchTemplateVersions,
} from '@aws-sdk/client-ec2';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { attemptLaunch, type LaunchData, readLaunch } from './launch-data.ts';
import { type LookupResult, type Lookup, createLookup, loadEach } from '../api/lookup.ts';
import { failureOrThrow } from '../api/failures.ts';
import { splitKey } from '../groups/scaling-group.ts';

/** Time for which `$Latest` and `$Default` are cached; numbered versions never change. */
const TTL = minutes(20);
/** From this number of launch templates on, all of the account are read page by page instead of one by one. */
const BULK_FROM = 10;
const BULK_PAGE = 200;
/** Launch templates are at most 5 000 in a region by default, so 10 000 versions; a page limit all the same. */
const BULK_PAGES = 50;

/**
 * Looks launch template versions up by `ID:VERSION` or `NAME:VERSION`.
 *
 * The API describes versions of one template per call, or the default and latest versions of all at once. Groups nearly
 * always use one of these two, so for many templates the second way needs fewer calls; other versions are then read one
 * by one.
 */
export function createLaunchTemplates(ec2: EC2Client, now: () => EpochMs): Lookup<LaunchData> {
  return createLookup(
    async (keys, signal) => {
      const wanted = byTemplate(keys);
      const found =
        wanted.length < BULK_FROM ? new Map<string, LookupResult<LaunchData>>() : await loadInBulk(ec2, signal);
      const rest = byTemplate(keys.filter((key) => !found.has(key)));
      const loaded = await loadEach(
        rest,
        ({ template, versions }) => loadVersions(ec2, template, versions, signal),
        ({ template, versions }) => versions.map((version) => `${template}:${version}`),
      );
      return new Map([...found, ...loaded]);
    },
    TTL,
    now,
  );
}

interface TemplateVersions {
  readonly template: string;
  readonly versions: readonly string[];
}

function byTemplate(keys: readonly string[]): readonly TemplateVersions[] {
  return [...Map.groupBy(keys.map(splitKey), ({ template }) => template)].map(([template, split]) => ({
    template,
    versions: split.map(({ version }) => version),
  }));
}

async function loadVersions(
  ec2: EC2Client,
  template: string,
  versions: readonly string[],
  signal?: AbortSignal,
): Promise<readonly (readonly [string, LookupResult<LaunchData>])[]> {
  const described = await describeVersions(ec2, template, versions, signal);
  return described.flatMap(({ version, names }) => {
    const data = attemptLaunch(() => toLaunchData(version));
    return names.map((name) => [`${template}:${name}`, data] as const);
  });
}

/** A version of a launch template, and the names by which a group may use it: its number, `$Default`, `$Latest`. */
interface NamedVersion {
  readonly version: LaunchTemplateVersion;
  readonly names: readonly string[];
}

/**
 * Describes versions of one launch template. The highest of them counts as the latest.
 *
 * @param template an ID or a name.
 */
export async function describeVersions(
  ec2: EC2Client,
  template: string,
  versions: readonly string[],
  signal?: AbortSignal,
): Promise<readonly NamedVersion[]> {
  const isId = /^lt-[0-9a-f]+$/.test(template);
  const named = isId ? { LaunchTemplateId: template } : { LaunchTemplateName: template };
  const { LaunchTemplateVersions = [] } = await ec2.send(
    new DescribeLaunchTemplateVersionsCommand({ ...named, Versions: [...versions] }),
    abortable(signal),
  );
  const latest = Math.max(...LaunchTemplateVersions.map(({ VersionNumber = 0 }) => VersionNumber));
  return LaunchTemplateVersions.map((version) => ({
    version,
    names: namesOf(version, version.VersionNumber === latest),
  }));
}

async function loadInBulk(ec2: EC2Client, signal?: AbortSignal): Promise<Map<string, LookupResult<LaunchData>>> {
  const found = new Map<string, LookupResult<LaunchData>>();
  try {
    const pages = paginateDescribeLaunchTemplateVersions(
      { client: ec2, pageSize: BULK_PAGE },
      { Versions: ['$Latest', '$Default'] },
      abortable(signal),
    );
    let page = 0;
    const all: LaunchTemplateVersion[] = [];
    for await (const { LaunchTemplateVersions = [] } of pages) {
      all.push(...LaunchTemplateVersions);
      page += 1;
      if (page === BULK_PAGES) {
        break;
      }
    }
    const latest = new Map<string, number>();
    for (const { LaunchTemplateId = '', VersionNumber = 0 } of all) {
      latest.set(LaunchTemplateId, Math.max(latest.get(LaunchTemplateId) ?? 0, VersionNumber));
    }
    for (const version of all) {
      const { LaunchTemplateId: id = '', LaunchTemplateName: name = '' } = version;
      const data = attemptLaunch(() => toLaunchData(version));
      for (const alias of namesOf(version, latest.get(id) === version.VersionNumber)) {
        found.set(`${id}:${alias}`, data).set(`${name}:${alias}`, data);
      }
    }
  } catch (error) {
    // This is only a shortcut: without it each template is read, and may fail, by itself.
    failureOrThrow(error);
  }
  return found;
}

/** All references by which a group may use this version. */
function namesOf({ VersionNumber = 0, DefaultVersion }: LaunchTemplateVersion, isLatest: boolean): readonly string[] {
  const names = [String(VersionNumber)];
  if (DefaultVersion === true) {
    names.push('$Default');
  }
  if (isLatest) {
    names.push('$Latest');
  }
  return names;
}

/** Reads a launch template version. */
export function toLaunchData({
  LaunchTemplateData: data = {},
  VersionNumber: version,
}: LaunchTemplateVersion): LaunchData {
  const market = data.InstanceMarketOptions?.MarketType;
  const { CoreCount: cores = 0, ThreadsPerCore: threads = 0 } = data.CpuOptions ?? {};
  return {
    version: version ?? null,
    instanceType: data.InstanceType ?? null,
    requirements: data.InstanceRequirements ?? null,
    image: data.ImageId ?? null,
    market: market === 'spot' || market === 'capacity-block' ? market : 'on-demand',
    efaInterfaces: (data.NetworkInterfaces ?? []).filter(({ InterfaceType = '' }) =>
      /^efa(?:-only)?$/.test(InterfaceType),
    ).length,
    // A request has both or none (`LaunchTemplateCpuOptionsRequest` of the EC2 API reference).
    vCpus: cores * threads || null,
    ...readLaunch(data.UserData, data.BlockDeviceMappings),
  };
}
