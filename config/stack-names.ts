/** The name of a cluster's stack. Names of stacks cannot contain `_`. */
export const stackNameOf = (cluster: string): string => `Outrigger-${cluster.replaceAll('_', '-')}`;

/** The stack's parameter that switches the schedules: `ENABLED` or `DISABLED`. */
export const SCHEDULES_PARAMETER = 'Schedules';

/** The parameter with the hashes of the webhook's tokens, unless the settings fix them. */
export const TOKEN_HASHES_PARAMETER = 'WebhookTokenHashes';
