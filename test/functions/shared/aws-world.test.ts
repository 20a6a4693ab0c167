import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAwsWorld } from '../../../functions/shared/aws-world.ts';
import { WEB } from '../test-world.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { assumedSession } from '../../providers/aws/assumed-session.ts';
import { awsStandIn } from '../../providers/aws/aws-stand-in.ts';
import { autoScalingResult, groupXml, startWireServer } from '../../providers/aws/wire-server.ts';

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

  it('reads and changes the cluster by the role that it is given, for the groups that it is given', async () => {
    const { calls, endpoint } = await startWireServer(({ action }) =>
      action === 'AssumeRole'
        ? assumedSession(3_600_000)
        : autoScalingResult(action, { AutoScalingGroups: [groupXml('other', 'named')] }),
    );
    set({
      AWS_ENDPOINT_URL: endpoint,
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      OUTRIGGER_ROLE: 'arn:aws:iam::210987654321:role/outrigger',
      OUTRIGGER_ROLE_EXTERNAL_ID: 'id-1',
      OUTRIGGER_DISCOVERY: '{"nodes":["0:3:named"]}',
    });
    const groups = createAwsWorld('scale-up').world.cluster(WEB)!.groups;
    expect(await groups.readSize(groupName('named'))).toMatchObject({ min: 0, max: 3 });
    const [assumed] = calls;
    expect(Object.fromEntries(assumed!.parameters)).toMatchObject({
      Action: 'AssumeRole',
      RoleArn: 'arn:aws:iam::210987654321:role/outrigger',
      ExternalId: 'id-1',
      RoleSessionName: 'outrigger-web',
    });
  });

  it('is none where a group cannot be read', () => {
    set({ OUTRIGGER_DISCOVERY: '{"nodes":["3:0:named"]}' });
    expect(() => createAwsWorld('scale-up')).toThrow('OUTRIGGER_DISCOVERY.nodes[0]: expected an Auto Scaling group');
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
