import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Answer, type Call, startWireServer } from '../../providers/aws/wire-server.ts';
import { inEmptyFolder } from '../in-empty-folder.ts';
import { outrigger } from '../outrigger.ts';

const { folder } = inEmptyFolder();

const NAMES = ['a', 'b'].map((letter) => `${letter.repeat(64)}.zip`);
const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const contentOf = (name: string): string => `the code in ${name}`;

beforeEach(() => {
  mkdirSync(path.join(folder(), 'functions'));
  NAMES.forEach((name) => writeFileSync(path.join(folder(), 'functions', name), contentOf(name)));
  const sums = NAMES.map((name) => `${sumOf(contentOf(name))}  functions/${name}\n`);
  writeFileSync(path.join(folder(), 'SHA256SUMS'), [...sums, `${sumOf('')}  template.json\n`].join(''));
});

async function run(answer: (call: Call) => Answer, ...args: readonly string[]) {
  const { endpoint, calls } = await startWireServer(answer);
  const environment = {
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_REGION: 'eu-west-1',
  };
  const ended = await outrigger(['assets', ...args], { folder: folder(), environment });
  return { ...ended, calls };
}

const WRITTEN: Answer = { status: 200, body: '' };
const refusal = (status: number, code: string): Answer => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>because</Message></Error>`,
});

describe('outrigger assets', () => {
  it('copies the code of a release to a bucket, but for what the bucket has', async () => {
    const answer = ({ action }: Call): Answer =>
      action.includes('aaaa') ? refusal(412, 'PreconditionFailed') : WRITTEN;
    const { code, stdout, stderr, calls } = await run(answer, '--bucket', 'mine', '--prefix', 'outrigger/');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      `exists  s3://mine/outrigger/${NAMES[0]}`,
      `copied  s3://mine/outrigger/${NAMES[1]}`,
      'Parameters of template.json: CodeBucket=mine CodePrefix=outrigger/',
      '',
    ]);
    expect(calls.map(({ action }) => action.split('?')[0])).toEqual(NAMES.map((name) => `PUT /mine/outrigger/${name}`));
    expect(calls[1]?.body).toContain(contentOf(NAMES[1]!));
  });

  it('says why the bucket refuses it', async () => {
    const { code, stderr, calls } = await run(() => refusal(403, 'AccessDenied'), '--bucket', 'mine');
    expect({ code, calls: calls.length }).toEqual({ code: 1, calls: 1 });
    expect(stderr).toMatch(/^error: PutObject of s3:\/\/mine\/a{64}\.zip .*AccessDenied.*\n$/);
  });

  it.each([
    [
      'is changed',
      (at: string) => writeFileSync(path.join(at, 'functions', NAMES[1]!), 'other'),
      /another checksum of functions\/b+\.zip/,
    ],
    ['has no checksums', (at: string) => writeFileSync(path.join(at, 'SHA256SUMS'), ''), /names no code/],
  ])('copies nothing of a release that %s', async (_, change, complaint) => {
    change(folder());
    const { code, stderr, calls } = await run(() => WRITTEN, '--bucket', 'mine', folder());
    expect({ code, calls }).toEqual({ code: 2, calls: [] });
    expect(stderr).toMatch(complaint);
  });

  it('refuses a folder that is no release, and a prefix without a slash', async () => {
    const elsewhere = await run(() => WRITTEN, '--bucket', 'mine', 'functions');
    expect(elsewhere).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('functions is not a whole release') as string,
    });
    const prefix = await run(() => WRITTEN, '--bucket', 'mine', '--prefix', 'outrigger');
    expect(prefix).toMatchObject({ code: 2, stderr: expect.stringContaining('with a slash at the end') as string });
  });
});
