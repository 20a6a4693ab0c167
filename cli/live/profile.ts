/** The profile of the AWS configuration that the clients use, if one is named. */
export const namedProfile = (): string | null => process.env['AWS_PROFILE'] ?? null;

/** The message that AWS credentials are missing, and the remedy. */
export function noCredentials(): string {
  const profile = namedProfile();
  return profile === null
    ? 'there are no AWS credentials (log in, or name a profile with --profile)'
    : `the AWS profile ${profile} has no credentials, or does not exist (log in, or name another one with --profile)`;
}
