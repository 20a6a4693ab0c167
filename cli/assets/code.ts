import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { err, ok, type Result } from '@outrigger/core/model/values/result.ts';
import { callFailed } from '@outrigger/providers/aws/api/call-problem.ts';

/** The code of a function, by the name that the template of the release has for it. */
export interface CodeArchive {
  readonly name: string;
  readonly content: Buffer;
}

const LINE = /^([0-9a-f]{64}) {2}functions\/([0-9a-f]{64}\.zip)$/gm;

/** Reads the code in the folder of a release, and compares each file with its checksum. */
export function readCode(folder: string): Result<readonly CodeArchive[], string> {
  try {
    const listed = [...readFileSync(path.join(folder, 'SHA256SUMS'), 'utf8').matchAll(LINE)];
    const archives = listed.map(([, sum = '', name = '']) => {
      const content = readFileSync(path.join(folder, 'functions', name));
      return { name, content, isWhole: createHash('sha256').update(content).digest('hex') === sum };
    });
    const broken = archives.filter(({ isWhole }) => !isWhole).map(({ name }) => `functions/${name}`);
    if (archives.length === 0) {
      return err(`${folder} is not a whole release: SHA256SUMS names no code`);
    }
    if (broken.length > 0) {
      return err(`${folder} is not a whole release: SHA256SUMS has another checksum of ${broken.join(', ')}`);
    }
    return ok(archives);
  } catch (error) {
    return err(`${folder} is not a whole release: ${(error as Error).message}`);
  }
}

/** Copies an archive to a bucket, unless its object exists: names are hashes of the content. */
export async function copyArchive(
  client: S3Client,
  { bucket, prefix }: { readonly bucket: string; readonly prefix: string },
  { name, content }: CodeArchive,
): Promise<'copied' | 'exists'> {
  try {
    await client.send(
      new PutObjectCommand({ Bucket: bucket, Key: `${prefix}${name}`, Body: content, IfNoneMatch: '*' }),
    );
    return 'copied';
  } catch (error) {
    if ((error as Error).name === 'PreconditionFailed') {
      return 'exists';
    }
    throw callFailed(`PutObject of s3://${bucket}/${prefix}${name}`, error);
  }
}
