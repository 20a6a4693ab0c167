import { createHash } from 'node:crypto';
import type http from 'node:http';
import { onTestFinished } from 'vitest';
import { openPlace, type InstallAccess, type InstallPlace } from '../../../cli/install/place.ts';
import { startJournal, type RecordedStep } from '../../../cli/install/journal.ts';
import type { Deploy } from '../../../cli/install/steps/deploy.ts';
import { readClusterList } from '../../../config/read.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import {
  answerAsAws,
  BOOTSTRAPPED,
  NOW,
  objectsAt,
  type Place as Account,
  writtenKubeconfig,
} from '../doctor/account-and-cluster.ts';
import {
  type Answer,
  autoScalingError,
  autoScalingResult,
  type Call,
  jsonError,
  jsonResult,
  startWireServer,
} from '../../providers/aws/wire-server.ts';
import { apiServer, json, refuse, type Seen } from '../../providers/kubernetes/api-server.ts';

/** The address of the ingest function, as the stack has it. */
const ADDRESS = 'https://abc.lambda-url.us-east-1.on.aws/';
const STACK = 'Outrigger-prod';
const ARN = `arn:aws:cloudformation:us-east-1:123456789012:stack/${STACK}/1`;

type Object = Readonly<Record<string, unknown>> & { readonly metadata: Readonly<Record<string, unknown>> };

/** Remains of an account and a cluster: tests compare them. */
export interface State {
  stack: { status: string; parameters: Record<string, string>; mode?: string } | null;
  /** By their paths. */
  readonly objects: Map<string, Object>;
  /** Events that the webhook has sent to the address. */
  readonly notified: number[];
  /** Items of tables, as DynamoDB has them, by the names of the tables. */
  readonly tables: Map<string, { protected: boolean; readonly items: Map<string, unknown> }>;
  /** Nodes with a drain that is driven. */
  readonly driven: Set<string>;
}

/** Writes, in order, as `what was written`. */
export interface World {
  readonly state: State;
  readonly writes: readonly string[];
  /** Users that were impersonated. */
  readonly impersonated: readonly string[];
  /** After this number of writes everything fails; the last of these writes succeeds. */
  dieAfter: number;
  /** Whether notifications arrive. */
  deaf: boolean;
  /** Whether the stack has a bucket of snapshots. */
  snapshots: boolean;
  forbidsImpersonation: boolean;
  /** The output of the stack that is deployed next. */
  mode: string;
  readonly account: { current: Account };
  readonly open: (settings?: object, byKubeconfig?: boolean) => Promise<InstallPlace>;
  readonly deploy: Deploy;
  /** Called whenever a step waits. */
  onPause: () => void;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * An account with a cluster `prod`, on servers that keep what is written: CloudFormation, CloudWatch Logs, EKS and an API
 * server. A deployment is what the CDK makes of one.
 */
export async function startWorld(): Promise<World> {
  const state: State = { stack: null, objects: new Map(), notified: [], tables: new Map(), driven: new Set() };
  const writes: string[] = [];
  const impersonated: string[] = [];
  let version = 0;
  const world = {
    dieAfter: Infinity,
    deaf: false,
    snapshots: false,
    mode: 'observe: they are recorded',
    forbidsImpersonation: false,
    onPause: (): void => {},
  };
  const account: { current: Account } = { current: {} };

  /** Counts a write, and makes it unless the process has died by now. */
  const write = (what: string, make: () => void): 'made' | 'died' => {
    if (writes.length >= world.dieAfter) {
      return 'died';
    }
    writes.push(what);
    make();
    // The answer does not reach a process that died of it.
    return writes.length >= world.dieAfter ? 'died' : 'made';
  };
  const store = (path: string, object: Object): void => {
    const before = state.objects.get(path);
    const bare = (one: Object) => JSON.stringify({ ...one, metadata: { ...one.metadata, resourceVersion: null } });
    if (before === undefined || bare(before) !== bare(object)) {
      version += 1;
      state.objects.set(path, { ...object, metadata: { ...object.metadata, resourceVersion: String(version) } });
    }
  };

  const server = await apiServer((seen, response) => answerAsCluster(seen, response), {}, null);
  onTestFinished(async () => await server[Symbol.asyncDispose]());
  const endpoint = server.connection.server.href;
  const ca = server.connection.tls.ca ?? '';
  const aws = await startWireServer(
    (call) => answerHere(call) ?? answerAsAws({ ...account.current, stacks: BOOTSTRAPPED }, endpoint, ca, call),
  );

  function answerAsCluster({ method, path, body, headers, query }: Seen, response: http.ServerResponse): void {
    const died = (): void => refuse(response, 400, 'Died', 'the process has died');
    if (method === 'PATCH' && path.startsWith(NODES)) {
      const made = write(`patch ${path.split('/').at(-1)}`, () => patchNode(path, JSON.parse(body) as Patch));
      return made === 'died' ? died() : json(response, 200, {});
    }
    if (method === 'PATCH') {
      const made = write(`apply ${path.split('/').slice(-2).join('/')}`, () => store(path, JSON.parse(body) as Object));
      return made === 'died' ? died() : json(response, 200, { ...state.objects.get(path), query: query.get('force') });
    }
    if (method === 'POST' && path.endsWith('/events')) {
      return createEvent(headers['impersonate-user'], response);
    }
    if (method === 'DELETE') {
      if (!state.objects.has(path)) {
        return path.includes('/events/') ? json(response, 200, {}) : refuse(response, 404, 'NotFound', 'not found');
      }
      return write(`delete ${path.split('/').slice(-2).join('/')}`, () => state.objects.delete(path)) === 'died'
        ? died()
        : json(response, 200, {});
    }
    if (path.endsWith('/selfsubjectaccessreviews')) {
      return json(response, 201, { status: { allowed: true } });
    }
    if (path === '/api/v1/nodes') {
      const items = [...state.objects].flatMap(([of, object]) => (of.startsWith(NODES) ? [object] : []));
      return json(response, 200, { kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '1' }, items });
    }
    const found = state.objects.get(path) ?? objectsAt({}, path);
    return found === null ? refuse(response, 404, 'NotFound', 'not found') : json(response, 200, found);
  }

