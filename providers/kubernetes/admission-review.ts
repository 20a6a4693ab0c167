import * as z from 'zod';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';

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

const AdmissionReview = z.object({
  apiVersion: z.literal('admission.k8s.io/v1'),
  kind: z.literal('AdmissionReview'),
  request: z.object({
    uid: z.string().min(1).max(128),
    dryRun: z.boolean().nullish(),
  }),
});

/** Reads the body of a call, which a function URL may have encoded as base64. Never throws. @returns an error in words */
export function readReview(body: string | undefined, isBase64Encoded: boolean): Result<Review, string> {
  if (body === undefined || body === '') {
    return err('the body is empty');
  }
  const bytes = isBase64Encoded ? Math.floor((body.length * 3) / 4) : Buffer.byteLength(body);
  if (bytes > MAX_BODY_BYTES) {
    return err(`the body has more than ${MAX_BODY_BYTES} bytes`);
  }
  let json: unknown;
  try {
    json = JSON.parse(textOf(body, isBase64Encoded));
  } catch {
    return err('the body is not JSON');
  }
  const { data } = AdmissionReview.safeParse(json);
  if (data === undefined) {
    return err('the body is not an AdmissionReview of admission.k8s.io/v1');
  }
  return ok({ uid: data.request.uid, dryRun: data.request.dryRun ?? false });
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

const beginningOf = (body: string | undefined, isBase64Encoded: boolean): string =>
  textOf((body ?? '').slice(0, BEGINNING), isBase64Encoded);

const textOf = (body: string, isBase64Encoded: boolean): string =>
  isBase64Encoded ? Buffer.from(body, 'base64').toString('utf8') : body;
