import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import pMap from 'p-map';
import { rolesFor, rolesIn } from '../../../config/cluster-api.ts';
import {
  type ApiResource,
  apiRequest,
  JSON_TYPE,
  qualified,
} from '@outrigger/providers/kubernetes/client/api-request.ts';
import type { Transport } from '@outrigger/providers/kubernetes/client/transport.ts';
import { clusterApiRbac, type ClusterApiRoles } from '@outrigger/providers/kubernetes/manifests/cluster-api.ts';
import { LISTED_RESOURCES } from '@outrigger/providers/kubernetes/read/reader.ts';
import { fieldsOf } from '../../migrate/deployment.ts';
import type { DoctorSettings } from '../settings.ts';
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

type PermissionScope = Pick<DoctorSettings, 'namespace' | 'mode' | 'clusterApi'>;

/** Requests of the functions in a cluster, and of `outrigger local`. */
const looking = ({ namespace, clusterApi, mode }: PermissionScope, acts = mode === 'act'): readonly Request[] => [
  ...LISTED_RESOURCES.map((resource): Request => ({ verb: 'list', resource, neededBy: 'local' })),
  { verb: 'get', resource: core('nodes'), neededBy: 'local' },
  { verb: 'patch', resource: core('nodes'), neededBy: 'local' },
  { verb: 'get', resource: core('configmaps'), namespace, neededBy: 'local' },
  { verb: 'create', resource: core('events'), neededBy: 'local' },
  ...ofClusterApi(rolesIn(clusterApi), acts),
];

/** All that the roles for Cluster API allow. */
const ofClusterApi = (roles: ClusterApiRoles | null, acts: boolean): readonly Request[] =>
  (mapOptional(roles, (all) => clusterApiRbac(all, !acts)) ?? [])
    .flatMap((item) => ('rules' in item ? item.rules : []))
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((named) => {
          const [resource = '', subresource] = named.split('/');
          // Rights are to resources, whatever their version.
          const asked = {
            resource: { group, version: '*', resource },
            ...present({ subresource }),
          };
          return verbs.map((verb): Request => ({ verb, ...asked, neededBy: 'local' }));
        }),
      ),
    );

/** Requests in a separate management cluster. A stack that observes changes nothing there. */
export const neededInManagement = ({ clusterApi, mode }: PermissionScope, asRole: boolean): readonly Request[] =>
  ofClusterApi(mapOptional(clusterApi, rolesFor), !asRole || mode === 'act');

const EVICT: Request = { verb: 'create', resource: core('pods'), subresource: 'eviction', neededBy: 'local' };

/** Requests of the role that the functions assume: a stack that observes evicts nothing. */
export const neededByRole = (asked: PermissionScope): readonly Request[] =>
  presentItems([...looking(asked), asked.mode === 'act' && EVICT]);

/** Requests of `outrigger local` in a cluster, and of a deployment's manifests. */
export const neededByUser = (asked: PermissionScope): readonly Request[] => [
  ...looking(asked, true),
  EVICT,
  { verb: 'create', resource: rbac('clusterroles'), neededBy: 'deployment' },
  { verb: 'create', resource: rbac('clusterrolebindings'), neededBy: 'deployment' },
  { verb: 'patch', resource: WEBHOOKS, neededBy: 'deployment' },
];

const REVIEWS: ApiResource = { group: 'authorization.k8s.io', version: 'v1', resource: 'selfsubjectaccessreviews' };

/**
 * Asks the API server, for each request, whether the user of the connection may make it. A review is answered and not kept, and every user
 * may ask for one.
 */
export const readPermissions = async (
  transport: Transport,
  needed: readonly Request[],
): Promise<readonly Permission[]> =>
  await pMap(
    needed,
    async (request) => ({
      request: wordsOf(request),
      neededBy: request.neededBy,
      allowed: await mayDo(transport, request),
    }),
    { concurrency: 8 },
  );

const wordsOf = ({ verb, resource, subresource }: Request): string =>
  `${verb} ${presentItems([qualified(resource), subresource]).join('/')}`;

async function mayDo(transport: Transport, { verb, resource, subresource, namespace }: Request): Promise<boolean> {
  const resourceAttributes = {
    verb,
    ...resource,
    ...present({ subresource, namespace }),
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
