import { randomBytes } from 'node:crypto';
import { signatureOf } from './gateway.ts';
import type { Attributes } from './names.ts';
import { resourcesOf, type Template } from './synthesize.ts';

export interface Emulators {
  readonly region: string;
  readonly moto: string;
  readonly dynamodb: string;
}

/** A call as an administrator, past the gateway. */
export type Administer = (service: string, target: string, input: object) => Promise<Readonly<Record<string, unknown>>>;

export function administrator({ region, moto, dynamodb }: Emulators): Administer {
  return async (service, target, input) => {
    const response = await fetch(service === 'dynamodb' ? dynamodb : moto, {
      method: 'POST',
      headers: {
        authorization: signatureOf('administrator', region, service),
        'content-type': 'application/x-amz-json-1.0',
        'x-amz-target': target,
      },
      body: JSON.stringify(input),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(`${target}: ${response.status} ${answer}`);
    return answer === '' ? {} : (JSON.parse(answer) as Readonly<Record<string, unknown>>);
  };
}

/** Makes the tables and the secrets of a template, which is told what AWS chose for them: of tables the name, too. */
export async function createStorage(
  template: Template,
  stack: string,
  administer: Administer,
): Promise<Record<string, Attributes>> {
  const chosen: Record<string, Attributes> = {};
  for (const [id, { Properties = {} }] of resourcesOf(template, 'AWS::DynamoDB::GlobalTable')) {
    const { AttributeDefinitions, KeySchema, BillingMode, StreamSpecification, TimeToLiveSpecification } = Properties;
    const [{ DeletionProtectionEnabled } = {}] = Properties['Replicas'] as readonly Readonly<Record<string, unknown>>[];
    const TableName = `${stack}-${id}-${randomBytes(6).toString('hex').toUpperCase()}`;
    const table = { TableName, AttributeDefinitions, KeySchema, BillingMode, DeletionProtectionEnabled };
    const stream =
      StreamSpecification === undefined ? {} : { StreamSpecification: { StreamEnabled: true, ...StreamSpecification } };
    const { TableDescription } = await administer('dynamodb', 'DynamoDB_20120810.CreateTable', { ...table, ...stream });
    chosen[id] = { Ref: TableName, StreamArn: String((TableDescription as Attributes)['LatestStreamArn']) };
    if (TimeToLiveSpecification !== undefined)
      await administer('dynamodb', 'DynamoDB_20120810.UpdateTimeToLive', { TableName, TimeToLiveSpecification });
  }
  for (const [id, { Properties = {} }] of resourcesOf(template, 'AWS::SecretsManager::Secret')) {
    const { GenerateSecretString } = Properties as {
      readonly GenerateSecretString: { readonly PasswordLength: number };
    };
    const SecretString = 'x1'.repeat(GenerateSecretString.PasswordLength / 2);
    const { ARN } = await administer('secretsmanager', 'secretsmanager.CreateSecret', { Name: id, SecretString });
    chosen[id] = { Ref: String(ARN) };
  }
  return chosen;
}

/** Creates the queues, the dead-letter queues first. */
export async function createQueues(
  template: Template,
  resolve: (value: unknown) => unknown,
  administer: Administer,
): Promise<void> {
  const queues = resourcesOf(template, 'AWS::SQS::Queue').map(([, { Properties = {} }], index) => ({
    Properties,
    index,
  }));
  const names = resourcesOf(template, 'AWS::SQS::Queue').map(([id]) =>
    String(resolve({ 'Fn::GetAtt': [id, 'QueueName'] })),
  );
  const deadLettersFirst = queues.toSorted(
    (a, b) => Number('RedrivePolicy' in a.Properties) - Number('RedrivePolicy' in b.Properties),
  );
  for (const { Properties, index } of deadLettersFirst) {
    const attributes = Object.entries(resolve(Properties) as Readonly<Record<string, unknown>>)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
    await administer('sqs', 'AmazonSQS.CreateQueue', {
      QueueName: names[index],
      Attributes: Object.fromEntries(attributes),
    });
  }
}

/** Deletes what the two above have made, but for what outlives the stack: its tables. */
export async function deleteStorage(
  template: Template,
  resolve: (value: unknown) => unknown,
  administer: Administer,
): Promise<void> {
  await deleteQueues(template, resolve, administer);
  for (const [SecretId] of resourcesOf(template, 'AWS::SecretsManager::Secret'))
    await administer('secretsmanager', 'secretsmanager.DeleteSecret', { SecretId, ForceDeleteWithoutRecovery: true });
}

export async function deleteQueues(
  template: Template,
  resolve: (value: unknown) => unknown,
  administer: Administer,
): Promise<void> {
  for (const [id] of resourcesOf(template, 'AWS::SQS::Queue'))
    await administer('sqs', 'AmazonSQS.DeleteQueue', { QueueUrl: resolve({ Ref: id }) });
}

/** Deletes the tables that stacks of this name have left. */
export async function deleteTables(stack: string, administer: Administer): Promise<void> {
  const { TableNames } = await administer('dynamodb', 'DynamoDB_20120810.ListTables', {});
  for (const TableName of TableNames as readonly string[]) {
    if (!TableName.startsWith(`${stack}-Table`)) continue;
    await administer('dynamodb', 'DynamoDB_20120810.UpdateTable', { TableName, DeletionProtectionEnabled: false });
    await administer('dynamodb', 'DynamoDB_20120810.DeleteTable', { TableName });
  }
}
