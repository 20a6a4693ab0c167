import { hashOfToken, newToken } from '@outrigger/providers/kubernetes/webhook-token.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import { StepError } from './journal.ts';

/** The token that the webhook is to have, and the hashes that the stack is to accept meanwhile and afterwards. */
export interface ChosenToken {
  readonly token: string;
  readonly hash: string;
  /** While the webhook is being changed: the hashes of the new token, and of the token that is still in use. */
  readonly accepted: readonly string[];
}

export interface TokenFacts {
  /** In the webhook that the cluster has; `null`: none. */
  readonly inCluster: string | null;
  /** Hashes that the deployed stack accepts. */
  readonly accepted: readonly string[];
  /** Hashes that the configuration fixes; `null`: the stack has a parameter for them. */
  readonly fixed: readonly string[] | null;
  /** The token in the environment variable `OUTRIGGER_WEBHOOK_TOKEN`; `null`: none. */
  readonly given: string | null;
  readonly rotate: boolean;
}

/** The variable that holds a token, for configurations that fix the hashes. */
export const TOKEN_VARIABLE = 'OUTRIGGER_WEBHOOK_TOKEN';

/**
 * Keeps the token that the cluster has, where the stack accepts it; makes a new one otherwise, and to rotate it.
 *
 * @throws StepError where the configuration fixes the hashes, and the token of none of them is known
 */
export function chooseToken({ inCluster, accepted, fixed, given, rotate }: TokenFacts): ChosenToken {
  if (fixed !== null) {
    return fittingToken([given, inCluster], fixed, rotate);
  }
  const current = inCluster !== null && accepted.includes(hashOfToken(inCluster)) ? inCluster : null;
  const token = given ?? (current === null || rotate ? newToken() : current);
  const hash = hashOfToken(token);
  return { token, hash, accepted: [...new Set([hash, mapOptional(current, hashOfToken) ?? hash])] };
}

function fittingToken(known: readonly (string | null)[], fixed: readonly string[], rotate: boolean): ChosenToken {
  if (rotate) {
    throw new StepError('The configuration fixes webhookTokenHashes, so the token cannot be rotated by this command.', [
      'leave webhookTokenHashes out of the configuration; the stack has a parameter for them then',
      `or list a new hash there first (npx outrigger token), and give its token in ${TOKEN_VARIABLE}`,
    ]);
  }
  const token = known.find((one) => one !== null && fixed.includes(hashOfToken(one)));
  if (token === undefined || token === null) {
    throw new StepError('The configuration fixes webhookTokenHashes, and the token of none of them is known here.', [
      `give it in the environment: ${TOKEN_VARIABLE}=TOKEN npx outrigger install …`,
      'or leave webhookTokenHashes out of the configuration: a token is made then',
    ]);
  }
  return { token, hash: hashOfToken(token), accepted: fixed };
}
