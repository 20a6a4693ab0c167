import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import * as z from 'zod';

const compress = promisify(gzip);
const expand = promisify(gunzip);

/**
 * A JSON document inside an item: as text while it is small, so that the console shows the document, else gzipped. `aws
 * dynamodb get-item … | jq -r .Item.document.M.body.B | base64 -d | gunzip` shows the rest.
 */
export type Document =
  | { readonly encoding: 'json'; readonly body: string }
  | { readonly encoding: 'gzip'; readonly body: Uint8Array };

export const storedDocumentSchema: z.ZodType<Document> = z.discriminatedUnion('encoding', [
  z.object({ encoding: z.literal('json'), body: z.string() }),
  z.object({ encoding: z.literal('gzip'), body: z.instanceof(Uint8Array) }),
]);

/** Items are billed in whole KB, so compression saves nothing below this size. */
const COMPRESS_FROM_BYTES = 1024;
/** DynamoDB's limit of an item is 400 KB, attribute names included. */
export const MAX_DOCUMENT_BYTES = 350 * 1024;
/** Limit on the expanded document: V8's longest string is about twice as long. */
const MAX_EXPANDED_BYTES = 256 * 1024 * 1024;

export async function writeDocument(json: string): Promise<Document> {
  return Buffer.byteLength(json) < COMPRESS_FROM_BYTES
    ? { encoding: 'json', body: json }
    : { encoding: 'gzip', body: await compress(json) };
}

/** The document's text. Rejects where it is not in the form of `writeDocument`. */
export async function readStoredDocument({ encoding, body }: Document): Promise<string> {
  return encoding === 'json' ? body : (await expand(body, { maxOutputLength: MAX_EXPANDED_BYTES })).toString('utf8');
}

export const documentSize = ({ body }: Document): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength;
