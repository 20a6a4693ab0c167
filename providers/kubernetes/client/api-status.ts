import { looseFields, looseList, looseText } from '../../manifest/fields.ts';
import { JSON_TYPE } from './api-request.ts';
import { PROTOBUF, openEnvelope } from '../protobuf/envelope.ts';
import { decodeMessage, int, listField, message, nested, text } from '../protobuf/message.ts';

/** The used fields of a `metav1.Status`, with which an API server refuses a request. */
export interface ApiStatus {
  /** `NotFound`, `Expired`, `TooManyRequests` …; `''` when the body was not a Status. */
  readonly reason: string;
  readonly message: string;
  readonly retryAfterSeconds: number | null;
  /** The reasons of `details.causes`: `DisruptionBudget`, `NamespaceTerminating` … */
  readonly causes: readonly string[];
}

// k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto
const STATUS = message({
  message: text(3),
  reason: text(4),
  details: nested(5, message({ causes: listField(4, message({ reason: text(1) })), retryAfterSeconds: int(5) })),
});

/** Reads the body of a refusal in either encoding; plain text (`Unauthorized`, a proxy's page) becomes the message. */
export function readStatus(contentType: string, body: Buffer): ApiStatus {
  try {
    if (contentType === PROTOBUF) {
      return statusOf(decodeMessage(STATUS, openEnvelope(body).content));
    }
    if (contentType === JSON_TYPE) {
      return statusOf(JSON.parse(body.toString('utf8')));
    }
  } catch {
    // The HTTP status is enough to handle a refusal whose body cannot be read.
  }
  return { reason: '', message: excerpt(body), retryAfterSeconds: null, causes: [] };
}

function statusOf(raw: unknown): ApiStatus {
  const { reason, message: said, details } = looseFields(raw);
  const { retryAfterSeconds: seconds, causes } = looseFields(details);
  return {
    reason: looseText(reason),
    message: looseText(said),
    retryAfterSeconds: typeof seconds === 'number' && seconds > 0 ? seconds : null,
    causes: looseList(causes).map((cause) => looseText(looseFields(cause)['reason'])),
  };
}

/** The start of a body, printable and on one line. */
export function excerpt(body: Buffer): string {
  return body
    .toString('utf8', 0, 200)
    .replaceAll(/[^\x20-\x7e]+/g, ' ')
    .trim();
}
