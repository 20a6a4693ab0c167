import { randomUUID } from 'node:crypto';
import type { DynamoDBStreamEvent, EventBridgeEvent } from 'aws-lambda';
import pMap from 'p-map';
import { CreateQueueCommand, GetQueueAttributesCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { conventionOf } from '../../core/model/discovery.ts';
import { defaultOptions } from '../../core/model/options.ts';
import { byName } from '../../core/model/values/names.ts';
import { epochMs, minutes } from '../../core/model/values/time.ts';
import { createActuate } from '../../functions/actuate/actuate.ts';
import { scaleDownHandler } from '../../functions/scale-down/scale-down.ts';
import { scaleUpHandler } from '../../functions/scale-up/scale-up.ts';
import type { Executions } from '../../core/ports/executions.ts';
import type { Services } from '../../functions/shared/services.ts';
import { createWake } from '../../functions/wake/wake.ts';
import { createEventBus } from '../../providers/aws/event-bus.ts';
import { createSignedCall } from '../../providers/aws/api/signed-call.ts';
import { createTerminations } from '../../providers/aws/groups/terminations.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../providers/dynamodb/drains.ts';
import { createDynamoDbInbox } from '../../providers/dynamodb/inbox.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { ensureTable } from '../../providers/dynamodb/table.ts';
import { messageDocument } from '../../providers/schema/message.ts';
import { node, pod } from '../builders.ts';
import { invocation, sqsEvent, testWorld, scan, WEB } from '../functions/test-world.ts';
import { autoScalingResult, groupXml, startWireServer } from '../providers/aws/wire-server.ts';
import { group, running, times } from '../scenario-builders.ts';
import { region, testCredentials } from './servers/aws-clients.ts';
import { serverSet } from './server-set.ts';

/** The table forgets what is long over by its own clock. */
const STARTED = epochMs(Date.now());
const NODES = 1_000;
const GROUPS = 4;
const idOf = (n: number): string => `i-${n.toString(16).padStart(17, '0')}`;
const groupOf = (n: number): string => `spot-${n % GROUPS}`;

/** AWS with the instances of these groups, and of another cluster's. */
const autoScaling = () =>
  startWireServer(({ action, parameters }) => {
    const asked = [...parameters].flatMap(([key, value]) => (/\.member\.\d+$/.test(key) ? [value] : []));
    return action === 'DescribeAutoScalingInstances'
      ? autoScalingResult(action, {
          AutoScalingInstances: asked.map((id) => {
            const n = Number.parseInt(id.slice(2), 16);
            return { InstanceId: id, AutoScalingGroupName: n < NODES ? groupOf(n) : 'foreign' };
          }),
        })
      : autoScalingResult(action, {
          AutoScalingGroups: asked.map((name) => groupXml(name === 'foreign' ? 'another-cluster' : WEB, name)),
        });
  });

const interruption = (n: number): EventBridgeEvent<string, unknown> =>
  ({
    id: `event-${n}`,
    source: 'aws.ec2',
    'detail-type': 'EC2 Spot Instance Interruption Warning',
    region: 'us-east-1',
    time: new Date(STARTED).toISOString(),
    detail: { 'instance-id': idOf(n), 'instance-action': 'terminate' },
  }) as unknown as EventBridgeEvent<string, unknown>;

/** The functions at work on a real table, and what was written to it and asked of AWS. */
async function openWorld() {
  const table = `outrigger-${randomUUID()}`;
  const client = createDynamoDbClient({ endpoint: serverSet.dynamodbEndpoint });
  onTestFinished(() => client.destroy());
  await ensureTable(client, table);
  const writes: string[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const { commandName = '' } = context as { readonly commandName?: string };
      if (/^(?:Put|Update|Delete|Transact|BatchWrite)/.test(commandName)) {
        writes.push(commandName);
      }
      return await next(args);
    },
    { step: 'initialize', name: 'countWrites' },
  );
  const names = times(NODES, (n) => `n${n}`);
  const base = testWorld({
    groups: times(GROUPS, (g) => {
      const own = names.flatMap((name, n) => (n % GROUPS === g ? [[name, idOf(n)] as const] : []));
      return group(`spot-${g}`, {
        max: 2_000,
        nodes: own.map(([name]) => name),
        instances: own.map(([name, id]) => running(id, name)),
      });
    }),
    objects: { nodes: names.map((name) => node(name, { cpu: 4, memory: '16Gi' })) },
    options: defaultOptions(),
  });
  base.time = STARTED;
  const aws = await autoScaling();
  const terminations = createTerminations(aws.clients.autoScaling, WEB, conventionOf(WEB), () => STARTED);
  const unreadable = (problem: unknown): never => {
    throw new Error(`unexpected: ${JSON.stringify(problem)}`);
  };
  const world: Services & Executions = {
    ...base,
    store: createDynamoDbStore({ client, table, onQuarantine: unreadable }),
    inbox: createDynamoDbInbox({ client, table, onUnreadable: unreadable }),
    drains: createDynamoDbDrains({ client, table, onUnreadable: unreadable }),
    cluster: (name) => {
      const cluster = base.cluster(name);
      return cluster === null ? null : { ...cluster, terminations };
    },
  };
  return { base, world, aws, writes };
}

