import { DescribeClusterCommand, EKSClient } from '@aws-sdk/client-eks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { assumedRole } from '../../../../providers/aws/api/assumed-role.ts';
import { assumedSession } from '../assumed-session.ts';
import { type Answer, autoScalingError, jsonResult, startWireServer } from '../wire-server.ts';

const ROLE = 'arn:aws:iam::210987654321:role/outrigger';

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'own');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => vi.unstubAllEnvs());

async function eksBy(externalId: string | null, answer: () => Answer) {
  const { endpoint, calls } = await startWireServer(({ action }) =>
    action === 'AssumeRole' ? answer() : jsonResult({ cluster: {} }),
  );
  vi.stubEnv('AWS_ENDPOINT_URL_STS', endpoint);
  const credentials = assumedRole({ arn: ROLE, externalId }, 'web'.padEnd(80, 'x'), 'eu-west-1');
  const eks = new EKSClient({ region: 'eu-west-1', endpoint, credentials, maxAttempts: 1 });
  return {
    describe: async () => await eks.send(new DescribeClusterCommand({ name: 'web' })),
    credentials: async () => await eks.config.credentials(),
    assumed: () => calls.flatMap(({ action, parameters }) => (action === 'AssumeRole' ? [parameters] : [])),
  };
}

test('calls are made with a session of the role, for which it is asked with the external ID', async () => {
  const { describe, credentials, assumed } = await eksBy('secret', () => assumedSession(3_600_000));
  await describe();
  expect(await credentials()).toMatchObject({ accessKeyId: 'ASIAASSUMED00000', sessionToken: 't' });
  expect(Object.fromEntries(assumed()[0]!)).toMatchObject({
    RoleArn: ROLE,
    RoleSessionName: `outrigger-web${'x'.repeat(51)}`,
    DurationSeconds: '3600',
    ExternalId: 'secret',
  });
});

test('a session is kept until five minutes before its end, and then renewed', async () => {
  let left = 3_600_000;
  const { describe, assumed } = await eksBy(null, () => assumedSession(left));
  await describe();
  await describe();
  expect(assumed()).toHaveLength(1);
  expect(assumed()[0]!.has('ExternalId')).toBe(false);
  left = 299_000;
  const short = await eksBy(null, () => assumedSession(left));
  await short.describe();
  const before = short.assumed().length;
  await short.describe();
  expect(short.assumed().length).toBeGreaterThan(before);
});

test('a role that may not be assumed is an error that says so', async () => {
  const { describe } = await eksBy(null, () => autoScalingError(403, 'AccessDenied', 'not authorized: sts:AssumeRole'));
  await expect(describe()).rejects.toMatchObject({
    name: 'AccessDenied',
    message: expect.stringContaining('AssumeRole'),
  });
});
