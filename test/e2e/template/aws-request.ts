import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from './policies.ts';

/** A call of an AWS API, as it came over the wire. */
export interface AwsRequest {
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface ReadCall {
  /** As in the signature: `sqs`, `autoscaling`. */
  readonly service: string;
  readonly accessKey: string;
  /** As the API has it: `SendMessage`. */
  readonly operation: string;
  /** Fields of the form, or of the JSON body; empty for others. */
  readonly input: Readonly<Record<string, unknown>>;
  /** Names of path parameters, for operations with input in the path. */
  readonly names: readonly string[];
  /** ARN of the stream, where a stream of a table is read. */
  readonly stream: string | null;
}

/** The header by which a poller names its stream: only DynamoDB knows the stream of an iterator. */
export const STREAM_HEADER = 'x-stream';

/** Operations that are told apart by their path. */
const PATHS: readonly (readonly [service: string, method: string, path: RegExp, operation: string])[] = [
  ['arc-zonal-shift', 'GET', /^\/managedresources\/([^/]+)$/, 'GetManagedResource'],
  ['eks', 'GET', /^\/clusters\/([^/]+)$/, 'DescribeCluster'],
  ['eks', 'GET', /^\/clusters\/([^/]+)\/node-groups\/([^/]+)$/, 'DescribeNodegroup'],
  ['lambda', 'GET', /^\/2016-08-19\/account-settings$/, 'GetAccountSettings'],
  ['lambda', 'POST', /^\/2015-03-31\/functions\/([^/]+)\/invocations$/, 'InvokeFunction'],
  ['lambda', 'PUT', /^\/2017-10-31\/functions\/([^/]+)\/concurrency$/, 'PutFunctionConcurrency'],
];

/** @throws Error for a call that is not signed, or an operation that is not known here. */
export function readCall({ method, path, headers, body }: AwsRequest): ReadCall {
  const signature = /Credential=([^/]+)\/\d+\/[^/]+\/([^/]+)\/aws4_request/.exec(headers.authorization ?? '');
  if (signature === null) throw new Error(`${method} ${path} is not signed`);
  const [, accessKey, service] = signature as unknown as [string, string, string];
  const target = [headers['x-amz-target']].flat()[0]?.split('.').at(-1);
  const read = (operation: string, input: object, names: readonly string[] = []): ReadCall => ({
    service,
    accessKey,
    operation,
    input: input as ReadCall['input'],
    names,
    stream: [headers[STREAM_HEADER]].flat()[0] ?? null,
  });
  if (target !== undefined) return read(target, JSON.parse(body) as object);
  if (headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true) {
    const form = Object.fromEntries(new URLSearchParams(body));
    return read(form['Action'] ?? '', form);
  }
  const bare = path.split('?', 1)[0]!;
  for (const [ofService, ofMethod, pattern, operation] of PATHS) {
    const match = ofService === service && ofMethod === method ? pattern.exec(bare) : null;
    if (match !== null) {
      const input = body === '' ? {} : (JSON.parse(body) as object);
      return read(operation, input, match.slice(1).map(decodeURIComponent));
    }
  }
  throw new Error(`${service}: ${method} ${bare} is not known here: add it to aws-request.ts`);
}

/** Groups that requests of Auto Scaling are judged by. */
export interface GroupLookup {
  /** ARN and tags of the group with this name or with this instance; `null` when there is none. */
  (by: {
    readonly name?: string;
    readonly instance?: string;
  }): Promise<{ readonly arn: string; readonly tags: Readonly<Record<string, string>> } | null>;
}

export interface JudgedBy {
  readonly account: string;
  readonly region: string;
  readonly groupOf: GroupLookup;
}

const DESCRIBES_ALL: Readonly<Record<string, RegExp>> = {
  autoscaling: /^Describe/,
  ec2: /^(?:Describe|GetInstanceTypesFromInstanceRequirements$)/,
  pricing: /^GetProducts$/,
};

/**
 * Requests that IAM judges for a call: one for each item of a DynamoDB transaction.
 *
 * @throws Error for an operation whose resource is not known here.
 */
export async function requestsOf(call: ReadCall, by: JudgedBy): Promise<readonly Request[]> {
  const { service, operation, input, names } = call;
  const arn = (rest: string): string => `arn:aws:${service}:${by.region}:${by.account}:${rest}`;
  const one = (resource: string, context: Request['context'] = {}): readonly Request[] => [
    { action: `${service}:${operation}`, resource, context },
  ];
  if (service === 'dynamodb') return dynamodb(call, arn);
  // STS asks the trust policy of the role, too.
  if (service === 'sts') return [];
  if (service === 'sqs') {
    const resource = arn(String(input['QueueUrl']).split('/').at(-1)!);
    // A batch needs the right to do one: https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonsqs.html
    return [{ action: `sqs:${operation.replace(/Batch$/, '')}`, resource, context: {} }];
  }
  if (service === 'secretsmanager') return one(String(input['SecretId']));
  if (service === 'arc-zonal-shift') return one('*', { 'arc-zonal-shift:ResourceIdentifier': names[0]! });
  if (service === 'eks')
    return one(
      operation === 'DescribeCluster' ? arn(`cluster/${names[0]}`) : arn(`nodegroup/${names[0]}/${names[1]}/1`),
    );
  // Functions and executions are called by their ARNs.
  if (service === 'lambda') return one(names[0]!);
  if (DESCRIBES_ALL[service]?.test(operation) === true) return one('*');
  if (service === 'autoscaling') {
    const { AutoScalingGroupName: name, InstanceId: instance } = input as Record<string, string>;
    const group = await by.groupOf(name === undefined ? { instance: instance! } : { name });
    if (group === null) return one(arn('autoScalingGroup:0:autoScalingGroupName/none'));
    const tags = Object.entries(group.tags).map(([key, value]) => [`aws:ResourceTag/${key}`, value] as const);
    return one(group.arn, Object.fromEntries(tags));
  }
  throw new Error(`${service}:${operation} is not known here: add it to aws-request.ts`);
}

type Item = Readonly<Record<string, { readonly S?: string }>>;

/** Part of a transaction: `{ Put: { TableName, Item } }`. */
type Part = Readonly<Record<string, { readonly TableName: string; readonly Key?: Item; readonly Item?: Item }>>;

function dynamodb({ operation, input, stream }: ReadCall, arn: (rest: string) => string): readonly Request[] {
  const request = (action: string, table: unknown, partition: string | undefined): Request => ({
    action: `dynamodb:${action}`,
    resource: arn(`table/${String(table)}`),
    context: partition === undefined ? {} : { 'dynamodb:LeadingKeys': [partition] },
  });
  const {
    TransactItems,
    TableName,
    Key,
    Item,
    ExpressionAttributeValues: values = {},
  } = input as {
    readonly TransactItems?: readonly Part[];
    readonly TableName?: string;
    readonly Key?: Item;
    readonly Item?: Item;
    readonly ExpressionAttributeValues?: Item;
  };
  if (TransactItems !== undefined) {
    const names: Readonly<Record<string, string>> = { ConditionCheck: 'ConditionCheckItem' };
    return TransactItems.flatMap((part) =>
      Object.entries(part).map(([kind, { TableName: table, Key: key, Item: item }]) =>
        request(names[kind] ?? `${kind}Item`, table, (key ?? item)?.['pk']?.S),
      ),
    );
  }
  if (operation === 'ListStreams') return [{ action: 'dynamodb:ListStreams', resource: '*', context: {} }];
  if (stream !== null) return [{ action: `dynamodb:${operation}`, resource: stream, context: {} }];
  // A query's partition is the value that its key condition compares with, which the store names `:pk`.
  const partition = (Key ?? Item)?.['pk']?.S ?? values[':pk']?.S;
  return [request(operation, TableName, partition)];
}
