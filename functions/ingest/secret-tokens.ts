import {
  GetSecretValueCommand,
  type GetSecretValueCommandOutput,
  ResourceNotFoundException,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { type EpochMs, epochMs } from '../../core/model/values/time.ts';
import type { Ingress } from '../shared/world.ts';

/** A token is taken from memory for this long: a new one is accepted after at most this. */
const CACHE_MS = 5 * 60_000;
/** The previous token is accepted for this long after the current one was made: time to change the webhook. */
const OVERLAP_MS = 60 * 60_000;
/** After a failure the secret is read again after 1 s, 2 s, 4 s … at most this. */
const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** A token with the time until which it is accepted. */
interface Accepted {
  readonly token: string;
  readonly until: EpochMs;
}

/**
 * The tokens in a secret: the current version and, for an hour after a rotation, the previous one. When the secret
 * cannot be read, the tokens that were read last stay valid, each for its time; rejects when none ever was read. While
 * reading fails, calls in between are answered from memory.
 */
export function createSecretTokens(
  secretId: string,
  now: Ingress['now'],
  // An API server waits 2 s for its answer, and the function lives 3.
  client = new SecretsManagerClient({
    maxAttempts: 2,
    requestHandler: { requestTimeout: 1_000, connectionTimeout: 500, throwOnRequestTimeout: true },
  }),
): Ingress['tokens'] {
  let known: readonly Accepted[] | null = null;
  let nextRead = Number.NEGATIVE_INFINITY;
  let pauseMs = FIRST_PAUSE_MS;
  let failure: unknown = null;
  return async () => {
    if (now() >= nextRead) {
      // Calls that come meanwhile do not read as well.
      nextRead = now() + pauseMs;
      try {
        known = await readTokens(client, secretId, now());
        failure = null;
        pauseMs = FIRST_PAUSE_MS;
        nextRead = now() + CACHE_MS;
      } catch (error) {
        failure = error;
        nextRead = now() + pauseMs;
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      }
    }
    if (known === null) {
      throw new Error(`the webhook's token could not be read from secret ${secretId}`, { cause: failure });
    }
    return known.filter(({ until }) => now() < until).map(({ token }) => token);
  };
}

async function readTokens(client: SecretsManagerClient, secretId: string, now: EpochMs): Promise<readonly Accepted[]> {
  const read = async (stage: 'AWSCURRENT' | 'AWSPREVIOUS'): Promise<GetSecretValueCommandOutput> =>
    await client.send(new GetSecretValueCommand({ SecretId: secretId, VersionStage: stage }));
  const current = await read('AWSCURRENT');
  const accepted = (token: string | undefined, until: number): readonly Accepted[] =>
    token === undefined || token === '' ? [] : [{ token, until: epochMs(until) }];
  const tokens = accepted(current.SecretString, Number.MAX_SAFE_INTEGER);
  const until = (current.CreatedDate?.getTime() ?? 0) + OVERLAP_MS;
  if (now >= until) {
    return tokens;
  }
  try {
    const previous = await read('AWSPREVIOUS');
    return [...tokens, ...accepted(previous.SecretString, until)];
  } catch (error) {
    if (error instanceof ResourceNotFoundException) {
      return tokens;
    }
    throw error;
  }
}
