import { itemAt } from '@outrigger/core/model/values/existing.ts';
import { SQSClient } from '@aws-sdk/client-sqs';
import * as z from 'zod';
import { EVENT_SOURCE, type Message } from '@outrigger/core/model/message.ts';
import type { Messages } from '@outrigger/core/ports/messages.ts';
import { writeMessage } from '../schema/message.ts';
import { type ConnectionSource, createSignedCall, readAnswer } from './api/signed-call.ts';
import { chunksOf } from '@outrigger/core/model/values/chunks.ts';

/** EventBridge's limit of entries in a request. */
const MOST_ENTRIES = 10;

const HEADERS = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': 'AWSEvents.PutEvents' };

const answer = z.object({
  Entries: z.array(z.object({ ErrorCode: z.string().nullish(), ErrorMessage: z.string().nullish() })),
});

/** An evaluation waits for the answer: a bus that does not answer must not hold it up for long. */
const TIMEOUT_MS = 1_500;

const quickClient = (): SQSClient =>
  new SQSClient({
    requestHandler: { requestTimeout: TIMEOUT_MS, connectionTimeout: 500, throwOnRequestTimeout: true },
  });

/**
 * Messages as events on a bus of EventBridge (`PutEvents`). Each request is made once: an answer that is lost leaves open whether
 * the events are accepted, and an event that is sent again would be delivered twice.
 *
 * @param arn of the event bus
 */
export function createEventBus(arn: string, client: ConnectionSource = quickClient()): Messages {
  const { AWS_ENDPOINT_URL_EVENTBRIDGE: own, AWS_ENDPOINT_URL: any } = process.env;
  const region = itemAt(arn.split(':'), 3);
  const call = createSignedCall(client, { service: 'events', region, endpoint: own ?? any, timeoutMs: TIMEOUT_MS });
  return {
    async send(messages, signal) {
      for (const some of chunksOf(messages, MOST_ENTRIES)) {
        const Entries = some.map((message) => entryOf(message, arn));
        const body = await call(
          { method: 'POST', path: '/', headers: HEADERS, body: JSON.stringify({ Entries }) },
          signal,
        );
        const refused = readAnswer(answer, body).Entries.filter(({ ErrorCode }) => ErrorCode != null);
        const [first] = refused;
        if (first !== undefined) {
          const { ErrorCode, ErrorMessage } = first;
          throw new Error(`${refused.length} of ${Entries.length} events were refused: ${ErrorCode}: ${ErrorMessage}`);
        }
      }
    },
  };
}

const entryOf = (message: Message, arn: string) => ({
  Source: EVENT_SOURCE,
  DetailType: message.kind,
  Detail: JSON.stringify(writeMessage(message)),
  EventBusName: arn,
  Time: Math.floor(message.time / 1_000),
});
