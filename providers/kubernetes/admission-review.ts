import * as z from 'zod';

/**
 * Larger bodies are not parsed. The review of a scheduler's event has 3 to 6 KB: its message is 1 KB at most, an update
 * holds it twice, and each copy has its managed fields.
 */
export const MAX_BODY_BYTES = 64 * 1024;

/** The used parts of an AdmissionReview: the event object in it is of no concern. */
export interface Review {
  readonly uid: string;
  readonly dryRun: boolean;
}

export type ReviewOutcome =
  | { readonly kind: 'review'; readonly review: Review }
  | { readonly kind: 'unreadable'; readonly reason: string };

const AdmissionReview = z.object({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request: z.object({
    uid: z.string().min(1).max(128),
    dryRun: z.boolean().nullish(),
  }),
});

/** Reads the body of a call, which a function URL may have encoded as base64. Never throws. */
export function readReview(body: string | undefined, isBase64Encoded: boolean): ReviewOutcome {
  if (body === undefined || body === '') {
    return { kind: 'unreadable', reason: 'the body is empty' };
  }
  const bytes = isBase64Encoded ? Math.floor((body.length * 3) / 4) : Buffer.byteLength(body);
  if (bytes > MAX_BODY_BYTES) {
    return { kind: 'unreadable', reason: `the body has more than ${MAX_BODY_BYTES} bytes` };
  }
  let json: unknown;
  try {
    json = JSON.parse(isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body);
  } catch {
    return { kind: 'unreadable', reason: 'the body is not JSON' };
  }
  const parsed = AdmissionReview.safeParse(json);
  return parsed.success
    ? {
        kind: 'review',
        review: { uid: parsed.data.request.uid, dryRun: parsed.data.request.dryRun ?? false },
      }
    : { kind: 'unreadable', reason: 'the body is not an AdmissionReview of admission.k8s.io/v1' };
}

/** Is a call about a node? Found like the uid, for a node with its images may be too large to be parsed. */
export const isAboutNode = (body: string | undefined, isBase64Encoded: boolean): boolean =>
  NODE.test(beginningOf(body, isBase64Encoded));

/** The kind comes after the uid. */
const NODE =
  /"uid"\s{0,8}:\s{0,8}"[\w.-]{1,128}"\s{0,8},\s{0,8}"kind"\s{0,8}:\s{0,8}\{[^{}]{0,128}"kind"\s{0,8}:\s{0,8}"Node"/;

/** The uid comes first in a request, and the request after the two fields that every object begins with. */
const UID = /"request"\s{0,8}:\s{0,8}\{\s{0,8}"uid"\s{0,8}:\s{0,8}"(?<uid>[\w.-]{1,128})"/;
const BEGINNING = 512;

/**
 * The uid of a review that is not parsed, taken from where API servers write it; '' when it is not there. An answer
 * without the right uid counts as a failed call, which an API server logs and ignores here.
 */
export function uidAtBeginning(body: string | undefined, isBase64Encoded: boolean): string {
  return UID.exec(beginningOf(body, isBase64Encoded))?.groups?.['uid'] ?? '';
}

function beginningOf(body: string | undefined, isBase64Encoded: boolean): string {
  const beginning = (body ?? '').slice(0, BEGINNING);
  return isBase64Encoded ? Buffer.from(beginning, 'base64').toString('latin1') : beginning;
}
