import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { answerFromStored } from '../../../cli/explain/stored.ts';
import { placementAnswer } from '../../../cli/placement/answer.ts';
import { addTime, minutes } from '../../../core/model/values/time.ts';
import { NOW } from '../../scenario-builders.ts';
import { storedCluster } from '../explain/stored-cluster.ts';
import { captured } from '../captured.ts';

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => vi.unstubAllEnvs());

/** Runs `outrigger planned-placement add --yes` so many minutes after the evaluation. */
async function added({ server }: Awaited<ReturnType<typeof storedCluster>>, after: number) {
  const flags = {
    cluster: 'web',
    region: 'us-east-1',
    output: 'text',
    awsEndpoint: server.endpoint,
    yes: true,
  } as const;
  const now = () => addTime(NOW, minutes(after));
  const ran = await captured((streams) =>
    answerFromStored({ flags, now, answer: placementAnswer.bind(null, 'add', flags) }, streams),
  );
  return { ...ran, asked: server.calls.map(({ action }) => action) };
}

describe('outrigger planned-placement add --yes changes nothing', () => {
  test('where nothing would take the taint off: mode observe', async () => {
    const { code, stderr, asked } = await added(await storedCluster(true), 2);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^error: Nothing is changed: .* with mode: observe it changes nothing\n$/),
    ]);
    expect(asked).not.toContain('DescribeAutoScalingGroups');
  });

  test('where nothing would take the taint off: no evaluation for half an hour', async () => {
    const { code, stderr, asked } = await added(await storedCluster(), 32);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/Outrigger has not evaluated this cluster within 15 minutes\n$/),
    ]);
    expect(asked).not.toContain('DescribeAutoScalingGroups');
  });

  test('and goes on where Outrigger acts', async () => {
    const { code, stdout, asked } = await added(await storedCluster(), 2);
    expect([code, stdout]).toEqual([0, 'The cluster has no node groups.\n']);
    expect(asked).toContain('DescribeAutoScalingGroups');
  });
});
