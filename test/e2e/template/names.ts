import type { Resource } from './synthesize.ts';

export interface Place {
  readonly account: string;
  readonly region: string;
  /** `http://127.0.0.1:PORT`: queues' URLs begin with it. */
  readonly endpoint: string;
  /** `https://127.0.0.1:PORT/`, where the function URL is. */
  readonly functionUrls: string;
  /** Attributes that AWS chose, by the logical id of the resource. */
  readonly chosen: Readonly<Record<string, Attributes>>;
}

export type Attributes = Readonly<Record<string, string>>;

/**
 * Generates the names of unnamed resources, and their attributes. Types that the emulators do not run (alarms,
 * metadata) only have a `Ref`.
 *
 * @throws Error for a type or attribute that is not known here.
 */
export function attributeOf(place: Place, id: string, { Type, Properties = {} }: Resource, attribute: string): string {
  const { account, region, endpoint } = place;
  const arn = (service: string, rest: string, where = region): string =>
    `arn:aws:${service}:${where}:${account}:${rest}`;
  const named = (name: string, Arn: string, more: Attributes = {}): Attributes => ({ Ref: name, Arn, ...more });
  const queue = Properties['FifoQueue'] === true ? `${id}.fifo` : id;
  const types: Readonly<Record<string, () => Attributes>> = {
    'AWS::SQS::Queue': () => named(`${endpoint}/${account}/${queue}`, arn('sqs', queue), { QueueName: queue }),
    'AWS::DynamoDB::GlobalTable': () => ({ Arn: arn('dynamodb', `table/${place.chosen[id]?.['Ref']}`) }),
    'AWS::Lambda::Function': () => named(id, arn('lambda', `function:${id}`)),
    'AWS::Lambda::Url': () => ({ Ref: id, FunctionUrl: place.functionUrls }),
    // A part of the host's name.
    'AWS::ApiGatewayV2::Api': () => ({ Ref: id.toLowerCase() }),
    'AWS::IAM::Role': () => named(id, arn('iam', `role/${id}`, '')),
    'AWS::Logs::LogGroup': () => named(id, arn('logs', `log-group:${id}:*`)),
    'AWS::Events::Rule': () => named(id, arn('events', `rule/${id}`)),
    'AWS::Scheduler::Schedule': () => named(id, arn('scheduler', `schedule/default/${id}`)),
  };
  const value = place.chosen[id]?.[attribute] ?? (types[Type]?.() ?? { Ref: id })[attribute];
  if (value === undefined) throw new Error(`${id}: ${attribute} of ${Type} is not known here: add it to names.ts`);
  return value;
}