  /** A merge patch, as far as nodes are patched. */
  function patchNode(path: string, { metadata, spec }: Patch): void {
    const node = state.objects.get(path)!;
    const merged = (one: unknown, other: object = {}) =>
      Object.fromEntries(Object.entries({ ...(one as object), ...other }).filter(([, value]) => value !== null));
    const { annotations, labels, ...rest } = node.metadata;
    store(path, {
      ...node,
      metadata: {
        ...rest,
        annotations: merged(annotations, metadata?.annotations),
        labels: merged(labels, metadata?.labels),
      },
      spec: merged(node['spec'], spec),
    });
  }

  /** The webhook takes what the scheduler writes, and no other event. */
  function createEvent(user: unknown, response: http.ServerResponse): void {
    if (world.forbidsImpersonation && user !== undefined) {
      return refuse(response, 403, 'Forbidden', 'may not impersonate');
    }
    impersonated.push(String(user));
    const [webhook] = [...state.objects].flatMap(([path, object]) =>
      path.includes('validatingwebhook') ? [object] : [],
    );
    const [{ clientConfig: { url = '' } = {}, matchConditions = [] } = {}] = (webhook?.['webhooks'] ?? []) as readonly {
      readonly clientConfig?: { readonly url?: string };
      readonly matchConditions?: readonly { readonly expression: string }[];
    }[];
    const token = new RegExp(`^${ADDRESS}([^/]+)/prod$`).exec(url)?.[1];
    const accepted = (state.stack?.parameters['WebhookTokenHashes'] ?? '').split(',');
    const taken = matchConditions.some(({ expression }) => expression.includes(`'${String(user)}'`));
    if (token !== undefined && taken && accepted.includes(sha256(token)) && !world.deaf) {
      state.notified.push(NOW);
    }
    json(response, 201, { metadata: { name: 'e', creationTimestamp: new Date(NOW).toISOString() } });
  }

