import * as z from 'zod';

/** Larger bodies are not parsed. etcd takes objects of 1.5 MB; an update's review holds two of them. */
export const MAX_BODY_BYTES = 3 * 1024 * 1024;

/** What is used of an AdmissionReview: the event object in it is of no concern. */
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
    return { kind: 'unreadable', reason: `the body has ${bytes} bytes, more than ${MAX_BODY_BYTES}` };
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
    : { kind: 'unreadable', reason: `the body is not an AdmissionReview: ${z.prettifyError(parsed.error)}` };
}
