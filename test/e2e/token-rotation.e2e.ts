import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CreateQueueCommand, DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { expect, onTestFinished, test } from 'vitest';
import { WINDOW_MS } from '../../core/wakeups/wake-up.ts';
import { hashOfToken, newToken } from '../../providers/kubernetes/webhook-token.ts';
import { reviewOf } from './flood/hostile-calls.ts';
import { type IngestSandbox, startIngest } from './flood/ingest-sandbox.ts';
import { region, testCredentials } from './servers/aws-clients.ts';
import { buildBundles } from './template/ground.ts';
import { serverSet } from './server-set.ts';

const CLUSTER = 'rotation';
const bundles = await buildBundles();
/**
 * A deployment replaces sandboxes one by one, and API servers hear of a webhook one by one: for so many notifications both are
 * in use, and for so many neither is new.
 */
const MEANWHILE = 8;

const windowOf = (ms: number): number => Math.floor(ms / WINDOW_MS);

/** A queue of this test's own. */
async function openQueue() {
  const sqs = new SQSClient({ endpoint: serverSet.awsEndpoint, region, credentials: testCredentials });
  onTestFinished(() => sqs.destroy());
  const name = `rotation-${process.pid}.fifo`;
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: name, Attributes: { FifoQueue: 'true' } }));
  return {
    url: QueueUrl!,
    /** Takes all messages, and gives the windows that they stand for. */
    async windows(): Promise<ReadonlySet<number>> {
      const windows = new Set<number>();
      for (;;) {
        const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
        if (Messages.length === 0) {
          return windows;
        }
        for (const { Body, ReceiptHandle } of Messages) {
          windows.add(windowOf(Date.parse((JSON.parse(Body!) as { readonly at: string }).at)));
          await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
        }
      }
    },
  };
}

/** Starts one deployment of the function. */
async function deployed(queueUrl: string, ...tokens: readonly string[]): Promise<IngestSandbox> {
  const sandbox = await startIngest({
    code: path.join(bundles, 'ingest'),
    environment: {
      OUTRIGGER_CLUSTER: CLUSTER,
      OUTRIGGER_QUEUE_URL: queueUrl,
      OUTRIGGER_TOKEN_HASHES: tokens.map(hashOfToken).join(','),
    },
    credentials: {
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: testCredentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: testCredentials.secretAccessKey,
      AWS_ENDPOINT_URL: serverSet.awsEndpoint,
    },
  });
  onTestFinished(() => sandbox.stop());
  return sandbox;
}

test('a token is rotated while notifications come, and none of them is lost', async () => {
  const queue = await openQueue();
  const [older, newer] = [newToken(), newToken()] as const;
  const calls: { readonly from: number; readonly to: number }[] = [];
  const inUse = { sandboxes: [await deployed(queue.url, older)], tokens: [older] };
  const notify = async (sandbox: IngestSandbox, token: string): Promise<void> => {
    const from = windowOf(Date.now());
    await sandbox.call({ path: `/${token}/${CLUSTER}`, body: reviewOf(randomUUID()) });
    calls.push({ from, to: windowOf(Date.now()) });
  };
  const end = new AbortController();
  const notifications = (async () => {
    for (let count = 0; !end.signal.aborted; count += 1) {
      const { sandboxes, tokens } = inUse;
      // Each token that an API server may have meets each sandbox that may answer.
      await notify(sandboxes[count % sandboxes.length]!, tokens[Math.floor(count / 2) % tokens.length]!);
      await delay(40);
    }
  })();
  const meanwhile = async (): Promise<void> => {
    // A call may be under way.
    const enough = calls.length + MEANWHILE + 1;
    while (calls.length < enough) {
      await Promise.race([delay(10), notifications]);
    }
  };
  const redeploy = async (...tokens: readonly string[]): Promise<void> => {
    const next = await deployed(queue.url, ...tokens);
    inUse.sandboxes = [...inUse.sandboxes, next];
    await meanwhile();
    inUse.sandboxes = [next];
    await meanwhile();
  };

  await meanwhile();
  await redeploy(newer, older);
  inUse.tokens = [older, newer];
  await meanwhile();
  inUse.tokens = [newer];
  await redeploy(newer);
  end.abort();
  await notifications;

  const woken = [...(await queue.windows())];
  // A slow call is in more windows than two.
  const isLost = ({ from, to }: (typeof calls)[number]): boolean => !woken.some((at) => from <= at && at <= to);
  expect(calls.filter(isLost)).toEqual([]);
  const [last] = inUse.sandboxes;
  await notify(last!, older);
  expect([...(await queue.windows())]).toEqual([]);
});