interface Delivered {
  readonly source: string;
  readonly 'detail-type': string;
  readonly detail: { readonly kind: string; readonly cluster: string; readonly id: string; readonly reason?: string };
}

/** The same with a bus, whose events a rule puts into a queue. */
async function openBus() {
  const opened = await openWorld();
  const name = `bus-${randomUUID()}`;
  const settings = { endpoint: serverSet.awsEndpoint, region, credentials: testCredentials };
  const sqs = new SQSClient(settings);
  onTestFinished(() => sqs.destroy());
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name }));
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['QueueArn'] }));
  const call = createSignedCall(sqs, { service: 'events', region, endpoint: serverSet.awsEndpoint, timeoutMs: 10_000 });
  const send = async (action: string, input: object): Promise<unknown> =>
    await call({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `AWSEvents.${action}` },
      body: JSON.stringify(input),
    });
  const { EventBusArn } = (await send('CreateEventBus', { Name: name })) as { readonly EventBusArn: string };
  const EventPattern = JSON.stringify({ source: ['outrigger'] });
  await send('PutRule', { Name: name, EventBusName: name, EventPattern });
  await send('PutTargets', { Rule: name, EventBusName: name, Targets: [{ Id: 'q', Arn: Attributes!['QueueArn'] }] });
  vi.stubEnv('AWS_ENDPOINT_URL_EVENTBRIDGE', serverSet.awsEndpoint);
  onTestFinished(() => void vi.unstubAllEnvs());
  return {
    ...opened,
    world: { ...opened.world, messages: createEventBus(EventBusArn, sqs) },
    queue: {
      /** By detail-type: a queue has no order. */
      async receive(): Promise<readonly Delivered[]> {
        const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
        return Messages.map(({ Body }) => JSON.parse(Body!) as Delivered).toSorted((a, b) =>
          byName(a['detail-type'], b['detail-type']),
        );
      },
    },
  };
}

/** Invocations: DynamoDB Local answers more of them too late on a busy host. */
const AT_A_TIME = 100;
/** The stream delivers so many records in one event. */
const BATCH = 100;

