import { setTimeout as delay } from 'node:timers/promises';
import { STREAM_HEADER } from './aws-request.ts';
import type { Gateway } from './gateway.ts';
import { propertiesOf } from './policies.ts';
import type { Resolve } from './resolve.ts';
import { resourcesOf, type Template } from './synthesize.ts';
import type { LambdaService } from './lambda-service.ts';
import { chainOf } from './lineage.ts';
import { matches, type Pattern } from './pattern.ts';
import { countUse, type Records } from './records.ts';

/** An event source mapping of the template, resolved. */
export interface Mapping {
  /** Logical id. */
  readonly id: string;
  readonly source: string;
  /** ARN of the function. */
  readonly target: string;
  readonly batchSize: number;
  readonly reportsFailures: boolean;
  readonly patterns: readonly Pattern[];
  readonly retries: number;
  readonly maxAgeMs: number;
  readonly concurrency: number;
}

export interface SourceSettings {
  readonly gateway: Gateway;
  readonly lambda: LambdaService;
  readonly records: Records;
  readonly region: string;
  /** URL of the queue with this ARN. */
  readonly queueUrl: (arn: string) => string;
}

export interface RunningMapping {
  readonly stop: () => Promise<void>;
}

/** @throws Error for a mapping of a stream that does not say where it begins: Lambda makes none. */
export const mappingsOf = (
  template: Template,
  resolve: Resolve,
  { account, region }: { readonly account: string; readonly region: string },
): readonly Mapping[] =>
  resourcesOf(template, 'AWS::Lambda::EventSourceMapping').map(([id, resource]) => {
    const properties = propertiesOf(resource, resolve);
    const { Filters = [] } = (properties['FilterCriteria'] ?? {}) as {
      readonly Filters?: readonly { readonly Pattern: string }[];
    };
    const { MaximumConcurrency = 2 } = (properties['ScalingConfig'] ?? {}) as { readonly MaximumConcurrency?: number };
    const name = String(properties['FunctionName']);
    const source = String(properties['EventSourceArn']);
    if (!source.startsWith('arn:aws:sqs:') && properties['StartingPosition'] === undefined)
      throw new Error(`${id}: a stream is read from a StartingPosition`);
    return {
      id,
      source,
      target: name.startsWith('arn:') ? name : `arn:aws:lambda:${region}:${account}:function:${name}`,
      batchSize: Number(properties['BatchSize'] ?? 10),
      reportsFailures: ((properties['FunctionResponseTypes'] ?? []) as readonly string[]).includes(
        'ReportBatchItemFailures',
      ),
      patterns: Filters.map(({ Pattern: text }) => JSON.parse(text) as Pattern),
      retries: Number(properties['MaximumRetryAttempts'] ?? 10_000),
      maxAgeMs: Number(properties['MaximumRecordAgeInSeconds'] ?? Number.POSITIVE_INFINITY) * 1_000,
      concurrency: MaximumConcurrency,
    };
  });

/** Begins to deliver what is in the source, with the rights of the function's role, as Lambda's pollers do. */
export async function startMapping(mapping: Mapping, settings: SourceSettings): Promise<RunningMapping> {
  const stopped = new AbortController();
  const loops = mapping.source.startsWith('arn:aws:sqs:')
    ? await queueLoops(mapping, settings, stopped.signal)
    : [await streamLoop(mapping, settings, stopped.signal)];
  const running = loops.map(async (turn) => {
    while (!stopped.signal.aborted) {
      await turn().catch((error: unknown) => {
        // moto fails now and then when several read a queue at once; Lambda's pollers ask again after such an answer.
        if (!IS_SERVER_ERROR.test(String(error))) settings.records.problems.push(`${mapping.id}: ${String(error)}`);
      });
      await delay(POLL_MS, undefined, { signal: stopped.signal }).catch(() => undefined);
    }
  });
  return {
    async stop() {
      stopped.abort();
      await Promise.all(running);
    },
  };
}

const POLL_MS = 50;
const IS_SERVER_ERROR = /AmazonSQS\.ReceiveMessage: 500 /;

type Turn = () => Promise<void>;

interface Message {
  readonly MessageId: string;
  readonly ReceiptHandle: string;
  readonly Body: string;
  readonly MD5OfBody: string;
  readonly Attributes: Readonly<Record<string, string>>;
}

