import * as z from 'zod';
import {
  DEFAULT_MINOR,
  type KubernetesMinor,
  kubernetesVersion,
  NEWEST_MINOR,
  OLDEST_MINOR,
} from '@outrigger/core/model/cluster/kubernetes-version.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { withShortTimeout } from '../../with-short-timeout.ts';
import { nonResourceRequest } from '../client/api-request.ts';
import type { Transport } from '../client/transport.ts';
import { parsedOf } from './parsed.ts';

/** `version.Info` of k8s.io/apimachinery/pkg/version. Its `major` and `minor` are to go, and some builds leave them empty. */
const Version = z.object({ gitVersion: z.string().regex(/^v1\.\d{1,3}\./) });

const REQUEST = { ...nonResourceRequest('/version'), retried: false };

/** For so long a version that was read counts, in milliseconds: a cluster is upgraded while a process runs. */
const VALID_FOR = 3_600_000;

/**
 * Reads the version of the API server, at most once an hour. The default role `system:public-info-viewer` lets every user
 * read `/version`.
 *
 * @param warn is told why the version is unknown, or which version is followed instead.
 * @returns the last known version where the read fails; absent: there is none. Rejects for an aborted signal alone.
 */
export function serverVersionReader(
  transport: Transport,
  warn: (message: string) => void,
): (signal: AbortSignal) => Promise<KubernetesMinor | undefined> {
  let known: { readonly minor: KubernetesMinor; readonly until: number } | null = null;
  return async (signal) => {
    if (known !== null && performance.now() < known.until) {
      return known.minor;
    }
    try {
      const minor = await transport.send(REQUEST, ({ body }) => minorIn(parsedOf(body)), withShortTimeout(signal));
      known = { minor, until: performance.now() + VALID_FOR };
    } catch (error) {
      signal.throwIfAborted();
      const followed = kubernetesVersion(known?.minor ?? DEFAULT_MINOR);
      warn(
        `The version of the API server is unknown; the rules of kube-scheduler ${followed} apply. ${messageOf(error)}`,
      );
      return known?.minor;
    }
    if (known.minor < OLDEST_MINOR || known.minor > NEWEST_MINOR) {
      const nearest = kubernetesVersion(known.minor < OLDEST_MINOR ? OLDEST_MINOR : NEWEST_MINOR);
      warn(`The rules of kube-scheduler ${kubernetesVersion(known.minor)} are unknown; the rules of ${nearest} apply.`);
    }
    return known.minor;
  };
}

/** @throws Error for an answer that is no version of Kubernetes 1 */
function minorIn(answer: unknown): KubernetesMinor {
  const { data } = Version.safeParse(answer);
  if (data === undefined) {
    throw new Error('The answer of get /version has no version of Kubernetes 1.');
  }
  return Number.parseInt(data.gitVersion.slice('v1.'.length), 10);
}
