import { describe, expect, test } from 'vitest';
import { region } from './servers/aws-clients.ts';
import { buildBundles } from './template/ground.ts';
import { HOLDERS, plain, reductions, WIRES } from './template/mutants.ts';
import { attributeOf } from './template/names.ts';
import { cdkTestsNamed } from './template/parts.ts';
import { type Resolve, resolver } from './template/resolve.ts';
import { administrator, createQueues, deleteQueues } from './template/storage.ts';
import { type Resource, resourcesOf, synthesize, type Template } from './template/synthesize.ts';
import { serverSet } from './server-set.ts';

const bundles = await buildBundles();
const { template } = synthesize({ name: 'queues', mode: 'act' }, bundles);
const queues = Object.fromEntries(resourcesOf(template, 'AWS::SQS::Queue'));
const [wakeUps, drains] = ['WakeUps', 'Drains'].map((name) => Object.keys(queues).find((id) => plain(id) === name)!);

const administer = administrator({ region, moto: serverSet.awsEndpoint, dynamodb: serverSet.dynamodbEndpoint });

const of = (Resources: Readonly<Record<string, Resource>>): Template => ({ Resources });

/** A message that nobody is done with. */
const MESSAGE = { MessageBody: '{"cluster":"queues"}' };

interface Message {
  readonly ReceiptHandle: string;
}

/** How often a message is received before it is set aside in another queue: `null`, for ever. */
async function timesReceived(resolve: Resolve, id: string): Promise<number | null> {
  const url = (queue: string): string => String(resolve({ Ref: queue }));
  const ordered = queues[id]!.Properties!['FifoQueue'] === true ? { MessageGroupId: 'queues' } : {};
  const send = () => administer('sqs', 'AmazonSQS.SendMessage', { QueueUrl: url(id), ...MESSAGE, ...ordered });
  await send();
  // A second one of the same content is the same where deduplication goes by that.
  if (id === wakeUps) await send();
  const receive = async (queue: string): Promise<readonly Message[]> => {
    const input = { QueueUrl: url(queue), VisibilityTimeout: 0, MaxNumberOfMessages: 10 };
    const { Messages = [] } = await administer('sqs', 'AmazonSQS.ReceiveMessage', input);
    return Messages as readonly Message[];
  };
  for (let times = 0; times < 10; times += 1) {
    const messages = await receive(id);
    if (messages.length > 1) throw new Error(`${messages.length} messages`);
    if (messages.length === 0) {
      const others = Object.keys(queues).filter((other) => other !== id);
      for (const other of others) if ((await receive(other)).length === 1) return times;
      throw new Error('the message is lost');
    }
  }
  return null;
}

/** The same with queues that are there for that. */
async function tried(changed: Template, id: string): Promise<number | null> {
  const place = { account: '123456789012', region, endpoint: serverSet.awsEndpoint, functionUrls: '', chosen: {} };
  const attribute = (name: string, resource: Resource, what: string) => attributeOf(place, name, resource, what);
  const resolve = resolver(changed, { account: place.account, region, stack: 'Outrigger', parameters: {}, attribute });
  try {
    await createQueues(changed, resolve, administer);
    return await timesReceived(resolve, id);
  } finally {
    await deleteQueues(changed, resolve, administer);
  }
}

test.each([
  { queue: 'wake-ups', id: wakeUps!, times: 5 },
  { queue: 'rounds of drains', id: drains!, times: 3 },
])('a message of $queue that fails $times times is set aside', async ({ id, times }) => {
  expect(await tried(of(queues), id)).toBe(times);
});

/** Parts that are not seen so, and the tests of the stack that hold them. */
const HELD: readonly (readonly [part: RegExp, heldBy: string])[] = [
  [/\.(?:VisibilityTimeout|MessageRetentionPeriod)$/, 'of the queue are those of the function that receives from it'],
  [/\.SqsManagedSseEnabled$/, 'go through a FIFO queue with a dead-letter queue'],
];

describe('a message is refused, kept for ever, or taken twice, without', () => {
  const mutants = [wakeUps!, drains!].flatMap((id) =>
    reductions(queues[id]!.Properties).map(([part, Properties]) => {
      const changed = { ...queues[id]!, Properties: Properties as NonNullable<Resource['Properties']> };
      return [`${plain(id)}.${part}`, id, of({ ...queues, [id]: changed })] as const;
    }),
  );
  const isHeld = (name: string): boolean => HELD.some(([part]) => part.test(name));

  test.each(mutants.filter(([name]) => !isHeld(name)))('%s', async (_, id, changed) => {
    const whole = await tried(of(queues), id);
    expect(await tried(changed, id).catch(() => 'refused')).not.toBe(whole);
  });

  test('what a test of the stack holds, which is there', () => {
    expect(HELD.filter(([part]) => !mutants.some(([name]) => part.test(name)))).toEqual([]);
    expect(HELD.filter(([, heldBy]) => !cdkTestsNamed(heldBy))).toEqual([]);
  });
});

/** Types of resources whose parts no table takes away, and tests of the stack that hold them. */
const WHOLE: Readonly<Record<string, string>> = {
  'AWS::ApiGatewayV2::Api': 'calls the function for the one path',
  'AWS::CloudWatch::Alarm': 'are these two',
  'AWS::CloudWatch::Dashboard':
    'shows pods, time to capacity, sizes, drains, failures, throttles, evaluation time and cost',
  'AWS::DynamoDB::GlobalTable': 'is as the store makes its own',
  // But for its environment: template.e2e.ts.
  'AWS::Lambda::Function': 'are Node 24 on Graviton with JSON logs in a group that forgets',
  'AWS::Lambda::EventInvokeConfig': 'says of each function that a rule invokes how often Lambda repeats a run',
  'AWS::Logs::LogGroup': 'are Node 24 on Graviton with JSON logs in a group that forgets',
};
/** Types of which each resource, or each of its parts, is taken away in template*.e2e.ts. */
const TAKEN_AWAY = new Set([...WIRES, ...HOLDERS.map(([type]) => type), 'AWS::Lambda::Permission', 'AWS::SQS::Queue']);

const STACKS = [{}, { webhook: 'httpApi', flowSchema: true }, { webhook: 'none', scanInterval: '10m' }].map(
  (settings) => ({
    settings,
    types: new Set(
      Object.values(synthesize({ name: 'types', mode: 'act', ...settings }, bundles).template.Resources).map(
        ({ Type }) => Type,
      ),
    ),
  }),
);

test.each(STACKS)('no resource of the stack is one that nothing would miss: $settings', ({ types }) => {
  expect([...types].filter((type) => !TAKEN_AWAY.has(type) && WHOLE[type] === undefined)).toEqual([]);
  expect(Object.values(WHOLE).filter((heldBy) => !cdkTestsNamed(heldBy))).toEqual([]);
});
