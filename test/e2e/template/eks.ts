import { Agent, createServer, request } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ServerCertificate } from '../../../cli/local/certificate.ts';
import type { Connection } from '../servers/kube.ts';
import { failure, json } from './denials.ts';
import { accessKeyOf, type Backend } from './gateway.ts';
import type { Iam } from './iam.ts';
import { foreignRolesOf } from './foreign-role.ts';
import { propertiesOf } from './policies.ts';
import { countUse, type KubeAttributes, type Records } from './records.ts';
import type { Resolve } from './resolve.ts';
import { resourcesOf, type Template } from './synthesize.ts';
import { listen } from '../../listening.ts';

/** An access entry of the template: a role is these groups in the cluster. */
export interface AccessEntry {
  /** Logical id of the entry. */
  readonly id: string;
  readonly cluster: string;
  /** Logical id of the role. */
  readonly role: string;
  readonly accessKey: string;
  readonly groups: readonly string[];
}

export interface EksSettings {
  readonly cluster: string;
  /** The API server, as an administrator, who may be anybody. */
  readonly connection: Connection;
  readonly certificate: ServerCertificate;
  readonly entries: readonly AccessEntry[];
  /** Status of each managed node group. */
  readonly nodeGroups: Readonly<Record<string, string>>;
  readonly records: Records;
  /** Whether the answer to a request is lost: the API server has done what it asked for. */
  readonly loses?: (request: string) => boolean;
}

export interface Eks {
  readonly backend: Backend;
  readonly stop: () => void;
}

/**
 * EKS in front of a real API server: requests come with tokens of roles, and go on as the users that the access entries
 * make of them. RBAC is the API server's own.
 */
