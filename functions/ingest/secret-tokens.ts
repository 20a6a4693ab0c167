import {
  GetSecretValueCommand,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import type { Door } from '../shared/world.ts';

/** So long is a token taken from memory: a new one is accepted after at most this. */
const CACHE_MS = 5 * 60_000;

/**
 * The tokens in a secret: the current version and, while it is being rotated, the previous one. When the secret
 * cannot be read, the tokens that were read last stay valid; rejects when there are none.
 */
export function createSecretTokens(
  secretId: string,
  now: Door['now'],
  client = new SecretsManagerClient({}),
): Door['tokens'] {
  const read = async (stage: 'AWSCURRENT' | 'AWSPREVIOUS'): Promise<readonly string[]> => {
    try {
      const { SecretString } = await client.send(
        new GetSecretValueCommand({ SecretId: secretId, VersionStage: stage }),
      );
      return SecretString === undefined || SecretString === '' ? [] : [SecretString];
    } catch (error) {
      if (error instanceof ResourceNotFoundException && stage === 'AWSPREVIOUS') {
        return [];
      }
      throw error;
    }
  };
  let known: readonly string[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (now() - readAt > CACHE_MS) {
      try {
        known = (await Promise.all([read('AWSCURRENT'), read('AWSPREVIOUS')])).flat();
        readAt = now();
      } catch (error) {
        if (known.length === 0) {
          throw new Error(`the doorbell's token could not be read from secret ${secretId}`, { cause: error });
        }
      }
    }
    return known;
  };
}
