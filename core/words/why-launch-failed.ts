import type { FailureClass } from '../model/node-group.ts';
import type { Words } from './words.ts';

/** Why the cloud did not launch an instance, or refused a request. */
export const WHY_LAUNCH_FAILED = {
  OutOfResources: {
    short: 'out of capacity',
    sentence:
      'There is no capacity for the instance type in the zone, or a reservation is used up. Or the account may have no more Spot instances, or the Spot price is too low.',
    advice: 'Allow other instance types and zones.',
  },
  Quota: {
    short: 'quota exceeded',
    sentence: 'A quota of the account is used up, that of vCPUs for instance.',
    advice: 'Raise the quota.',
  },
  Addresses: {
    short: 'no free IP addresses',
    sentence: 'A subnet has no free IP addresses.',
    advice: 'Add subnets, or free addresses.',
  },
  Configuration: {
    short: 'invalid configuration',
    sentence:
      'The launch template, image, key pair, instance profile, security groups or subnets are invalid or do not exist.',
    advice: 'Correct what the message names.',
  },
  Authorization: {
    short: 'not authorized',
    sentence: 'A role, a service control policy or the key of a volume does not permit it.',
    advice: 'Check the credentials, and the permissions of the role and the key.',
  },
  Throttled: {
    short: 'throttled',
    sentence: 'The API rate of the account in the region is used up, or the API server is too busy.',
    advice: 'If it lasts, find out what else calls the API in this account and region.',
  },
  Timeout: {
    short: 'timed out',
    sentence: 'Nothing came of it in time, and no reason was named.',
    advice:
      'If it lasts, check that instances can reach the cluster, and the network path to the endpoints of AWS or of Cluster API.',
  },
  Other: {
    short: 'another error',
    sentence: 'The error is of no other class.',
    advice: 'If it lasts, correct what the message names.',
  },
} satisfies Record<FailureClass, Words>;

/** Why, and what to do about it. */
export const whyLaunchFailed = (failure: FailureClass): string =>
  `${WHY_LAUNCH_FAILED[failure].sentence} ${WHY_LAUNCH_FAILED[failure].advice}`;