test('a scale-up, an interruption and a pause are each one event on a bus of EventBridge, however often they are delivered', async () => {
  const { base, world, queue } = await openBus();
  const wake = createWake({ ...world, terminations: world.cluster(WEB)?.terminations }, WEB, 'us-east-1');
  const inserted: DynamoDBStreamEvent = { Records: [{ eventName: 'INSERT' }] };
  for (const event of [interruption(1), interruption(1), inserted, interruption(1), inserted]) {
    await wake(event, invocation());
  }
  await world.store.addPause(WEB, { part: 'ScaleDown', group: null, until: null, cancelDrains: false });
  // A pod for which a node has to be added: no existing node takes pods.
  base.objects = {
    nodes: base.objects.nodes!.map((one) => ({ ...one, unschedulable: true })),
    pods: [pod('web-1', { requests: { cpu: 3 }, owner: 'ReplicaSet/web' })],
  };
  for (const _ of ['first', 'again']) {
    await scaleUpHandler(world)(sqsEvent(scan), invocation());
  }
  const events = await queue.receive();
  expect(base.lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  expect(events.map(({ source, 'detail-type': type, detail }) => [source, type, detail.kind, detail.cluster])).toEqual([
    ['outrigger', 'Interruption', 'Interruption', WEB],
    ['outrigger', 'Paused', 'Paused', WEB],
    ['outrigger', 'ScaleUp', 'ScaleUp', WEB],
  ]);
  expect(new Set(events.map(({ detail }) => detail.id)).size).toBe(3);
  for (const { detail } of events) {
    expect(messageDocument.safeParse(detail)).toMatchObject({ success: true });
  }
});

test('a launch that fails, a pause that lasts for a day and a removal are each one event, five seconds later at most', async () => {
  const { base, world, queue } = await openBus();
  const nodes = [node('n1', { cpu: 4, memory: '16Gi' })];
  const cluster = (...pods: readonly string[]): void => {
    base.objects = { nodes, pods: pods.map((name) => pod(name, { requests: { cpu: 3 }, owner: 'ReplicaSet/web' })) };
  };
  base.groups.groups = [
    group('idle', { max: 1, target: 1, nodes: ['n1'], instances: [running('i-1', 'n1')] }),
    group('gpu'),
  ];
  const scaleUp = async (): Promise<unknown> => await scaleUpHandler(world)(sqsEvent(scan), invocation());
  /** The events about some work, done twice. */
  const told = async (work: () => Promise<unknown>): Promise<readonly (readonly string[])[]> => {
    await work();
    await work();
    const events: Delivered[] = [];
    const enough = async (): Promise<number> => events.push(...(await queue.receive()));
    await expect.poll(enough, { timeout: 5_000 }).toBeGreaterThan(0);
    return events.map(({ 'detail-type': type, detail }) => {
      expect(messageDocument.safeParse(detail)).toMatchObject({ success: true });
      return [type, detail.reason ?? ''];
    });
  };

  cluster('web-1', 'web-2');
  expect(await told(scaleUp)).toEqual([['ScaleUp', '']]);
  base.groups.failures.push({ kind: 'failed', class: 'OutOfResources', code: 'Insufficient', message: 'none left' });
  await createActuate(world)({ resume: WEB }, invocation());
  expect(await told(scaleUp)).toEqual([['GivenUp', 'OutOfResources']]);
  cluster();
  await world.store.addPause(WEB, { part: 'ScaleUp', group: null, until: null, cancelDrains: false });
  expect(await told(scaleUp)).toEqual([['Paused', 'ScaleUp']]);
  base.time += minutes(25 * 60);
  expect(await told(scaleUp)).toEqual([['NeedsAttention', 'LongPause']]);
  const scaleDown = async (): Promise<void> => await scaleDownHandler(world)({ cluster: WEB }, invocation());
  for (const _ of ['first', 'second', 'third']) {
    await scaleDown();
    base.time += minutes(4);
  }
  expect(await told(scaleDown)).toEqual([['ScaleDown', 'empty']]);
});

test('1,000 notices at once, each delivered twice, take 21 calls of AWS and one wake-up, and each node is drained once', async () => {
  const { base, world, aws, writes } = await openWorld();
  const wake = createWake({ ...world, terminations: world.cluster(WEB)?.terminations }, WEB, 'us-east-1');
  const receive = async (event: EventBridgeEvent<string, unknown> | DynamoDBStreamEvent): Promise<void> =>
    await wake(event, invocation());
  const all = times(NODES, interruption);
  for (const some of [all, all]) {
    await pMap(some, receive, { concurrency: AT_A_TIME });
  }
  const records = [...times(BATCH, () => ({ eventName: 'INSERT' as const }))];
  for (let from = 0; from < NODES; from += BATCH) {
    await receive({ Records: records });
  }
  const asked = aws.calls.filter(({ action }) => action === 'DescribeAutoScalingInstances');
  expect(asked).toHaveLength(NODES / 50);
  expect(aws.calls).toHaveLength(NODES / 50 + 1);
  expect(base.wakes).toEqual([{ cluster: WEB, attempt: 0, atOnce: true }]);
  expect((await world.store.load(WEB)).notices).toHaveLength(NODES);
  expect(await world.inbox.list(WEB)).toEqual([]);
  // Each event twice, each notice once, and each event's end.
  expect(writes).toHaveLength(4 * NODES);

  // Decided in one commit, which is no write for each notice.
  writes.length = 0;
  const evaluate = async (): Promise<unknown> => await scaleUpHandler(world)(sqsEvent(scan), invocation());
  await evaluate();
  const { intents } = await world.store.load(WEB);
  const removed = intents.flatMap((intent) => (intent.kind === 'RemoveNodes' ? intent.nodes : []));
  expect(new Set(removed.map(({ instance }) => instance)).size).toBe(NODES);
  expect(removed).toHaveLength(NODES);
  expect(writes.length).toBeLessThan(NODES / 10);

  await createActuate(world)({ resume: WEB }, invocation());
  expect((await world.drains.list(WEB)).map(({ drain }) => drain.instance).toSorted()).toEqual(times(NODES, idOf));
  // The notices are answered: another evaluation decides nothing for them, and says so without a write.
  writes.length = 0;
  await evaluate();
  await evaluate();
  const later = await world.store.load(WEB);
  expect(later.intents.filter(({ status }) => status === 'pending')).toEqual([]);
  expect(writes.length).toBeLessThan(20);
});

test('1,000 notices about another cluster’s instances end with the look-up', async () => {
  const { base, world, aws } = await openWorld();
  const wake = createWake({ ...world, terminations: world.cluster(WEB)?.terminations }, WEB, 'us-east-1');
  const foreign = times(NODES, (n) => interruption(NODES + n));
  await pMap(foreign, (event) => wake(event, invocation()), { concurrency: AT_A_TIME });
  await wake({ Records: [{ eventName: 'INSERT' }] }, invocation());
  expect(aws.calls).toHaveLength(NODES / 50 + 1);
  expect(base.wakes).toEqual([]);
  expect((await world.store.load(WEB)).notices ?? []).toEqual([]);
  expect(await world.inbox.list(WEB)).toEqual([]);
});
