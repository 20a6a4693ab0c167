import { EKSClient } from '@aws-sdk/client-eks';
import { describe, expect, it } from 'vitest';
import { type EksTokenOptions, createEksToken, eksTokens } from '../../../../providers/kubernetes/auth/eks-token.ts';

const CREDENTIALS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };

const options: EksTokenOptions = {
  cluster: 'harbour',
  region: 'eu-central-1',
  dnsSuffix: 'amazonaws.com',
  credentials: () => Promise.resolve(CREDENTIALS),
  sha256: new EKSClient({ region: 'eu-central-1' }).config.sha256,
  now: () => new Date('2026-01-02T03:04:05Z'),
};

const urlIn = (token: string): URL => new URL(Buffer.from(token.replace('k8s-aws-v1.', ''), 'base64url').toString());

const signature = async (cluster: string) =>
  urlIn(await createEksToken({ ...options, cluster }, options.now())).searchParams.get('X-Amz-Signature');

function clock() {
  let now = Date.parse('2026-01-02T03:04:05Z');
  return { now: () => new Date(now), pass: (minutes: number) => void (now += minutes * 60_000) };
}

describe('an EKS token', () => {
  // Made with botocore 1.43 (as `aws eks get-token` does) from the same keys, cluster, region and date.
  it('is byte for byte what the AWS command line makes', async () => {
    expect(await createEksToken(options, options.now())).toBe(
      'k8s-aws-v1.aHR0cHM6Ly9zdHMuZXUtY2VudHJhbC0xLmFtYXpvbmF3cy5jb20vP0FjdGlvbj1HZXRDYWxsZXJJZGVudGl0eSZWZXJzaW9uPTIwMTEtMDYtMTUmWC1BbXotQWxnb3JpdGhtPUFXUzQtSE1BQy1TSEEyNTYmWC1BbXotQ3JlZGVudGlhbD1BS0lERVhBTVBMRSUyRjIwMjYwMTAyJTJGZXUtY2VudHJhbC0xJTJGc3RzJTJGYXdzNF9yZXF1ZXN0JlgtQW16LURhdGU9MjAyNjAxMDJUMDMwNDA1WiZYLUFtei1FeHBpcmVzPTYwJlgtQW16LVNpZ25lZEhlYWRlcnM9aG9zdCUzQngtazhzLWF3cy1pZCZYLUFtei1TaWduYXR1cmU9ZTkzYzA1ZTZhMTZiYWQ0ZDlkYjU0YWMyYzgwNDBhMjc4ODQ0OTExNDg0NzJkYmZmNzc3MzYxMDQ2MzQwMjE0YQ',
    );
  });

  it('of a role’s temporary keys carries and signs their session token', async () => {
    const sessionToken = 'FwoGZXIvYXdzEXAMPLE//token+with=signs';
    const token = await createEksToken(
      {
        ...options,
        region: 'cn-north-1',
        dnsSuffix: 'amazonaws.com.cn',
        credentials: () => Promise.resolve({ ...CREDENTIALS, sessionToken }),
      },
      options.now(),
    );
    const url = urlIn(token);
    expect(url.host).toBe('sts.cn-north-1.amazonaws.com.cn');
    expect(url.searchParams.get('X-Amz-Security-Token')).toBe(sessionToken);
    // As botocore signs it.
    expect(url.searchParams.get('X-Amz-Signature')).toBe(
      '1da30b0546159957d92e713ed7c2af3a3622748744a5efc35b0de4c8ddd9cf35',
    );
  });

  it('is good for one cluster only', async () => {
    expect(await signature('harbour')).not.toBe(await signature('quay'));
  });
});

describe('EKS tokens', () => {
  it('are renewed after 14 minutes, before they expire', async () => {
    const { now, pass } = clock();
    const token = eksTokens({ ...options, now });
    const first = await token(false);
    pass(13.9);
    expect(await token(false)).toBe(first);
    pass(0.1);
    const second = await token(false);
    expect(second).not.toBe(first);
    expect(urlIn(second).searchParams.get('X-Amz-Date')).toBe('20260102T031805Z');
  });

  it('are renewed when the server refused one', async () => {
    const { now, pass } = clock();
    const token = eksTokens({ ...options, now });
    const first = await token(false);
    pass(1);
    expect(await token(true)).not.toBe(first);
  });

  it('do not remember that there were no credentials for a moment', async () => {
    let tries = 0;
    const token = eksTokens({
      ...options,
      credentials: () =>
        ++tries === 1 ? Promise.reject(new Error('no credentials yet')) : Promise.resolve(CREDENTIALS),
    });
    await expect(token(false)).rejects.toThrow('no credentials yet');
    expect(await token(false)).toMatch(/^k8s-aws-v1\./);
  });
});
