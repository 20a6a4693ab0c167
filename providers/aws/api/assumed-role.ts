import { present } from '@outrigger/core/model/values/present.ts';
import { fromTemporaryCredentials } from '@aws-sdk/credential-providers';
import type { ClientSettings } from './clients.ts';

/** A role to assume for a cluster and its Auto Scaling groups in another account. */
export interface Role {
  readonly arn: string;
  /** External ID of the role's trust policy; `null`: none. */
  readonly externalId: string | null;
}

/** Longest name of a session. */
const LONGEST_NAME = 64;

/**
 * Credentials of a role, by the credentials of the process. A session lasts an hour, the most for a role that a role
 * assumes; each client renews its own five minutes before the end.
 *
 * @param user who the session is for, as CloudTrail shows it: letters, digits, `-` and `_`
 * @param region whose STS is called
 * @param by whose credentials assume it; absent: the SDK's default chain
 */
export const assumedRole = (
  { arn, externalId }: Role,
  user: string,
  region: string,
  { credentials, endpoint }: Pick<ClientSettings, 'credentials' | 'endpoint'> = {},
): ReturnType<typeof fromTemporaryCredentials> =>
  fromTemporaryCredentials({
    ...present({ masterCredentials: credentials }),
    params: {
      RoleArn: arn,
      RoleSessionName: `outrigger-${user}`.slice(0, LONGEST_NAME),
      DurationSeconds: 3_600,
      ...present({ ExternalId: externalId }),
    },
    clientConfig: { region, ...present({ endpoint }) },
  });
