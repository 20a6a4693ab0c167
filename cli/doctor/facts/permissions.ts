import pMap from 'p-map';
import {
  type ApiResource,
  apiRequest,
  JSON_TYPE,
  qualified,
} from '../../../providers/kubernetes/client/api-request.ts';
import type { Transport } from '../../../providers/kubernetes/client/transport.ts';
import { LISTED_RESOURCES } from '../../../providers/kubernetes/read/reader.ts';
import { fieldsOf } from '../../migrate/deployment.ts';
import type { Permission } from './facts.ts';

interface Request {
  readonly verb: string;
  readonly resource: ApiResource;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly neededBy: Permission['neededBy'];
}

const core = (resource: string): ApiResource => ({ group: '', version: 'v1', resource });
const rbac = (resource: string): ApiResource => ({ group: 'rbac.authorization.k8s.io', version: 'v1', resource });
const WEBHOOKS: ApiResource = {
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  resource: 'validatingwebhookconfigurations',
};

/** What `outrigger local` does in a cluster, and what is applied to it for a deployment. */
const needed = (namespace: string): readonly Request[] => [
  ...LISTED_RESOURCES.map((resource): Request => ({ verb: 'list', resource, neededBy: 'local' })),
  { verb: 'get', resource: core('nodes'), neededBy: 'local' },
  { verb: 'patch', resource: core('nodes'), neededBy: 'local' },
  { verb: 'get', resource: core('configmaps'), namespace, neededBy: 'local' },
  { verb: 'create', resource: core('events'), neededBy: 'local' },
  { verb: 'create', resource: core('pods'), subresource: 'eviction', neededBy: 'local' },
  { verb: 'create', resource: rbac('clusterroles'), neededBy: 'deployment' },
  { verb: 'create', resource: rbac('clusterrolebindings'), neededBy: 'deployment' },
  { verb: 'patch', resource: WEBHOOKS, neededBy: 'deployment' },
];

const REVIEWS: ApiResource = { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews' };

/**
 * Asks the API server, for each request, whether the user may make it. A review is answered and not kept, and every user
 * may ask for one.
 */
export const readPermissions = async (transport: Transport, namespace: string): Promise<readonly Permission[]> =>
  await pMap(
    needed(namespace),
    async (request) => ({
      request: wordsOf(request),
      neededBy: request.neededBy,
      allowed: await mayDo(transport, request),
    }),
    { concurrency: 8 },
  );

const wordsOf = ({ verb, resource, subresource }: Request): string =>
  `${verb} ${qualified(resource)}${subresource === undefined ? '' : `/${subresource}`}`;

async function mayDo(transport: Transport, { verb, resource, subresource, namespace }: Request): Promise<boolean> {
  const resourceAttributes = {
    verb,
    ...resource,
    ...(subresource === undefined ? {} : { subresource }),
    ...(namespace === undefined ? {} : { namespace }),
  };
  const review = {
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SelfSubjectAccessReview',
    spec: { resourceAttributes },
  };
  const request = apiRequest('create', REVIEWS, { body: { contentType: JSON_TYPE, text: JSON.stringify(review) } });
  return await transport.send(request, ({ body }) => {
    const answered: unknown = JSON.parse(body.toString('utf8'));
    return fieldsOf(fieldsOf(answered)['status'])['allowed'] === true;
  });
}
