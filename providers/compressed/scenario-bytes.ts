import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { brotliDecompress, constants, createBrotliCompress } from 'node:zlib';
import type { Scenario } from '@outrigger/core/model/scenario.ts';
import { parseStoredScenario } from '../schema/stored/scenario.ts';

const expand = promisify(brotliDecompress);

/** DynamoDB's limit of an item is 400 KB. */
const MAX_SCENARIO_BYTES = 350 * 1024;
/** Limit on the text before compression: the text of pods of a megabyte each is not worth the time. */
const MAX_TEXT = 64 * 1024 * 1024;
/** Scenario, kinds of objects, objects: each of these is a text. */
const DEPTH = 3;
/** Texts are given to the compressor in pieces of about this length. */
const PIECE = 64 * 1024;

/**
 * Annotations that decisions may read. The others have no effect, and hold what is not to be copied elsewhere: `kubectl
 * apply` writes whole manifests into one, with the values of environment variables.
 */
const READ_ANNOTATION = /^(?!kubectl\.)(?:[a-z0-9.-]+\.)?(?:kubernetes\.io|outrigger\.dev|karpenter\.sh)\//;

/**
 * A scenario as it is stored: JSON with every value as the core has it (times in milliseconds), but for annotations that no
 * decision reads, compressed by Brotli. Of the
 * compressors that every supported Node.js has it makes the smallest items: 30 pods on each of 100 nodes are 152 KB, by
 * gzip 186 KB, in 20 ms either way. Never the whole text is in memory.
 *
 * @returns `null` where it would be too large for an item
 */
export async function writeScenarioBytes(scenario: Scenario, most = MAX_SCENARIO_BYTES): Promise<Uint8Array | null> {
  const compressor = createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
  const source = Readable.from(pieces(scenario));
  const parts: Uint8Array[] = [];
  let bytes = 0;
  let fits = true;
  source.on('error', (error) => compressor.destroy(error));
  for await (const part of source.pipe(compressor) as AsyncIterable<Uint8Array>) {
    bytes += part.byteLength;
    parts.push(part);
    if (bytes > most || compressor.bytesWritten > MAX_TEXT) {
      fits = false;
      break;
    }
  }
  source.destroy();
  return fits ? Buffer.concat(parts) : null;
}

/** The scenario that was written. Rejects where it is not one. */
export async function readScenarioBytes(bytes: Uint8Array): Promise<Scenario> {
  const text = await expand(bytes, { maxOutputLength: 2 * MAX_TEXT });
  return parseStoredScenario(JSON.parse(text.toString('utf8')));
}

/** The scenario's JSON, in pieces. */
function* pieces(scenario: Scenario): Generator<string> {
  let piece = '';
  for (const text of texts(scenario, DEPTH)) {
    piece += text;
    if (piece.length >= PIECE) {
      yield piece;
      piece = '';
    }
  }
  yield piece;
}

type Write = (value: unknown) => string;

const write: Write = (value) => JSON.stringify(value) ?? 'null';

/** Without annotations that are not read. Most have none at all. */
const writeRead: Write = (value) => {
  const text = write(value);
  return text.includes('"annotations":{"') ? JSON.stringify(value, withReadAnnotations) : text;
};

function withReadAnnotations(name: string, value: unknown): unknown {
  if (name === 'annotations' && typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).filter(([key]) => READ_ANNOTATION.test(key)));
  }
  return value;
}

/**
 * The output of `JSON.stringify` for a value, in parts down to some depth, and without annotations that are not read.
 * The state, which is part of the decision, is as it is: evicted pods have those alone.
 */
function* texts(value: unknown, depth: number, writeLeaf = writeRead): Generator<string> {
  if (depth === 0 || typeof value !== 'object' || value === null) {
    yield writeLeaf(value);
  } else if (Array.isArray(value)) {
    yield '[';
    for (const [index, entry] of value.entries()) {
      yield index === 0 ? '' : ',';
      yield* texts(entry, depth - 1, writeLeaf);
    }
    yield ']';
  } else {
    let separator = '{';
    for (const [name, entry] of Object.entries(value)) {
      if (entry !== undefined) {
        yield `${separator}${JSON.stringify(name)}:`;
        yield* texts(entry, depth - 1, name === 'state' && depth === DEPTH ? write : writeLeaf);
        separator = ',';
      }
    }
    yield separator === '{' ? '{}' : '}';
  }
}