export async function startEks(settings: EksSettings): Promise<Eks> {
  const { cluster, connection, certificate, nodeGroups } = settings;
  const agent = new Agent({ keepAlive: true, ca: connection.certificateAuthority });
  const server = createServer({ key: certificate.key, cert: certificate.certificate }, (incoming, outgoing) =>
    pass(settings, agent, incoming, outgoing),
  );
  const port = await listen(server);
  const endpoint = `https://127.0.0.1:${port}`;
  const backend: Backend = async ({ operation, names: [name, nodeGroup] }) => {
    if (name !== cluster) return failure(404, 'ResourceNotFoundException', `No cluster found for name: ${name}.`);
    if (operation === 'DescribeCluster') {
      const data = Buffer.from(certificate.ca).toString('base64');
      return json({ cluster: { ...DESCRIPTION, name, endpoint, certificateAuthority: { data } } });
    }
    const status = nodeGroups[nodeGroup!];
    return status === undefined
      ? failure(404, 'ResourceNotFoundException', `No node group found for name: ${nodeGroup}.`)
      : json({ nodegroup: { nodegroupName: nodeGroup, clusterName: name, status } });
  };
  return {
    backend,
    stop() {
      agent.destroy();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A cluster that Outrigger can be installed for. */
const DESCRIPTION = {
  status: 'ACTIVE',
  version: '1.35',
  arn: 'arn:aws:eks:us-east-1:123456789012:cluster/any',
  accessConfig: { authenticationMode: 'API' },
  resourcesVpcConfig: {
    endpointPublicAccess: true,
    endpointPrivateAccess: false,
    publicAccessCidrs: ['0.0.0.0/0'],
    vpcId: 'vpc-0123456789abcdef0',
    subnetIds: ['subnet-0123456789abcdef0'],
    clusterSecurityGroupId: 'sg-0123456789abcdef0',
  },
};

function pass(settings: EksSettings, agent: Agent, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const { connection, records } = settings;
  const entry = entryOf(settings, incoming.headers.authorization);
  if (entry === null) {
    records.problems.push(`401 ${incoming.method} ${incoming.url}`);
    outgoing.writeHead(401, { 'content-type': 'application/json' });
    outgoing.end(
      JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 401, reason: 'Unauthorized' }),
    );
    return;
  }
  countUse(records, entry.id);
  records.occasions.push({ kind: 'token', cluster: entry.cluster, accessKey: entry.accessKey });
  const { host: _, authorization: __, ...headers } = incoming.headers;
  const onward = request(
    new URL(incoming.url!, connection.apiServer),
    {
      agent,
      method: incoming.method!,
      headers: {
        ...headers,
        authorization: `Bearer ${connection.token}`,
        ...userOf(entry, headers['impersonate-user']),
      },
    },
    (answer) => {
      const attributes = attributesOf(incoming.method!, incoming.url!);
      if (attributes !== null) {
        records.kube.push({
          cluster: entry.cluster,
          role: entry.role,
          groups: entry.groups,
          attributes,
          status: answer.statusCode ?? 0,
        });
      }
      if (settings.loses?.(`${incoming.method} ${new URL(incoming.url!, 'https://host').pathname}`) === true) {
        // The program that is waiting for it ends, and with it the connection.
        answer.resume();
        return;
      }
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    },
  );
  onward.once('error', (error) => outgoing.destroy(error));
  outgoing.once('close', () => onward.destroy());
  incoming.pipe(onward);
}

/** Who asks the API server. An administrator may be another user. */
const userOf = ({ role, groups }: AccessEntry, other: string | string[] | undefined) =>
  typeof other === 'string' && groups.includes('system:masters')
    ? { 'impersonate-user': other }
    : {
        'impersonate-user': `arn:aws:sts::123456789012:assumed-role/${role}/session`,
        'impersonate-group': [...groups, 'system:authenticated'],
      };

/** The token is the URL of a signed call of `sts:GetCallerIdentity`, whose headers name the cluster. */
function entryOf({ cluster, entries }: EksSettings, authorization = ''): AccessEntry | null {
  const [, token] = /^Bearer k8s-aws-v1\.(.+)$/.exec(authorization) ?? [];
  if (token === undefined) return null;
  const url = new URL(Buffer.from(token, 'base64url').toString('utf8'));
  const query = (name: string): string => url.searchParams.get(name) ?? '';
  const isCall = url.host.startsWith('sts.') && query('Action') === 'GetCallerIdentity';
  if (!isCall || !query('X-Amz-SignedHeaders').split(';').includes('x-k8s-aws-id')) return null;
  const accessKey = query('X-Amz-Credential').split('/', 1)[0];
  return entries.find((each) => each.cluster === cluster && each.accessKey === accessKey) ?? null;
}

/** Groups of access policies in the API server: https://docs.aws.amazon.com/eks/latest/userguide/access-policy-permissions.html. */
const POLICIES: Readonly<Record<string, string>> = {
  'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy': 'system:masters',
};

/**
 * The access entries of the template, and the entries that users create from its outputs.
 *
 * @throws Error for an access policy that is not known here.
 */
export function accessEntriesOf(template: Template, resolve: Resolve, iam: Iam): readonly AccessEntry[] {
  const printed = foreignRolesOf(template, resolve).map(({ id: role, entry: id, cluster, groups }) => {
    return { id, cluster, role, accessKey: accessKeyOf(role), groups };
  });
  return [...madeEntries(template, resolve, iam), ...printed];
}

const madeEntries = (template: Template, resolve: Resolve, iam: Iam): readonly AccessEntry[] =>
  resourcesOf(template, 'AWS::EKS::AccessEntry').map(([id, resource]) => {
    const { ClusterName, PrincipalArn, KubernetesGroups = [], AccessPolicies = [] } = propertiesOf(resource, resolve);
    const role = iam.roleByArn(String(PrincipalArn)).id;
    const policies = AccessPolicies as readonly {
      readonly PolicyArn: string;
      readonly AccessScope: { readonly Type: string };
    }[];
    const groups = policies.map(({ PolicyArn, AccessScope }) => {
      const group = AccessScope.Type === 'cluster' ? POLICIES[PolicyArn] : undefined;
      if (group === undefined) throw new Error(`${id}: ${PolicyArn} is not known here: add it to eks.ts`);
      return group;
    });
    return {
      id,
      cluster: String(ClusterName),
      role,
      accessKey: accessKeyOf(role),
      groups: [...(KubernetesGroups as readonly string[]), ...groups],
    };
  });

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/**
 * Reads a request as the API server does: https://kubernetes.io/docs/reference/access-authn-authz/authorization/.
 *
 * @returns `null` for what is no resource: every user may read `/version`.
 */
export function attributesOf(method: string, target: string): KubeAttributes | null {
  const url = new URL(target, 'https://host');
  const [root, ...rest] = url.pathname.split('/').slice(1);
  if (root !== 'api' && root !== 'apis') return null;
  const [group, path] = root === 'api' ? ['', rest.slice(1)] : [rest[0]!, rest.slice(2)];
  const namespaced = path[0] === 'namespaces' && path.length > 2;
  const [resource = '', name = null, subresource] = namespaced ? path.slice(2) : path;
  const watching = url.searchParams.get('watch') === 'true';
  const reading = name === null ? (watching ? 'watch' : 'list') : 'get';
  return {
    verb: VERBS[method] ?? reading,
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    namespace: namespaced ? path[1]! : null,
    name,
  };
}
