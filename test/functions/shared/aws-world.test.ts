import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAwsWorld } from '../../../functions/shared/aws-world.ts';
import { WEB } from '../test-world.ts';
import { awsStandIn } from '../../providers/aws/aws-stand-in.ts';

/** What the stack sets, and what Lambda itself does. */
const ENVIRONMENT = {
  AWS_REGION: 'eu-central-1',
  OUTRIGGER_CLUSTER: 'web',
  OUTRIGGER_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/wake-ups.fifo',
  OUTRIGGER_TABLE: 'outrigger',
  OUTRIGGER_OPTIONS: '{"scaleDownUnneededTime": "5m"}',
};

const set = (variables: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries(variables)) {
    vi.stubEnv(name, value);
  }
};
beforeEach(() => set(ENVIRONMENT));
afterEach(() => vi.unstubAllEnvs());

describe('the world on AWS', () => {
  it.each([
    { variables: { OUTRIGGER_DRY_RUN: 'true' }, dryRun: true },
    { variables: { OUTRIGGER_DRY_RUN: 'false' }, dryRun: false },
    { variables: {}, dryRun: false },
  ])('changes nothing where it is told so: $variables', ({ variables, dryRun }) => {
    set(variables);
    expect(createAwsWorld('scale-up').world.dryRun).toBe(dryRun);
  });

  it('is none where it cannot be known whether it may change anything', () => {
    set({ OUTRIGGER_DRY_RUN: 'True' });
    expect(() => createAwsWorld('scale-up')).toThrow('OUTRIGGER_DRY_RUN');
  });

  it('has the one cluster, with its options', () => {
    const { world } = createAwsWorld('scale-up');
    expect(world.cluster(WEB)?.options.scaleDownUnneededTime).toBe(300_000);
    expect(createAwsWorld('scale-up').world.cluster('other' as typeof WEB)).toBeNull();
  });

  it('starts drains by the function that it is given', async () => {
    const { calls, settings } = await awsStandIn(() => ({ body: {} }));
    set({
      AWS_ENDPOINT_URL_LAMBDA: settings.endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      OUTRIGGER_DRAIN_FUNCTION: 'arn:aws:lambda:eu-central-1:123456789012:function:drain:live',
    });
    await createAwsWorld('actuate').world.startDrains(WEB, ['n1'], 2);
    expect(calls.map(({ input }) => input)).toEqual([{ cluster: 'web', ids: ['n1'], attempt: 2 }]);
  });

  it('says so where there is no such function', async () => {
    await expect(createAwsWorld('scale-up').world.startDrains(WEB, ['n1'], 1)).rejects.toThrow(
      'without a drain function',
    );
  });
});
