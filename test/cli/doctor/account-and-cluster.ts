import type http from 'node:http';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { onTestFinished } from 'vitest';
import { examine, exitCodeOf, printedFindings } from '../../../cli/doctor/run.ts';
import { EXIT } from '../../../cli/exit-codes.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { hashOfToken } from '../../../providers/kubernetes/webhook-token.ts';
import { assumedSession } from '../../providers/aws/assumed-session.ts';
import {
  type Answer,
  autoScalingError,
  autoScalingResult,
  type Call,
  groupXml,
  jsonError,
  jsonResult,
  startWireServer,
  type Xml,
} from '../../providers/aws/wire-server.ts';
import type { Raw } from '../../providers/clusterapi/builders.ts';
import { servedAt } from '../../providers/clusterapi/served.ts';
import { kubeconfigFor } from '../kubeconfig.ts';
import { apiServer, json, refuse, type Seen } from '../../providers/kubernetes/api-server.ts';

export const NOW = Date.parse('2026-01-01T12:00:00Z');
export const ARN = 'arn:aws:eks:us-east-1:123456789012:cluster/prod';

/** State of an account and a cluster. */
export interface Place {
  /** Fields of EKS' description of the cluster, over those of a good one; `null`: there is none. */
  readonly cluster?: object | null;
  /** Stacks by name. */
  readonly stacks?: Readonly<Record<string, { readonly status: string; readonly outputs?: Record<string, string> }>>;
  readonly concurrency?: { readonly quota: number; readonly unreserved: number };
  readonly groups?: readonly Xml[];
  /** Fields of EKS' description of managed node groups, over those of a good one. */
  readonly nodeGroups?: Readonly<Record<string, object>>;
  /** Answers to calls of AWS, by a part of their action. */
  readonly aws?: Readonly<Record<string, Answer>>;
  /** Objects in the cluster. */
  readonly deployments?: readonly object[];
  readonly status?: string;
  readonly nodePools?: readonly string[];
  /** With the version that is served. */
  readonly capacityQuotas?: { readonly version: string; readonly names: readonly string[] };
  /** MachineDeployments; absent: the API server has no Cluster API. */
  readonly resources?: readonly Raw[];
  /** Its URLs. */
  readonly webhook?: readonly string[];
  readonly nodes?: readonly object[];
  /** Actions that the user may not do: `list pods`. */
  readonly forbidden?: readonly string[];
  /** Refusals of the API server, by a part of the path. */
  readonly refused?: Readonly<Record<string, number>>;
  /** The API server is not there. */
  readonly unreachable?: true;
  /** The API server is reached by a kubeconfig, and EKS reports this endpoint. */
  readonly byKubeconfig?: { readonly endpoint: string | null };
  /** Contents of the cluster `management`: another one, which has the resources of Cluster API. */
  readonly management?: Pick<Place, 'deployments' | 'resources' | 'forbidden' | 'refused'>;
}

export const BOOTSTRAPPED = { CDKToolkit: { status: 'CREATE_COMPLETE', outputs: { BootstrapVersion: '25' } } };
export const DEPLOYED = (host: string) => ({
  ...BOOTSTRAPPED,
  'Outrigger-prod': {
    status: 'UPDATE_COMPLETE',
    outputs: {
      Webhook: JSON.stringify({ webhooks: [{ clientConfig: { url: `https://${host}/TOKEN/prod` } }] }),
      AcceptedTokenHashes: ['rotated', 'secret'].map(hashOfToken).join(','),
    },
  },
});

export interface Ran {
  readonly code: number;
  readonly text: string;
  /** Findings that are not ok: `{id: status}`. */
  readonly findings: Readonly<Record<string, string>>;
  readonly document: { readonly summary: object; readonly region: string | null; readonly checks: readonly Finding[] };
  /** `METHOD path` of each request to the API server, and the actions of AWS. */
  readonly calls: readonly string[];
  /** Calls of AWS, each with the access key that has signed it. */
  readonly signed: readonly Pick<Call, 'action' | 'accessKey' | 'parameters'>[];
}

interface Finding {
  readonly id: string;
  readonly status: string;
  readonly found: string;
  readonly remedy: { readonly text: string; readonly lines: readonly string[] } | null;
}

