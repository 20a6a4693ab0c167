import { getExisting, required } from '@outrigger/core/model/values/existing.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import { byName } from '@outrigger/core/model/values/names.ts';
import { type Result, err, ok, okValues } from '@outrigger/core/model/values/result.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { AwsClients } from '../api/clients.ts';
import { type AwsFailure, failureText } from '../api/failures.ts';
import { type ImageArchitecture, architectureOf, createImages, isImageId } from './images.ts';
import { type InstanceType, createInstanceTypes } from './instance-types.ts';
import type { Lookup, LookupResult } from '../api/lookup.ts';
import { createLaunchConfigurations } from './launch-configurations.ts';
import type { LaunchData } from './launch-data.ts';
import { createLaunchTemplates } from './launch-templates.ts';
import { type Requirements, createMatchingTypes, matchingKey } from './matching-types.ts';
import type { Launch, ScalingGroup } from '../groups/scaling-group.ts';

/** An instance type that a group may start, and how. */
export interface TypeLaunch {
  /** With the vCPUs that the launch leaves. */
  readonly type: InstanceType;
  readonly data: LaunchData;
}

export interface Launches {
  /** In order of preference, each type once; at least one. */
  readonly types: readonly [TypeLaunch, ...TypeLaunch[]];
  /** Launches that could not be read, in words. */
  readonly problems: readonly string[];
}

/** The launches of groups. */
interface LaunchSource {
  /** Returns for every group all instance types that it may start, or why none is known. */
  resolve(
    groups: readonly ScalingGroup[],
    signal?: AbortSignal,
  ): Promise<ReadonlyMap<ScalingGroup, Result<Launches, string>>>;
}

/**
 * Reads the launches of groups: launch templates and configurations, images and matching types where types are chosen by
 * attributes, and EC2's description of each type. All of it is cached.
 */
export function createLaunchSource(
  clients: AwsClients,
  now: () => EpochMs,
  instanceTypes: Lookup<InstanceType> = createInstanceTypes(clients.ec2, now),
): LaunchSource {
  const launchTemplates = createLaunchTemplates(clients.ec2, now);
  const launchConfigurations = createLaunchConfigurations(clients.autoScaling, now);
  const images = createImages(clients.ec2, now);
  const matchingTypes = createMatchingTypes(clients.ec2, now);

  return {
    async resolve(groups, signal) {
      const launches = groups.flatMap((group) => group.launches);
      const [byTemplate, byConfiguration] = await Promise.all([
        launchTemplates.get(
          launches.filter((launch) => launch.kind === 'template').map(({ template }) => template),
          signal,
        ),
        launchConfigurations.get(
          launches.filter((launch) => launch.kind === 'configuration').map(({ name }) => name),
          signal,
        ),
      ]);
      const wishes = new Map(
        groups.map((group) => [group, group.launches.map((launch) => wishOf(launch, byTemplate, byConfiguration))]),
      );
      const byAttributes = okValues([...wishes.values()].flat()).filter(({ requirements }) => requirements !== null);
      const architectures = await images.get(
        byAttributes.flatMap(({ data }) => data.image ?? []).filter(isImageId),
        signal,
      );
      const matching = await matchingTypes.get(
        byAttributes.flatMap((wish) => keyOf(wish, architectures)),
        signal,
      );
      const named = new Map(
        groups.map((group) => [
          group,
          getExisting(wishes, group).map((wish) => (wish.ok ? typesOf(wish.value, architectures, matching) : wish)),
        ]),
      );
      const types = await instanceTypes.get(
        okValues([...named.values()].flat()).flatMap(({ names }) => names),
        signal,
      );
      return new Map(groups.map((group) => [group, assemble(getExisting(named, group), types)] as const));
    },
  };
}

/** The types of one launch: one type by name, or types by attributes. */
interface Wish {
  readonly what: string;
  readonly data: LaunchData;
  readonly instanceType: string | null;
  readonly requirements: Requirements | null;
}

