import { hash } from 'node:crypto';
import * as z from 'zod';
import type { ChangedResource, ResourceChange } from '@outrigger/providers/aws/lambda/custom-resource.ts';
import { applyObject, removeObject } from '@outrigger/providers/kubernetes/apply.ts';
import { retryWhileForbidden } from '@outrigger/providers/kubernetes/client/retry-while-forbidden.ts';
import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { HASHES_ATTRIBUTE, TOKEN_ATTRIBUTE } from '@outrigger/providers/kubernetes/manifests/custom-resource.ts';
import { manifestsOf } from '@outrigger/providers/kubernetes/manifests/manifests.ts';
import type { KubernetesObject } from '@outrigger/providers/kubernetes/manifests/object.ts';
import { hashOfToken, newToken } from '@outrigger/providers/kubernetes/webhook-token.ts';

const Settings = z.object({
  cluster: z.string(),
  namespace: z.string().optional(),
  statusConfigMap: z.string().nullish(),
  capacityBuffers: z.boolean().optional(),
  provisioningRequests: z.boolean().optional(),
  capacityQuotas: z.boolean().optional(),
  enableProactiveScaleup: z.boolean().optional(),
  plannedPlacement: z.boolean().optional(),
  incrementalReads: z.boolean().optional(),
  schedulerUsers: z.array(z.string()),
  flowSchema: z.boolean(),
  clusterApi: z
    .object({ apiGroup: z.string(), machineDeployments: z.boolean(), infrastructureTemplates: z.array(z.string()) })
    .nullish(),
  dryRun: z.boolean().optional(),
});
/** A function URL or an HTTP API, a token and a cluster. */
const URL_OF_WEBHOOK =
  /^https:\/\/[a-z0-9]+\.(?:lambda-url\.[a-z0-9-]+\.on\.aws|execute-api\.[a-z0-9-]+\.amazonaws\.(?:com(?:\.cn)?|eu))\/[A-Za-z0-9_-]{1,256}\/[A-Za-z0-9_-]{1,100}$/;
const Properties = z.discriminatedUnion('Kind', [
  z.object({ Kind: z.literal('token') }),
  z.object({
    Kind: z.literal('manifests'),
    Settings: z.string(),
    Url: z.union([z.literal(''), z.string().regex(URL_OF_WEBHOOK)]),
  }),
]);

/** SHA-256 of the settings of an event, in hexadecimal. */
export const digestOfSettings = (settings: string): string => hash('sha256', settings);

/** An access entry takes effect some seconds after it was made. */
const ACCESS_PAUSE_MS = 5_000;

interface ManifestsWork {
  /** Opens the API server; called for objects alone. */
  readonly connect: () => Promise<Transport>;
  readonly cluster: string;
  /** SHA-256 of the settings of the stack (`digestOfSettings`). */
  readonly digest: string;
  readonly pauseMs?: number;
}

/**
 * Makes the stack's objects that need a function: a token for the webhook, and the objects in the cluster. An event may
 * be of anybody with the right to invoke the function: only the settings of the function's own stack are applied, and
 * objects that were applied before are removed by name, if they have the label of this application.
 */
export const changeManifests =
  ({ connect, cluster, digest, pauseMs = ACCESS_PAUSE_MS }: ManifestsWork) =>
  async (change: ResourceChange, signal: AbortSignal): Promise<ChangedResource> => {
    const properties = Properties.parse(change.properties);
    if (properties.Kind === 'token') {
      return tokenFor(change);
    }
    if (change.type !== 'Delete' && digestOfSettings(properties.Settings) !== digest) {
      throw new Error('The settings are not those of the function. Deploy the stack again.');
    }
    const was = change.type === 'Update' ? old(change) : properties;
    const { cluster: before } = settingsOf(was);
    // A rollback has the cluster of the id.
    if (before !== cluster && change.physicalId !== idOf(cluster)) {
      throw new Error(keepsItsCluster(before, cluster));
    }
    const wanted = change.type === 'Delete' ? [] : objectsOf(properties);
    const applied = change.type === 'Create' ? [] : objectsOf(was);
    const kept = new Set(wanted.map(keyOf));
    const transport = await connect();
    try {
      for (const object of wanted) {
        await retryWhileForbidden(() => applyObject(transport, object, signal), pauseMs, signal);
      }
      for (const object of applied.filter((one) => !kept.has(keyOf(one))).toReversed()) {
        await retryWhileForbidden(() => removeObject(transport, object, signal), pauseMs, signal);
      }
    } finally {
      transport.close();
    }
    return { physicalId: change.physicalId ?? idOf(cluster), data: {} };
  };

const idOf = (cluster: string): string => `outrigger-manifests-${cluster}`;

/** By the time of the update the functions have no rights in the cluster before, in which objects and marks on nodes would stay. */
const keepsItsCluster = (before: string, after: string): string =>
  `These resources are of cluster ${before}: cluster ${after} needs others. Give the construct another id, or make another stack.`;

/** A new token, beside which the one before is accepted: its hash is the id that the last change gave. */
function tokenFor({ type, physicalId }: ResourceChange): ChangedResource {
  if (type === 'Delete') {
    return { physicalId: physicalId ?? '', data: {} };
  }
  const token = newToken();
  const hash = hashOfToken(token);
  const hashes = type === 'Update' && physicalId !== null ? [hash, physicalId] : [hash];
  return { physicalId: hash, data: { [TOKEN_ATTRIBUTE]: token, [HASHES_ATTRIBUTE]: hashes.join(',') } };
}

type ManifestProperties = Extract<z.output<typeof Properties>, { readonly Kind: 'manifests' }>;

const settingsOf = ({ Settings: text }: ManifestProperties): z.output<typeof Settings> =>
  Settings.parse(JSON.parse(text));

const objectsOf = (applied: ManifestProperties): readonly KubernetesObject[] =>
  manifestsOf(settingsOf(applied), applied.Url === '' ? null : applied.Url);

const old = ({ oldProperties }: ResourceChange): ManifestProperties => {
  const read = Properties.parse(oldProperties);
  if (read.Kind !== 'manifests') {
    throw new Error('the properties before the update are not those of manifests');
  }
  return read;
};

const keyOf = ({ kind, metadata: { namespace = '', name } }: KubernetesObject): string =>
  `${kind} ${namespace}/${name}`;
