import * as z from 'zod';
import type { ChangedResource, ResourceChange } from '../../providers/aws/lambda/custom-resource.ts';
import { applyObject, removeObject } from '../../providers/kubernetes/apply.ts';
import { onceLetIn } from '../../providers/kubernetes/client/once-let-in.ts';
import type { Transport } from '../../providers/kubernetes/client/transport.ts';
import { HASHES_ATTRIBUTE, TOKEN_ATTRIBUTE } from '../../providers/kubernetes/manifests/custom-resource.ts';
import { manifestsOf } from '../../providers/kubernetes/manifests/manifests.ts';
import type { KubernetesObject } from '../../providers/kubernetes/manifests/object.ts';
import { hashOfToken, newToken } from '../../providers/kubernetes/webhook-token.ts';

const Settings = z.object({
  cluster: z.string(),
  namespace: z.string().optional(),
  statusConfigMap: z.string().nullish(),
  capacityBuffers: z.boolean().optional(),
  provisioningRequests: z.boolean().optional(),
  plannedPlacement: z.boolean().optional(),
  incrementalReads: z.boolean().optional(),
  schedulerUsers: z.array(z.string()),
  flowSchema: z.boolean(),
  clusterApi: z
    .object({ apiGroup: z.string(), machineDeployments: z.boolean(), infrastructureTemplates: z.array(z.string()) })
    .nullish(),
  dryRun: z.boolean().optional(),
});
const Properties = z.discriminatedUnion('Kind', [
  z.object({ Kind: z.literal('token') }),
  z.object({
    Kind: z.literal('manifests'),
    Settings: z.string().transform((text) => Settings.parse(JSON.parse(text))),
    Url: z.string(),
  }),
]);

/** An access entry takes effect some seconds after it was made. */
const ACCESS_PAUSE_MS = 5_000;

/**
 * What the stack leaves to a function: a token for the webhook, and the objects in the cluster.
 *
 * @param connect opens the API server; called for objects alone
 */
export const changeManifests =
  (connect: () => Promise<Transport>, pauseMs = ACCESS_PAUSE_MS) =>
  async (change: ResourceChange, signal: AbortSignal): Promise<ChangedResource> => {
    const properties = Properties.parse(change.properties);
    if (properties.Kind === 'token') {
      return tokenFor(change);
    }
    const { cluster } = properties.Settings;
    const was = change.type === 'Update' ? old(change) : properties;
    // A rollback has the cluster of the id.
    if (was.Settings.cluster !== cluster && change.physicalId !== idOf(cluster)) {
      throw new Error(keepsItsCluster(was.Settings.cluster, cluster));
    }
    const wanted = change.type === 'Delete' ? [] : objectsOf(properties);
    const before = change.type === 'Create' ? [] : objectsOf(was);
    const kept = new Set(wanted.map(keyOf));
    const transport = await connect();
    try {
      for (const object of wanted) {
        await onceLetIn(() => applyObject(transport, object, signal), pauseMs, signal);
      }
      for (const object of before.filter((one) => !kept.has(keyOf(one))).toReversed()) {
        await onceLetIn(() => removeObject(transport, object, signal), pauseMs, signal);
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

type Applied = Extract<z.output<typeof Properties>, { readonly Kind: 'manifests' }>;

const objectsOf = ({ Settings: settings, Url: url }: Applied): readonly KubernetesObject[] =>
  manifestsOf(settings, url === '' ? null : url);

const old = ({ oldProperties }: ResourceChange): Applied => {
  const read = Properties.parse(oldProperties);
  if (read.Kind !== 'manifests') {
    throw new Error('the properties before the update are not those of manifests');
  }
  return read;
};

const keyOf = ({ kind, metadata: { namespace = '', name } }: KubernetesObject): string =>
  `${kind} ${namespace}/${name}`;
