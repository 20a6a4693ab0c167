import { createDynamoDbClient } from '../../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../../providers/dynamodb/drains.ts';
import { createDynamoDbHistory } from '../../../providers/dynamodb/history.ts';
import { createDynamoDbStore } from '../../../providers/dynamodb/store.ts';
import { evaluated, eventfulWorld } from '../../explained.ts';
import type { TestWorld } from '../../functions/test-world.ts';
import {
  type Answer,
  autoScalingError,
  autoScalingResult,
  type Call,
  jsonError,
  jsonResult,
  startWireServer,
  type WireServer,
} from '../../providers/aws/wire-server.ts';

const TABLE = 'Outrigger-web-Table0A1B2C3D-XYZ';

type Attribute = Readonly<Record<string, string>>;
type Item = Readonly<Record<string, Attribute>> & { readonly pk: Attribute; readonly sk: Attribute };
interface TableCall {
  readonly TableName: string;
  readonly Item?: Item;
  readonly Key?: Item;
  readonly TransactItems?: readonly { readonly Put?: { readonly Item: Item } }[];
  readonly FilterExpression?: string;
  readonly ScanIndexForward?: boolean;
  readonly ExpressionAttributeValues?: Readonly<Record<string, Attribute>>;
}

/** An account with the stack of cluster `web`, and its table, into which the functions have written. */
export interface StoredCluster {
  readonly server: WireServer;
  readonly table: string;
}

/**
 * Runs the functions against a table, behind a server that answers as CloudFormation and DynamoDB do. It ends with the
 * running test.
 */
export async function storedCluster(
  dryRun = false,
  play: (world: TestWorld) => Promise<void> = evaluated,
): Promise<StoredCluster> {
  const items = new Map<string, Item>();
  const server = await startWireServer((call) => answerAs(call, items));
  const client = createDynamoDbClient({ region: 'us-east-1', endpoint: server.endpoint });
  const failOn = (problem: object): never => {
    throw new Error(`unexpected: ${JSON.stringify(problem)}`);
  };
  const world = Object.assign(eventfulWorld({ dryRun }), {
    store: createDynamoDbStore({ client, table: TABLE, onQuarantine: failOn }),
    drains: createDynamoDbDrains({ client, table: TABLE, onUnreadable: failOn }),
    history: createDynamoDbHistory({ client, table: TABLE, onUnreadable: failOn, now: () => 0 }),
  });
  await play(world);
  client.destroy();
  return { server, table: TABLE };
}

function answerAs({ action, parameters, body }: Call, items: Map<string, Item>): Answer {
  if (action === 'ListStackResources') {
    return parameters.get('StackName') === 'Outrigger-web'
      ? autoScalingResult(action, {
          StackResourceSummaries: [
            {
              LogicalResourceId: 'Table0A1B2C3D',
              ResourceType: 'AWS::DynamoDB::GlobalTable',
              PhysicalResourceId: TABLE,
              ResourceStatus: 'CREATE_COMPLETE',
              LastUpdatedTimestamp: '2026-01-01T00:00:00Z',
            },
          ],
        })
      : autoScalingError(400, 'ValidationError', `Stack with id ${parameters.get('StackName')} does not exist`);
  }
  if (action === 'DescribeAutoScalingGroups') {
    return autoScalingResult(action, { AutoScalingGroups: [] });
  }
  const call = JSON.parse(body) as TableCall;
  if (call.TableName !== undefined && call.TableName !== TABLE) {
    return jsonError(400, 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException', 'no such table');
  }
  switch (action) {
    case 'DynamoDB_20120810.TransactWriteItems':
      call.TransactItems!.forEach(({ Put }) => Put !== undefined && put(Put.Item, items));
      return jsonResult({});
    case 'DynamoDB_20120810.PutItem':
      put(call.Item!, items);
      return jsonResult({});
    case 'DynamoDB_20120810.DeleteItem':
      items.delete(`${call.Key!.pk['S']} ${call.Key!.sk['S']}`);
      return jsonResult({});
    case 'DynamoDB_20120810.UpdateItem':
      return jsonResult({});
    case 'DynamoDB_20120810.GetItem': {
      const Item = items.get(`${call.Key!.pk['S']} ${call.Key!.sk['S']}`);
      return jsonResult(Item === undefined ? {} : { Item });
    }
    case 'DynamoDB_20120810.Query':
      return jsonResult({ Items: found(call, items) });
    default:
      throw new Error(`${action} is not answered`);
  }
}

const put = (item: Item, items: Map<string, Item>): unknown => items.set(`${item.pk['S']} ${item.sk['S']}`, item);

function found(call: TableCall, items: ReadonlyMap<string, Item>): readonly Item[] {
  const value = (name: string): string | undefined => call.ExpressionAttributeValues?.[name]?.['S'];
  const prefix = value(':prefix');
  const until = call.ExpressionAttributeValues?.[':until']?.['N'];
  const matching = [...items.values()]
    .filter(({ pk }) => pk['S'] === value(':pk'))
    .filter(({ sk }) =>
      prefix === undefined ? sk['S']! >= value(':first')! && sk['S']! <= value(':last')! : sk['S']!.startsWith(prefix),
    )
    .filter(({ evaluation }) => value(':of') === undefined || evaluation?.['S'] === value(':of'))
    .filter(({ at }) => until === undefined || Number(at!['N']) < Number(until))
    .toSorted((a, b) => (a.sk['S']! < b.sk['S']! ? -1 : 1));
  return call.ScanIndexForward === false ? matching.toReversed() : matching;
}
