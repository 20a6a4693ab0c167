import { present } from '@outrigger/core/model/values/present.ts';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

interface ClientOptions {
  /** Default: that of the environment, as for every AWS client. */
  readonly region?: string;
  /** An endpoint instead of the region's default: DynamoDB Local, or an interface endpoint. */
  readonly endpoint?: string;
}

/**
 * A client whose calls end in seconds, because a Lambda function is blocked while it waits for a lost connection. An
 * endpoint on localhost is DynamoDB Local, which requires credentials but does not check them.
 */
export function createDynamoDbClient({ region, endpoint }: ClientOptions = {}): DynamoDBClient {
  const local = endpoint !== undefined && LOOPBACK.has(new URL(endpoint).hostname);
  return new DynamoDBClient({
    maxAttempts: 5,
    // Without `throwOnRequestTimeout` the SDK only warns of a late response. DynamoDB Local pauses at times.
    requestHandler: {
      connectionTimeout: local ? 30_000 : 3_000,
      requestTimeout: local ? 30_000 : 5_000,
      throwOnRequestTimeout: true,
    },
    ...present({
      region: region ?? (local ? 'local' : null),
      endpoint,
      credentials: local ? { accessKeyId: 'local', secretAccessKey: 'local' } : null,
    }),
  });
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