  function answerHere({ action, parameters, body }: Call): Answer | null {
    const died = (): Answer => autoScalingError(400, 'Died', 'the process has died');
    if (action === 'DescribeStacks' && [STACK, ARN].includes(parameters.get('StackName') ?? '')) {
      return state.stack === null
        ? autoScalingError(400, 'ValidationError', `Stack with id ${STACK} does not exist`)
        : autoScalingResult(action, { Stacks: [stackXml(state.stack)] });
    }
    if (action === 'ListStackResources') {
      const resources = [...RESOURCES, ...(world.snapshots ? [BUCKET] : [])];
      const StackResourceSummaries = resources.map(([LogicalResourceId, ResourceType]) => ({
        LogicalResourceId,
        ResourceType,
        PhysicalResourceId: ResourceType.startsWith('AWS::DynamoDB') ? TABLE : `${STACK}-${LogicalResourceId}`,
        ResourceStatus: 'CREATE_COMPLETE',
        LastUpdatedTimestamp: '2026-01-01T00:00:00Z',
      }));
      return autoScalingResult(action, { StackResourceSummaries });
    }
    if (action === 'UpdateStack') {
      const told = [1, 2, 3].flatMap((index) => {
        const of = (name: string): string | null => parameters.get(`Parameters.member.${index}.${name}`);
        return of('ParameterKey') === null ? [] : [{ key: of('ParameterKey')!, value: of('ParameterValue'), of }];
      });
      if (told.some(({ value, of }) => value === null && of('UsePreviousValue') !== 'true')) {
        return autoScalingError(400, 'ValidationError', 'A parameter has neither a value nor its previous one');
      }
      const given = Object.fromEntries(told.flatMap(({ key, value }) => (value === null ? [] : [[key, value]])));
      const made = write(`set ${Object.keys(given).sort().join(' ')}`, () => {
        Object.assign(state.stack!.parameters, given);
        state.stack!.status = 'UPDATE_COMPLETE';
      });
      return made === 'died' ? died() : autoScalingResult(action, { StackId: ARN });
    }
    if (action === 'DeleteStack') {
      const made = write('delete the stack', () => {
        // The table is left.
        state.stack = null;
      });
      return made === 'died' ? died() : autoScalingResult(action, {});
    }
    if (action === 'DescribeStackEvents') {
      return autoScalingResult(action, { StackEvents: [] });
    }
    if (action.startsWith('PUT') && action.endsWith('/concurrency')) {
      const made = write(`reserve ${action.split('/').at(-2)} ${body}`, () => state.driven.clear());
      return made === 'died' ? jsonError(400, 'Died', 'the process has died') : jsonResult({});
    }
    if (action.startsWith('DELETE') && action.endsWith('/concurrency')) {
      const made = write(`unreserve ${action.split('/').at(-2)}`, () => {});
      return made === 'died' ? jsonError(400, 'Died', 'the process has died') : jsonResult({});
    }
    if (action.startsWith('DynamoDB_20120810.')) {
      return answerAsDynamoDb(action.slice('DynamoDB_20120810.'.length), JSON.parse(body) as TableCall);
    }
    return action === 'Logs_20140328.FilterLogEvents'
      ? jsonResult({ events: state.notified.map((timestamp) => ({ timestamp })) })
      : null;
  }

