import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';

/**
 * A token of the webhook, the first part of the path that API servers call: 32 random bytes as base64url. It is stored
 * nowhere but in the webhook configuration of the cluster; functions know its hash.
 */
export const newToken = (): string => randomBytes(32).toString('base64url');

const digest = (token: string): Buffer => createHash('sha256').update(token).digest();

/** The SHA-256 of a token, as `OUTRIGGER_TOKEN_HASHES` and the setting `webhookTokenHashes` list it. */
export const hashOfToken = (token: string): string => digest(token).toString('hex');

/**
 * Whether a token has one of these hashes. Takes the same time whatever is shown, and whichever hash matches.
 *
 * @param hashes SHA-256 as 64 hexadecimal digits each
 */
export function isAcceptedToken(shown: string, hashes: readonly string[]): boolean {
  const shownDigest = digest(shown);
  let found = false;
  for (const hash of hashes) {
    found = timingSafeEqual(shownDigest, Buffer.from(hash, 'hex')) || found;
  }
  // A path without a token shows the empty one, of which a hash may be listed by mistake.
  return found && shown !== '';
}
