import { createHash } from 'node:crypto';
import type http from 'node:http';
import { onTestFinished } from 'vitest';
import { openPlace, type Access, type Place } from '../../../cli/install/place.ts';
import { startJournal, type Recorded } from '../../../cli/install/journal.ts';
import type { Deploy } from '../../../cli/install/steps/deploy.ts';
import { readClusterList } from '../../../config/read.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { answerAsAws, BOOTSTRAPPED, NOW, objectsAt, type Place as Account } from '../doctor/account-and-cluster.ts';
import {
  type Answer,
  autoScalingError,
  autoScalingResult,
  type Call,
  jsonResult,
  startWireServer,
} from '../../providers/aws/wire-server.ts';
import { apiServer, json, refuse, type Seen } from '../../providers/kubernetes/api-server.ts';

/** The address of the ingest function, as the stack has it. */
const ADDRESS = 'https://abc.lambda-url.us-east-1.on.aws/';
const STACK = 'Outrigger-prod';
const ARN = `arn:aws:cloudformation:us-east-1:123456789012:stack/${STACK}/1`;

type Object = Readonly<Record<string, unknown>> & { readonly metadata: Readonly<Record<string, unknown>> };

/** What is left of an account and a cluster: what tests compare. */
export interface State {
  stack: { status: string; parameters: Record<string, string> } | null;
  /** By their paths. */
  readonly objects: Map<string, Object>;
  /** Events that the webhook has sent to the address. */
  readonly notified: number[];
}

/** Writes, in order, as `what was written`. */
export interface World {
  readonly state: State;
  readonly writes: readonly string[];
  /** Users that were impersonated. */
  readonly impersonated: readonly string[];
  /** After this number of writes everything fails: the one that it is reached with is still made. */
  dieAfter: number;
  /** Whether notifications arrive. */
  deaf: boolean;
  forbidsImpersonation: boolean;
  readonly account: { current: Account };
  readonly open: (settings?: object) => Promise<Place>;
  readonly deploy: Deploy;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/**
 * An account with a cluster `prod`, on servers that keep what is written: CloudFormation, CloudWatch Logs, EKS and an API
 * server. A deployment is what the CDK makes of one.
 */
export async function startWorld(): Promise<World> {
  const state: State = { stack: null, objects: new Map(), notified: [] };
  const writes: string[] = [];
  const impersonated: string[] = [];
  let version = 0;
  const world = { dieAfter: Infinity, deaf: false, forbidsImpersonation: false };
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

  const server = await apiServer((seen, response) => answerAsCluster(seen, response));
  onTestFinished(async () => await server[Symbol.asyncDispose]());
  const endpoint = server.connection.server.href;
  const ca = server.connection.tls.ca ?? '';
  const aws = await startWireServer(
    (call) => answerHere(call) ?? answerAsAws({ ...account.current, stacks: BOOTSTRAPPED }, endpoint, ca, call),
  );

  function answerAsCluster({ method, path, body, headers, query }: Seen, response: http.ServerResponse): void {
    const died = (): void => refuse(response, 400, 'Died', 'the process has died');
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
    const found = state.objects.get(path) ?? objectsAt({}, path);
    return found === null ? refuse(response, 404, 'NotFound', 'not found') : json(response, 200, found);
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

  function answerHere({ action, parameters }: Call): Answer | null {
    const died = (): Answer => autoScalingError(400, 'Died', 'the process has died');
    if (action === 'DescribeStacks' && [STACK, ARN].includes(parameters.get('StackName') ?? '')) {
      return state.stack === null
        ? autoScalingError(400, 'ValidationError', `Stack with id ${STACK} does not exist`)
        : autoScalingResult(action, { Stacks: [stackXml(state.stack)] });
    }
    if (action === 'ListStackResources') {
      const StackResourceSummaries = RESOURCES.map(([LogicalResourceId, ResourceType]) => ({
        LogicalResourceId,
        ResourceType,
        PhysicalResourceId: `${STACK}-${LogicalResourceId}`,
        ResourceStatus: 'CREATE_COMPLETE',
        LastUpdatedTimestamp: '2026-01-01T00:00:00Z',
      }));
      return autoScalingResult(action, { StackResourceSummaries });
    }
    if (action === 'UpdateStack') {
      const given = Object.fromEntries(
        [1, 2, 3].flatMap((index) => {
          const value = parameters.get(`Parameters.member.${index}.ParameterValue`);
          return value === null ? [] : [[parameters.get(`Parameters.member.${index}.ParameterKey`), value] as const];
        }),
      ) as Record<string, string>;
      const made = write(`set ${Object.keys(given).sort().join(' ')}`, () => {
        Object.assign(state.stack!.parameters, given);
        state.stack!.status = 'UPDATE_COMPLETE';
      });
      return made === 'died' ? died() : autoScalingResult(action, { StackId: ARN });
    }
    return action === 'Logs_20140328.FilterLogEvents'
      ? jsonResult({ events: state.notified.map((timestamp) => ({ timestamp })) })
      : null;
  }

  const access: Access = {
    endpoint: aws.endpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    kubeconfig: null,
    now: () => epochMs(NOW),
    pause: async () => {},
  };
  return Object.assign(world, {
    state,
    writes,
    impersonated,
    account,
    open: async (settings: object = {}) => {
      const read = readClusterList([{ name: 'prod', ...settings }], 'test');
      if (!read.ok) {
        throw new Error(read.error.join());
      }
      const found = { file: 'outrigger.config.yaml', cluster: read.value.clusters[0]! };
      const place = await openPlace({ cluster: 'prod', region: 'us-east-1' }, found, access);
      onTestFinished(place.close);
      return place;
    },
    deploy: async (parameters: Readonly<Record<string, string>>) => {
      const made = write(`deploy ${Object.keys(parameters).sort().join(' ')}`, () => {
        const before = state.stack?.parameters ?? { Schedules: 'ENABLED', WebhookTokenHashes: '' };
        const status = state.stack === null ? 'CREATE_COMPLETE' : 'UPDATE_COMPLETE';
        state.stack = { status, parameters: { ...before, ...parameters } };
      });
      if (made === 'died') {
        throw new Error('the process has died');
      }
    },
  });
}

const RESOURCES = [
  ['IngestLogs0A1B2C3D', 'AWS::Logs::LogGroup'],
  ['Ingest0A1B2C3D', 'AWS::Lambda::Function'],
  ['Drain0A1B2C3D', 'AWS::Lambda::Function'],
  ['Table0A1B2C3D', 'AWS::DynamoDB::GlobalTable'],
] as const;

const stackXml = ({ status, parameters }: NonNullable<State['stack']>) => ({
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
    { OutputKey: 'AcceptedTokenHashes', OutputValue: parameters['WebhookTokenHashes'] ?? '' },
  ],
});

/** A journal for tests: its lines are kept. */
export function silentJournal(): ReturnType<typeof startJournal> & {
  readonly lines: readonly string[];
  readonly steps: readonly Recorded[];
} {
  const lines: string[] = [];
  return Object.assign(
    startJournal((line) => lines.push(line)),
    { lines },
  );
}

/** What everything looks like, with the token replaced by whether the stack accepts it. */
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