/**
 * Runs the command, with both forms of output, against servers that answer as AWS and an API server do.
 *
 * @param settings YAML of the cluster's settings beside its name
 * @param role `false`: `--no-role`
 */
export async function runAgainst(place: Place, settings: string | null = null, role?: boolean): Promise<Ran> {
  await using server = await apiServer((seen, response) => answerAsCluster(place, seen, response), {}, null);
  await using management =
    settings?.includes('managementCluster') === true
      ? await apiServer((seen, response) => answerAsCluster(place.management ?? {}, seen, response), {}, null)
      : null;
  const connection = server.connection;
  const endpoint =
    place.byKubeconfig?.endpoint ?? (place.unreachable === true ? 'https://127.0.0.1:9' : connection.server.href);
  const aws = await startWireServer((call) =>
    management !== null && call.action.endsWith('/clusters/management')
      ? jsonResult({ cluster: goodCluster(management.connection.server.href, management.connection.tls.ca ?? '') })
      : answerAsAws(place, endpoint, connection.tls.ca ?? '', call),
  );
  const kubeconfig =
    place.byKubeconfig === undefined ? null : { file: await writtenKubeconfig(connection.server.href), context: null };
  const config = settings === null ? {} : { config: await configured(settings) };
  let errors = '';
  const stderr = new Writable({
    write: (chunk, _encoding, done) => {
      errors += String(chunk);
      done();
    },
  });
  const examination = await examine(
    { cluster: 'prod', region: 'us-east-1', ...config, ...(role === undefined ? {} : { role }) },
    {
      endpoint: aws.endpoint,
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      kubeconfig,
      now: epochMs(NOW),
    },
    stderr,
  );
  const calls = [
    ...aws.calls.map(({ action }) => action),
    ...server.seen.map(({ method, path }) => `${method} ${path}`),
  ];
  const signed = [...aws.calls];
  const as = (output: 'text' | 'json') =>
    examination === null ? '' : printedFindings(examination, output, new Writable());
  const document = JSON.parse(as('json') || '{"checks": []}') as Ran['document'];
  const findings = document.checks.filter(({ status }) => status !== 'ok').map(({ id, status }) => [id, status]);
  return {
    code: examination === null ? EXIT.invalid : exitCodeOf(examination),
    text: errors + as('text'),
    document,
    findings: Object.fromEntries(findings),
    calls,
    signed,
  };
}

const configured = async (settings: string): Promise<string> =>
  await written('outrigger.config.yaml', `clusters:\n  - name: prod\n${settings.replaceAll(/^/gm, '    ')}\n`);

async function written(name: string, text: string): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'doctor-'));
  onTestFinished(async () => await rm(directory, { recursive: true }));
  const file = join(directory, name);
  await writeFile(file, text);
  return file;
}

/** @returns the name of a kubeconfig for this server, until the test ends */
export const writtenKubeconfig = async (server: string): Promise<string> =>
  await written('kubeconfig', kubeconfigFor(server));

export function answerAsAws(place: Place, endpoint: string, ca: string, { action, parameters }: Call): Answer {
  const given = Object.entries(place.aws ?? {}).find(([part]) => action.includes(part));
  if (given !== undefined) {
    return given[1];
  }
  if (action === 'AssumeRole') {
    return assumedSession(3_600_000);
  }
  if (action === 'DescribeStacks') {
    return stacks(place, parameters.get('StackName') ?? '');
  }
  if (action === 'DescribeAutoScalingGroups') {
    return autoScalingResult(action, { AutoScalingGroups: place.groups ?? [groupXml('prod', 'workers')] });
  }
  if (action.includes('/account-settings')) {
    const { quota, unreserved } = place.concurrency ?? { quota: 1_000, unreserved: 900 };
    return jsonResult({ AccountLimit: { ConcurrentExecutions: quota, UnreservedConcurrentExecutions: unreserved } });
  }
  const nodeGroup = /\/node-groups\/(\w+)$/.exec(action)?.[1];
  if (nodeGroup !== undefined) {
    return jsonResult({ nodegroup: { status: 'ACTIVE', ...place.nodeGroups?.[nodeGroup] } });
  }
  return place.cluster === null
    ? jsonError(404, 'ResourceNotFoundException', 'No cluster found for name: prod.')
    : jsonResult({ cluster: { ...goodCluster(endpoint, ca), ...place.cluster } });
}

