import { present } from '@outrigger/core/model/values/present.ts';
import { GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3';
import type { SnapshotStore } from '@outrigger/core/ports/snapshot-store.ts';

export interface BucketPlace {
  readonly region: string;
  readonly bucket: string;
  /** Prefix of the keys of the objects. */
  readonly prefix: string;
  /** A local emulator. Absent: AWS. */
  readonly endpoint?: string;
}

/**
 * Few attempts and short time-outs: without a snapshot lists are read in full, and where the bucket is out of reach (a VPC without
 * an endpoint for S3) no evaluation is to wait for it.
 */
const CLIENT = {
  maxAttempts: 2,
  requestHandler: { connectionTimeout: 1_000, requestTimeout: 5_000, throwOnRequestTimeout: true },
} as const;

/** Snapshots in an S3 bucket. Made without I/O; the client lives as long as the process. */
export function s3Snapshots({ region, bucket, prefix, endpoint }: BucketPlace): SnapshotStore {
  const client = new S3Client({ region, ...CLIENT, ...present({ endpoint }), forcePathStyle: endpoint !== undefined });
  const placeOf = (name: string): string => `s3://${bucket}/${prefix}${name}`;
  return {
    placeOf,
    async load(name, mostBytes, signal) {
      try {
        const { Body, ContentLength } = await client.send(
          new GetObjectCommand({ Bucket: bucket, Key: `${prefix}${name}` }),
          { abortSignal: signal },
        );
        if (Body === undefined) {
          return null;
        }
        return await bounded(Body as AsyncIterable<Uint8Array>, ContentLength ?? 0, mostBytes, signal);
      } catch (error) {
        if (error instanceof Error && error.name === 'NoSuchKey') {
          return null;
        }
        throw error;
      }
    },
    async save(name, bytes, signal) {
      await client.send(
        new PutObjectCommand({
          Bucket: bucket,
          Key: `${prefix}${name}`,
          Body: bytes,
          ContentType: 'application/octet-stream',
        }),
        { abortSignal: signal },
      );
    },
  };
}

/** Reads a body up to this length, whatever its stated length. */
async function bounded(
  body: AsyncIterable<Uint8Array>,
  said: number,
  mostBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  // The loop is left by an error, too, which destroys the stream.
  for await (const chunk of body) {
    signal.throwIfAborted();
    length += chunk.length;
    if (Math.max(said, length) > mostBytes) {
      throw new Error(`it has ${Math.max(said, length)} bytes, and at most ${mostBytes} are read`);
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, length);
}
