import { type AutoScalingClient, DescribeLaunchConfigurationsCommand } from '@aws-sdk/client-auto-scaling';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import { attemptLaunch, type LaunchData, readLaunch } from './launch-data.ts';
import { type LookupResult, type Lookup, createLookup } from '../api/lookup.ts';
import { chunksOf } from '@outrigger/core/model/values/chunks.ts';

/** A launch configuration is immutable, but it may be deleted and created again under the same name. */
const TTL = minutes(20);
const PER_CALL = 50;

/** Looks launch configurations up by name, fifty in one call. A deleted one is a cached result (`NotFound`). */
export function createLaunchConfigurations(autoScaling: AutoScalingClient, now: () => EpochMs): Lookup<LaunchData> {
  return createLookup(
    async (names, signal) => {
      const found = new Map<string, LookupResult<LaunchData>>();
      for (const some of chunksOf(names, PER_CALL)) {
        const { LaunchConfigurations = [] } = await autoScaling.send(
          new DescribeLaunchConfigurationsCommand({ LaunchConfigurationNames: [...some], MaxRecords: 100 }),
          abortable(signal),
        );
        for (const configuration of LaunchConfigurations) {
          found.set(
            configuration.LaunchConfigurationName ?? '',
            attemptLaunch(() => ({
              version: null,
              instanceType: configuration.InstanceType ?? null,
              requirements: null,
              image: configuration.ImageId ?? null,
              market: configuration.SpotPrice === undefined ? 'on-demand' : 'spot',
              efaInterfaces: 0,
              vCpus: null,
              ...readLaunch(configuration.UserData, configuration.BlockDeviceMappings),
            })),
          );
        }
      }
      return found;
    },
    TTL,
    now,
  );
}