function wishOf(
  launch: Launch,
  byTemplate: ReadonlyMap<string, LookupResult<LaunchData>>,
  byConfiguration: ReadonlyMap<string, LookupResult<LaunchData>>,
): Result<Wish, string> {
  if (launch.kind === 'configuration') {
    return toWish(`launch configuration ${launch.name}`, getExisting(byConfiguration, launch.name));
  }
  const { template, instanceType, requirements } = launch;
  const found = getExisting(byTemplate, template);
  const isOverride = instanceType !== null || requirements !== null;
  return toWish(`launch template ${template}`, found, isOverride ? launch : undefined);
}

/** @param override of a launch template: it has a type or attributes, and either replaces both of the launch template. */
function toWish(
  what: string,
  read: LookupResult<LaunchData>,
  override?: Pick<Wish, 'instanceType' | 'requirements'>,
): Result<Wish, string> {
  if (!read.ok) {
    return err(unreadable(what, read.error));
  }
  const { instanceType, requirements } = override ?? read.value;
  if (instanceType === null && requirements === null) {
    return err(`${what} has no instance type`);
  }
  return ok({ what, data: read.value, instanceType, requirements });
}

function keyOf(
  { data, requirements }: Wish,
  architectures: ReadonlyMap<string, LookupResult<ImageArchitecture>>,
): readonly string[] {
  const architecture = architectureOf(data.image, architectures);
  return architecture.ok && requirements !== null ? [matchingKey(architecture.value, requirements)] : [];
}

interface NamedTypes {
  readonly names: readonly string[];
  readonly data: LaunchData;
  /** Chosen by attributes: their order has no meaning. */
  readonly unordered: boolean;
}

function typesOf(
  { what, data, instanceType, requirements }: Wish,
  architectures: ReadonlyMap<string, LookupResult<ImageArchitecture>>,
  matching: ReadonlyMap<string, LookupResult<readonly string[]>>,
): Result<NamedTypes, string> {
  if (instanceType !== null) {
    return ok({ names: [instanceType], data, unordered: false });
  }
  const architecture = architectureOf(data.image, architectures);
  if (!architecture.ok) {
    return err(`it chooses instance types by attributes, and ${what} ${architecture.error}`);
  }
  const found = getExisting(
    matching,
    matchingKey(architecture.value, required(requirements, `the attributes of ${what}`)),
  );
  if (!found.ok) {
    return err(unreadable('the instance types that its attributes match', found.error));
  }
  if (found.value.length === 0) {
    return err(`no instance type for ${architecture.value} images matches its attributes`);
  }
  return ok({ names: found.value, data, unordered: true });
}

function assemble(
  named: readonly Result<NamedTypes, string>[],
  known: ReadonlyMap<string, LookupResult<InstanceType>>,
): Result<Launches, string> {
  const types = new Map<string, TypeLaunch>();
  const problems: string[] = [];
  for (const each of named) {
    if (!each.ok) {
      problems.push(each.error);
      continue;
    }
    const { names, data, unordered } = each.value;
    const found: InstanceType[] = [];
    for (const name of names) {
      const type = getExisting(known, name);
      if (type.ok) {
        found.push(type.value);
      } else {
        problems.push(unreadable(`instance type ${name}`, type.error));
      }
    }
    if (unordered) {
      found.sort(smallestFirst);
    }
    for (const type of found) {
      const { vCpus } = data;
      types.set(type.name, types.get(type.name) ?? { type: { ...type, ...present({ vCpus }) }, data });
    }
  }
  const [first, ...others] = types.values();
  if (first !== undefined) {
    return ok({ types: [first, ...others], problems });
  }
  return err(problems[0] ?? 'it has neither a launch template nor a launch configuration');
}

const smallestFirst = (a: InstanceType, b: InstanceType): number =>
  a.vCpus - b.vCpus || a.memoryMib - b.memoryMib || byName(a.name, b.name);

const unreadable = (what: string, failure: AwsFailure): string => `${what} could not be read ${failureText(failure)}`;