  function answerAsDynamoDb(operation: string, { TableName: name = '', Item, ResourceArn = '' }: TableCall): Answer {
    const died = jsonError(400, 'Died', 'the process has died');
    const table = state.tables.get(name);
    switch (operation) {
      case 'ListTables':
        return jsonResult({ TableNames: [...state.tables.keys(), 'Outrigger-prod-Table-of-somebody', 'other'] });
      case 'ListTagsOfResource':
        return jsonResult({
          Tags: [{ Key: 'aws:cloudformation:stack-name', Value: ResourceArn.includes('copied') ? 'other' : STACK }],
        });
      case 'PutItem':
        table!.items.set(Item!.sk.S, Item);
        return jsonResult({});
      case 'Query':
        return jsonResult({ Items: [...table!.items.values()], Count: table!.items.size });
      case 'DescribeTable':
        return table === undefined
          ? jsonError(400, 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', 'no such table')
          : jsonResult({
              Table: {
                TableArn: `arn:aws:dynamodb:us-east-1:123456789012:table/${name}`,
                TableStatus: 'ACTIVE',
                DeletionProtectionEnabled: table.protected,
              },
            });
      case 'UpdateTable':
        return write(`unprotect ${name}`, () => {
          table!.protected = false;
        }) === 'died'
          ? died
          : jsonResult({});
      case 'DeleteTable':
        return table!.protected
          ? jsonError(400, 'ValidationException', 'protected')
          : write(`delete ${name}`, () => state.tables.delete(name)) === 'died'
            ? died
            : jsonResult({});
      default:
        throw new Error(`${operation} is not answered`);
    }
  }

  const access: InstallAccess = {
    endpoint: aws.endpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    kubeconfig: null,
    now: () => epochMs(NOW),
    pause: async () => world.onPause(),
  };
  return Object.assign(world, {
    state,
    writes,
    impersonated,
    account,
    open: async (settings: object = {}, byKubeconfig = false) => {
      const read = readClusterList([{ name: 'prod', ...settings }], 'test');
      if (!read.ok) {
        throw new Error(read.error.join());
      }
      const found = { file: 'outrigger.config.yaml', cluster: read.value.clusters[0]!, warnings: [] };
      const kubeconfig = byKubeconfig ? { file: await writtenKubeconfig(endpoint), context: null } : null;
      const place = await openPlace({ cluster: 'prod', region: 'us-east-1' }, found, { ...access, kubeconfig });
      onTestFinished(place.close);
      return place;
    },
    deploy: async (parameters: Readonly<Record<string, string>>) => {
      const made = write(`deploy ${Object.keys(parameters).sort().join(' ')}`, () => {
        const before = state.stack?.parameters ?? { Schedules: 'ENABLED', WebhookTokenHashes: '' };
        const status = state.stack === null ? 'CREATE_COMPLETE' : 'UPDATE_COMPLETE';
        state.stack = { status, parameters: { ...before, ...parameters }, mode: world.mode };
      });
      if (made === 'died') {
        throw new Error('the process has died');
      }
    },
  });
}

const NODES = '/api/v1/nodes/';

interface Patch {
  readonly metadata?: { readonly annotations?: object; readonly labels?: object };
  readonly spec?: object;
}

interface TableCall {
  readonly TableName?: string;
  readonly ResourceArn?: string;
  readonly Item?: { readonly sk: { readonly S: string } };
}

const RESOURCES = [
  ['IngestLogs0A1B2C3D', 'AWS::Logs::LogGroup'],
  ['Ingest0A1B2C3D', 'AWS::Lambda::Function'],
  ['Drain0A1B2C3D', 'AWS::Lambda::Function'],
  ['Table0A1B2C3D', 'AWS::DynamoDB::GlobalTable'],
] as const;

const BUCKET = ['Snapshots0A1B2C3D', 'AWS::S3::Bucket'] as const;

/** The name of the stack's table. */
export const TABLE = 'Outrigger-prod-Table0A1B2C3D-XYZ';

const stackXml = ({ status, parameters, mode }: NonNullable<State['stack']>) => ({
  StackName: STACK,
  StackId: ARN,
  CreationTime: '2026-01-01T00:00:00Z',
  StackStatus: status,
  Parameters: Object.entries(parameters).map(([ParameterKey, ParameterValue]) => ({ ParameterKey, ParameterValue })),
  Outputs: [
    {
      OutputKey: 'Webhook',
      OutputValue: JSON.stringify({ webhooks: [{ clientConfig: { url: `${ADDRESS}TOKEN/prod` } }] }),
    },
    ...(mode === undefined ? [] : [{ OutputKey: 'Mode', OutputValue: mode }]),
    { OutputKey: 'AcceptedTokenHashes', OutputValue: parameters['WebhookTokenHashes'] ?? '' },
  ],
});

/** A journal for tests: its lines are kept. */
export function silentJournal(): ReturnType<typeof startJournal> & {
  readonly lines: readonly string[];
  readonly steps: readonly RecordedStep[];
} {
  const lines: string[] = [];
  return Object.assign(
    startJournal((line) => lines.push(line)),
    { lines },
  );
}

/** State, with the token replaced by whether the stack accepts it. */
export function settled({ stack, objects }: State) {
  const [webhook] = [...objects].flatMap(([path, object]) => (path.includes('validatingwebhook') ? [object] : []));
  const token = /on\.aws\/([^/"]+)\/prod/.exec(JSON.stringify(webhook ?? {}))?.[1] ?? '';
  const hashes = (stack?.parameters['WebhookTokenHashes'] ?? '').split(',');
  return {
    stack: stack === null ? null : stack.status.replace('CREATE', 'UPDATE'),
    schedules: stack?.parameters['Schedules'] ?? null,
    acceptsTokens: hashes.length,
    acceptsWebhook: hashes.includes(sha256(token)),
    objects: [...objects.keys()].sort(),
  };
}
