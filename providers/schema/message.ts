import * as z from 'zod';
import { type Message, MESSAGE_KINDS } from '@outrigger/core/model/message.ts';
import { closed } from './document.ts';
import { API_VERSION, choice } from './names.ts';
import { time } from './time.ts';

const text = z.string();

/** The detail of an event on the event bus. */
export const messageDocument = closed({
  apiVersion: z.literal(API_VERSION),
  kind: choice(MESSAGE_KINDS).describe('the kind, which is the detail-type of the event, too'),
  id: text.describe('the same for the same occurrence: an event that is delivered twice has it twice'),
  cluster: text.describe('the name of the cluster'),
  time: time.describe('when it was decided, or the notice was received'),
  text: text.describe('a text for people, as events in the cluster and the log have it'),
  reason: text
    .optional()
    .describe(
      'for rules: why a group is in backoff, the kind of a notice, of a problem or of a removal, or what is paused; absent for ScaleUp',
    ),
  decision: z.int().optional().describe('the number of the decision in outrigger history; absent for Interruption'),
  group: text.optional().describe('the node group, if the event is about one'),
  node: text.optional().describe('the node, if the event is about one'),
  instance: text.optional().describe('the instance of an Interruption'),
  from: z.int().optional().describe('the size of the node group before a ScaleUp'),
  to: z.int().optional().describe('the size that it is to have'),
});

/** A message as it is sent. */
export const writeMessage = (message: Message): unknown =>
  z.encode(messageDocument, { apiVersion: API_VERSION, ...message });