const goodCluster = (endpoint: string, ca: string) => ({
  name: 'prod',
  arn: ARN,
  status: 'ACTIVE',
  version: '1.33',
  endpoint,
  certificateAuthority: { data: Buffer.from(ca).toString('base64') },
  accessConfig: { authenticationMode: 'API_AND_CONFIG_MAP' },
  resourcesVpcConfig: publicEndpoint(['0.0.0.0/0']),
});

/** The network of a cluster whose endpoint is public, for these addresses. */
export const publicEndpoint = (publicAccessCidrs: readonly string[]) => ({
  endpointPublicAccess: true,
  endpointPrivateAccess: false,
  publicAccessCidrs,
  vpcId: 'vpc-0123456789abcdef0',
  subnetIds: ['subnet-0123456789abcdef0', 'subnet-0123456789abcdef1'],
  clusterSecurityGroupId: 'sg-0123456789abcdef0',
});

function stacks(place: Place, name: string): Answer {
  const stack = (place.stacks ?? BOOTSTRAPPED)[name as 'CDKToolkit'];
  if (stack === undefined) {
    return autoScalingError(400, 'ValidationError', `Stack with id ${name} does not exist`);
  }
  const Outputs = Object.entries(stack.outputs ?? {}).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue }));
  return autoScalingResult('DescribeStacks', {
    Stacks: [{ StackName: name, CreationTime: '2026-01-01T00:00:00Z', StackStatus: stack.status, Outputs }],
  });
}

function answerAsCluster(place: Place, { path, body }: Seen, response: http.ServerResponse): void {
  const refusal = Object.entries(place.refused ?? {}).find(([part]) => path.includes(part));
  if (refusal !== undefined) {
    refuse(response, refusal[1], refusal[1] === 401 ? 'Unauthorized' : 'Forbidden', 'no');
    return;
  }
  if (path.endsWith('/selfsubjectaccessreviews')) {
    json(response, 201, { status: { allowed: !(place.forbidden ?? []).includes(requestOf(body)) } });
    return;
  }
  const found = objectsAt(place, path);
  if (found === null) {
    refuse(response, 404, 'NotFound', 'not found');
  } else {
    json(response, 200, found);
  }
}

function requestOf(review: string): string {
  const { spec } = JSON.parse(review) as {
    readonly spec: { readonly resourceAttributes: { readonly verb: string; readonly resource: string } };
  };
  return `${spec.resourceAttributes.verb} ${spec.resourceAttributes.resource}`;
}

export function objectsAt(place: Place, path: string): object | null {
  const list = (kind: string, apiVersion: string, items: readonly object[]) => ({
    kind,
    apiVersion,
    metadata: { resourceVersion: '1' },
    items,
  });
  const annotations = { 'cluster-autoscaler.kubernetes.io/last-updated': place.status };
  switch (path) {
    case '/apis/apps/v1/deployments':
      return list('DeploymentList', 'apps/v1', place.deployments ?? []);
    case '/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status':
      return place.status === undefined ? null : { kind: 'ConfigMap', apiVersion: 'v1', metadata: { annotations } };
    case '/apis/karpenter.sh/v1/nodepools':
      return place.nodePools === undefined
        ? null
        : list(
            'NodePoolList',
            'karpenter.sh/v1',
            place.nodePools.map((name) => ({ metadata: { name } })),
          );
    case `/apis/autoscaling.x-k8s.io/${place.capacityQuotas?.version ?? 'none'}/capacityquotas`:
      return list(
        'CapacityQuotaList',
        'autoscaling.x-k8s.io',
        (place.capacityQuotas?.names ?? []).map((name) => ({ metadata: { name } })),
      );
    case '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/outrigger-prod':
      return place.webhook === undefined
        ? null
        : { kind: 'ValidatingWebhookConfiguration', webhooks: place.webhook.map((url) => ({ clientConfig: { url } })) };
    case '/api/v1/nodes':
      return list('NodeList', 'v1', place.nodes ?? []);
    default:
      return place.resources === undefined ? null : servedAt(path, place.resources);
  }
}
