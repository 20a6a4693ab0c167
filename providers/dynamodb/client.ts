import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

export interface ClientOptions {
  /** Default: the environment's, as for every AWS client. */
  readonly region?: string;
  /** Another endpoint than the region's own: DynamoDB Local, or an interface endpoint. */
  readonly endpoint?: string;
}

/**
 * A client whose calls end in seconds: a Lambda function that waits for a lost connection does nothing else.
 * An endpoint on this machine is DynamoDB Local, which wants credentials but does not look at them.
 */
export function createDynamoDbClient({ region, endpoint }: ClientOptions = {}): DynamoDBClient {
  const local = endpoint !== undefined && LOOPBACK.has(new URL(endpoint).hostname);
  return new DynamoDBClient({
    maxAttempts: 5,
    // Without `throwOnRequestTimeout` a late answer is only warned about. DynamoDB Local has its pauses.
    requestHandler: {
      connectionTimeout: local ? 30_000 : 3_000,
      requestTimeout: local ? 30_000 : 5_000,
      throwOnRequestTimeout: true,
    },
    ...(region === undefined ? {} : { region }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(local ? { region: region ?? 'local', credentials: { accessKeyId: 'local', secretAccessKey: 'local' } } : {}),
  });
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
