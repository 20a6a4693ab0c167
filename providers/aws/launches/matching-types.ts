import type { InstanceRequirements as GroupRequirements } from '@aws-sdk/client-auto-scaling';
import {
  type EC2Client,
  type InstanceRequirements,
  type InstanceRequirementsRequest,
  paginateGetInstanceTypesFromInstanceRequirements,
} from '@aws-sdk/client-ec2';
import { type EpochMs, minutes } from '@outrigger/core/model/values/time.ts';
import { abortable } from '../api/clients.ts';
import type { ImageArchitecture } from './images.ts';
import { type Lookup, createSingleLookup } from '../api/lookup.ts';

/** Attributes by which instance types are chosen: of a mixed instances policy, or of a launch template. */
export type Requirements = GroupRequirements | InstanceRequirements;

const TTL = minutes(20);

/** The key of `createMatchingTypes` for types with these attributes that run images of this architecture. */
export const matchingKey = (architecture: ImageArchitecture, requirements: Requirements): string =>
  JSON.stringify([architecture, requirements]);

/**
 * Looks up by `matchingKey` the names of all instance types that Auto Scaling may choose by attributes, in no order.
 * The API takes one set of attributes per call.
 */
export function createMatchingTypes(ec2: EC2Client, now: () => EpochMs): Lookup<readonly string[]> {
  return createSingleLookup(
    async (key, signal) => {
      // Auto Scaling and EC2 describe the same attributes in the same words.
      const [architecture, requirements] = JSON.parse(key) as [ImageArchitecture, InstanceRequirementsRequest];
      const names: string[] = [];
      const pages = paginateGetInstanceTypesFromInstanceRequirements(
        { client: ec2 },
        {
          ArchitectureTypes: [architecture],
          // Images for EKS nodes are hardware virtual machines.
          VirtualizationTypes: ['hvm'],
          InstanceRequirements: requirements,
        },
        abortable(signal),
      );
      for await (const { InstanceTypes = [] } of pages) {
        names.push(...InstanceTypes.flatMap(({ InstanceType }) => InstanceType ?? []));
      }
      return names;
    },
    TTL,
    now,
  );
}
