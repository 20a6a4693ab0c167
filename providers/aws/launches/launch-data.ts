import type { InstanceRequirements } from '@aws-sdk/client-ec2';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { err, ok } from '@outrigger/core/model/values/result.ts';
import type { LookupResult } from '../api/lookup.ts';
import { type UserData, readUserData } from './user-data.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';

/** The fields of a launch template version or a launch configuration that its nodes depend on. */
export interface LaunchData {
  /** Version of a launch template; `null` for a launch configuration. */
  readonly version: number | null;
  readonly instanceType: string | null;
  /** Types are chosen by attributes, not by name. */
  readonly requirements: InstanceRequirements | null;
  /** An image's ID, or `resolve:ssm:…`; `null` where there is none. */
  readonly image: string | null;
  readonly market: 'on-demand' | 'spot' | 'capacity-block';
  readonly userData: UserData;
  /** Bytes of the volume that the kubelet uses; `null` where the image decides. */
  readonly storage: number | null;
  /** Elastic Fabric Adapters that the launch attaches: an instance type may have more. */
  readonly efaInterfaces: number;
  /** CPUs that a launch leaves of the instance type's, by disabling cores or threads; `null`: all. */
  readonly vCpus: number | null;
}

interface BlockDevice {
  readonly DeviceName?: string | undefined;
  readonly Ebs?: { readonly VolumeSize?: number | undefined } | undefined;
}

/** The parts that launch templates and launch configurations have in common. */
export function readLaunch(
  userData: string | undefined,
  devices: readonly BlockDevice[] | undefined,
): Pick<LaunchData, 'userData' | 'storage'> {
  const read = readUserData(userData ?? null);
  const names = read.bottlerocket ? BOTTLEROCKET_DATA : ROOT;
  const gib = devices?.find(({ DeviceName }) => names.includes(DeviceName ?? ''))?.Ebs?.VolumeSize;
  return { userData: read, storage: mapOptional(gib, (size) => size * 2 ** 30) ?? null };
}

const ROOT: readonly string[] = ['/dev/xvda', '/dev/sda1'];
const BOTTLEROCKET_DATA: readonly string[] = ['/dev/xvdb'];

/** The data of a launch; an exception is a problem of this launch alone. */
export function attemptLaunch(read: () => LaunchData): LookupResult<LaunchData> {
  try {
    return ok(read());
  } catch (error) {
    return err({ class: 'Configuration', code: 'Unreadable', message: clip(messageOf(error)) });
  }
}
