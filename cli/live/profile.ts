/** The profile of the AWS configuration that the clients use, where one is named. */
export const namedProfile = (): string | null => process.env['AWS_PROFILE'] ?? null;
