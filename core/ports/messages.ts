import type { Message } from '../model/message.ts';

/** The event bus that messages are sent to. */
export interface Messages {
  /** @throws Error if any message was not accepted */
  send(messages: readonly Message[], signal?: AbortSignal): Promise<void>;
}