async function queueLoops(
  mapping: Mapping,
  { gateway, lambda, records, region, queueUrl }: SourceSettings,
  stop: AbortSignal,
): Promise<readonly Turn[]> {
  const { role, lambda: target } = lambda.find(mapping.target)!;
  const QueueUrl = queueUrl(mapping.source);
  const sqs = (operation: string, input: object): Promise<unknown> =>
    gateway.callAs(role, { service: 'sqs', target: `AmazonSQS.${operation}`, input: { QueueUrl, ...input } });
  const { Attributes } = (await sqs('GetQueueAttributes', { AttributeNames: ['VisibilityTimeout'] })) as {
    Attributes: Record<string, string>;
  };
  // Lambda makes no mapping otherwise.
  if (Number(Attributes['VisibilityTimeout']) * 1_000 < target.settings.timeoutMs)
    throw new Error(`${mapping.id}: the queue hides messages for less time than the function may take`);
  const turn = async (): Promise<void> => {
    const input = { MaxNumberOfMessages: mapping.batchSize, WaitTimeSeconds: 0, AttributeNames: ['All'] };
    const { Messages = [] } = (await sqs('ReceiveMessage', input)) as { readonly Messages?: readonly Message[] };
    if (Messages.length === 0 || stop.aborted) return;
    const chain = Math.max(...Messages.map((message) => chainOf(message.Attributes['AWSTraceHeader'])));
    const event = { Records: Messages.map((message) => sqsRecord(message, mapping.source, region)) };
    const outcome = await lambda.invoke(mapping.target, event, chain);
    if (outcome.kind === 'failed') return;
    const { batchItemFailures = [] } = (outcome.value ?? {}) as {
      readonly batchItemFailures?: readonly { readonly itemIdentifier: string }[];
    };
    const failed = new Set(
      mapping.reportsFailures ? batchItemFailures.map(({ itemIdentifier }) => itemIdentifier) : [],
    );
    const again = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    for (const { MessageId, ReceiptHandle } of Messages) {
      records.occasions.push({ kind: 'message', queue: mapping.source, failed: again.has(MessageId) });
      if (!failed.has(MessageId)) await sqs('DeleteMessage', { ReceiptHandle });
    }
    countUse(records, mapping.id);
  };
  return Array.from({ length: mapping.concurrency }, () => turn);
}

const sqsRecord = (message: Message, eventSourceARN: string, awsRegion: string) => ({
  messageId: message.MessageId,
  receiptHandle: message.ReceiptHandle,
  body: message.Body,
  attributes: message.Attributes,
  messageAttributes: {},
  md5OfBody: message.MD5OfBody,
  eventSource: 'aws:sqs',
  eventSourceARN,
  awsRegion,
});

interface StreamRecord {
  readonly eventName: string;
  readonly dynamodb: { readonly ApproximateCreationDateTime: number; readonly Keys: unknown };
}

/** Goes on from the newest record of the one shard that a small table has. */
async function streamLoop(
  mapping: Mapping,
  { gateway, lambda, records, region }: SourceSettings,
  stop: AbortSignal,
): Promise<Turn> {
  const { role } = lambda.find(mapping.target)!;
  const headers = { [STREAM_HEADER]: mapping.source };
  const streams = (operation: string, input: object): Promise<unknown> =>
    gateway.callAs(role, { service: 'dynamodb', target: `DynamoDBStreams_20120810.${operation}`, headers, input });
  const { StreamDescription } = (await streams('DescribeStream', { StreamArn: mapping.source })) as {
    readonly StreamDescription: { readonly Shards: readonly { readonly ShardId: string }[] };
  };
  const { ShardId } = StreamDescription.Shards.at(-1)!;
  const where = { StreamArn: mapping.source, ShardId, ShardIteratorType: 'LATEST' };
  let { ShardIterator: iterator } = (await streams('GetShardIterator', where)) as { readonly ShardIterator: string };
  const deliver = async (batch: readonly StreamRecord[]): Promise<void> => {
    const event = {
      Records: batch.map((record) => ({
        ...record,
        awsRegion: region,
        eventSource: 'aws:dynamodb',
        eventSourceARN: mapping.source,
      })),
    };
    for (let attempt = 0; attempt <= mapping.retries && !stop.aborted; attempt += 1) {
      const oldest = Math.min(...batch.map(({ dynamodb }) => dynamodb.ApproximateCreationDateTime * 1_000));
      if (Date.now() - oldest > mapping.maxAgeMs) break;
      if ((await lambda.invoke(mapping.target, event)).kind === 'returned') return countUse(records, mapping.id);
    }
    // A mapping that is deleted delivers nothing more.
    if (!stop.aborted) records.problems.push(`${mapping.id} gave up ${batch.length} records`);
  };
  return async () => {
    const { Records, NextShardIterator } = (await streams('GetRecords', { ShardIterator: iterator })) as {
      readonly Records: readonly StreamRecord[];
      readonly NextShardIterator: string;
    };
    iterator = NextShardIterator;
    for (const { eventName, dynamodb } of Records) {
      const record = { eventName, dynamodb: { Keys: dynamodb.Keys } };
      records.occasions.push({ kind: 'record', stream: mapping.source, record });
    }
    const wanted = Records.filter(
      (record) => mapping.patterns.length === 0 || mapping.patterns.some((pattern) => matches(pattern, record)),
    );
    for (let start = 0; start < wanted.length; start += mapping.batchSize)
      await deliver(wanted.slice(start, start + mapping.batchSize));
  };
}
