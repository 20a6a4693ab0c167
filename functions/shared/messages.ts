import type { Message } from '@outrigger/core/model/message.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { Services } from './services.ts';

/** Sends messages to the event bus, if there is one: not in a dry run. A message that is not accepted fails nothing else, and is lost. */
export async function sendMessages(
  { messages: bus, dryRun, log }: Pick<Services, 'messages' | 'dryRun' | 'log'>,
  cluster: ClusterName,
  messagesOf: () => readonly Message[],
  signal: AbortSignal,
): Promise<void> {
  if (bus === undefined || dryRun) {
    return;
  }
  try {
    const messages = messagesOf();
    if (messages.length > 0) {
      await bus.send(messages, signal);
    }
  } catch (error) {
    signal.throwIfAborted();
    log.warn(`${cluster}: messages could not be sent to the event bus`, { error });
  }
}
