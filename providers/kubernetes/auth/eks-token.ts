import { getCanonicalQuery, SignatureV4 } from '@smithy/signature-v4';
import type { TokenSource } from '../client/connection.ts';

export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface EksTokenOptions {
  /** Name of the EKS cluster: the token is valid for this cluster only. */
  readonly cluster: string;
  readonly region: string;
  /** `amazonaws.com`; other partitions have their own (`amazonaws.com.cn`). */
  readonly dnsSuffix: string;
  readonly credentials: () => Promise<SigningCredentials>;
  /** SHA-256, as clients of the SDK have it. */
  readonly sha256: ConstructorParameters<typeof SignatureV4>[0]['sha256'];
  readonly now: () => Date;
}

/** EKS accepts a token for 15 minutes from its date; one minute is left for clock skew. */
const LIFETIME_MS = 14 * 60_000;
const EXPIRES_SECONDS = 60;
const CLUSTER_HEADER = 'x-k8s-aws-id';
const SIGNATURE = 'X-Amz-Signature';

/** Tokens for an EKS cluster, renewed before they expire. */
export function eksTokens(options: EksTokenOptions): TokenSource {
  let current: { readonly token: Promise<string>; readonly until: number } | null = null;
  return (refresh) => {
    const now = options.now();
    if (refresh || current === null || now.getTime() >= current.until) {
      const token = createEksToken(options, now);
      const made = { token, until: now.getTime() + LIFETIME_MS };
      current = made;
      // A failure (credentials temporarily unavailable) must not be cached for 14 minutes.
      token.catch(() => {
        if (current === made) {
          current = null;
        }
      });
    }
    return current.token;
  };
}

/**
 * Creates the same bearer token as `aws eks get-token`: a presigned `GetCallerIdentity` of STS with the cluster's name
 * among the signed headers. EKS forwards it to STS, which returns the caller's identity. This function sends nothing.
 */
export async function createEksToken(options: Omit<EksTokenOptions, 'now'>, now: Date): Promise<string> {
  const { cluster, region, dnsSuffix, credentials, sha256 } = options;
  const hostname = `sts.${region}.${dnsSuffix}`;
  const signer = new SignatureV4({ service: 'sts', region, credentials, sha256, applyChecksum: false });
  const signed = await signer.presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: hostname, [CLUSTER_HEADER]: cluster },
    },
    { expiresIn: EXPIRES_SECONDS, signingDate: now, unhoistableHeaders: new Set([CLUSTER_HEADER]) },
  );
  // In the order of the canonical request, the signature last: byte for byte the URL of the AWS CLI.
  const url = `https://${hostname}/?${getCanonicalQuery(signed)}&${SIGNATURE}=${String(signed.query?.[SIGNATURE])}`;
  return `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;
}
