import { hash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAwsServices } from '../../../functions/shared/aws-services.ts';
import { openStack } from '../../../functions/shared/aws-stack.ts';
import { createDrainQueue } from '../../../providers/aws/lambda/drain-queue.ts';
import { createScaleDownCalls } from '../../../providers/aws/lambda/scale-down-calls.ts';
import { CREDENTIALS, eksCluster, ENVIRONMENT, ONE_RESOURCE, set } from './stack.ts';
import { WEB } from '../test-world.ts';
import { groupName } from '../../../core/model/values/names.ts';
import { assumedSession } from '../../providers/aws/assumed-session.ts';
import { awsStandIn } from '../../providers/aws/aws-stand-in.ts';
import {
  type Answer,
  autoScalingResult,
  ec2Result,
  groupXml,
  instanceTypeXml,
  jsonResult,
  launchTemplateXml,
  startWireServer,
} from '../../providers/aws/wire-server.ts';
import { json, refuse } from '../../providers/kubernetes/api-server.ts';
import { KINDS } from '../../providers/kubernetes/kinds.ts';

beforeEach(() => set(ENVIRONMENT));
afterEach(() => vi.unstubAllEnvs());

describe('the world on AWS', () => {
  it.each([
    { variables: { OUTRIGGER_DRY_RUN: 'true' }, dryRun: true },
    { variables: { OUTRIGGER_DRY_RUN: 'false' }, dryRun: false },
  ])('changes nothing where it is told so: $variables', ({ variables, dryRun }) => {
    set(variables);
    expect(createAwsServices('scale-up').services.dryRun).toBe(dryRun);
  });

  it.each(['True', undefined])('is none where it cannot be known whether it may change anything: %s', (value) => {
    vi.stubEnv('OUTRIGGER_DRY_RUN', value);
    expect(() => createAwsServices('scale-up')).toThrow('OUTRIGGER_DRY_RUN');
  });

  it.each([
    { variables: {}, scan: 60_000 },
    { variables: { OUTRIGGER_SCAN_SECONDS: '600' }, scan: 600_000 },
    // Scale-down is evaluated every minute then.
    { variables: { OUTRIGGER_SCAN_SECONDS: '10' }, scan: 60_000 },
  ])('knows how often evaluations come: $variables', ({ variables, scan }) => {
    set(variables);
    expect(createAwsServices('scale-up').services.scanInterval).toBe(scan);
  });

  it('has the one cluster, with its options', () => {
    const { services } = createAwsServices('scale-up');
    expect(services.cluster(WEB)?.options.scaleDownUnneededTime).toBe(300_000);
    expect(createAwsServices('scale-up').services.cluster('other' as typeof WEB)).toBeNull();
  });

  it('reads and changes the cluster by the role that it is given, for the groups that it is given', async () => {
    const { calls, endpoint } = await startWireServer(({ action }) =>
      action === 'AssumeRole'
        ? assumedSession(3_600_000)
        : autoScalingResult(action, { AutoScalingGroups: [groupXml('other', 'named')] }),
    );
    set({
      AWS_ENDPOINT_URL: endpoint,
      ...CREDENTIALS,
      OUTRIGGER_ROLE: 'arn:aws:iam::210987654321:role/outrigger',
      OUTRIGGER_ROLE_EXTERNAL_ID: 'id-1',
      OUTRIGGER_DISCOVERY: '{"nodes":["0:3:named"]}',
    });
    const groups = createAwsServices('scale-up').services.cluster(WEB)!.groups;
    expect(await groups.readSize(groupName('named'))).toMatchObject({ min: 0, max: 3 });
    const [assumed] = calls;
    expect(Object.fromEntries(assumed!.parameters)).toMatchObject({
      Action: 'AssumeRole',
      RoleArn: 'arn:aws:iam::210987654321:role/outrigger',
      ExternalId: 'id-1',
      RoleSessionName: 'outrigger-web',
    });
  });

  it.each([
    { options: { expander: 'price' }, asked: true },
    { options: { expander: 'least-waste', maxCostPerHour: 5 }, asked: true },
    { options: { expander: 'least-waste' }, asked: false },
  ])('asks AWS for prices only where decisions go by them: $options', async ({ options, asked }) => {
    const answers: Readonly<Record<string, Answer>> = {
      DescribeAutoScalingGroups: autoScalingResult('DescribeAutoScalingGroups', {
        AutoScalingGroups: [groupXml('web', 'workers')],
      }),
      DescribeLaunchTemplateVersions: ec2Result('DescribeLaunchTemplateVersions', {
        launchTemplateVersionSet: [launchTemplateXml('workers', 1, 'm5.large')],
      }),
      DescribeInstanceTypes: ec2Result('DescribeInstanceTypes', { instanceTypeSet: [instanceTypeXml('m5.large')] }),
    };
    const { calls, endpoint } = await startWireServer(({ action }) => answers[action] ?? jsonResult({ PriceList: [] }));
    set({ ...CREDENTIALS, AWS_ENDPOINT_URL: endpoint, OUTRIGGER_OPTIONS: JSON.stringify(options) });
    expect(await createAwsServices('scale-up').services.cluster(WEB)!.groups.list([])).toMatchObject([
      { name: 'workers' },
    ]);
    expect(calls.some(({ action }) => action === 'AWSPriceListService.GetProducts')).toBe(asked);
  });

  it('is none where a group cannot be read', () => {
    set({ OUTRIGGER_DISCOVERY: '{"nodes":["3:0:named"]}' });
    expect(() => createAwsServices('scale-up')).toThrow('OUTRIGGER_DISCOVERY.nodes[0]: expected an Auto Scaling group');
  });

  it('starts and continues drains by the queue that it is given', async () => {
    const { calls, settings } = await awsStandIn(({ input }) => ({
      body: { MD5OfMessageBody: hash('md5', String(input['MessageBody'])) },
    }));
    const queue = `${settings.endpoint}/123456789012/drains`;
    set({ ...CREDENTIALS, OUTRIGGER_DRAIN_QUEUE_URL: queue });
    const drains = createDrainQueue(openStack('actuate', 'drains').environment.OUTRIGGER_DRAIN_QUEUE_URL);
    await drains.startDrains(WEB, ['n1'], 2);
    await drains.continueDrains({ cluster: WEB, ids: ['n1'], attempt: 2, left: [] }, 3_000);
    expect(calls.map(({ input }) => [input['QueueUrl'], input['DelaySeconds']])).toEqual([
      [queue, 0],
      [queue, 3],
    ]);
  });

  it('starts scale-down by the function that it is given', async () => {
    const { calls, settings } = await awsStandIn(() => ({ body: {} }));
    set({
      ...CREDENTIALS,
      AWS_ENDPOINT_URL_LAMBDA: settings.endpoint,
      OUTRIGGER_SCALE_DOWN_FUNCTION: 'arn:aws:lambda:eu-central-1:123456789012:function:scale-down',
    });
    const { environment } = openStack('drain', 'scale-down');
    await createScaleDownCalls(environment.OUTRIGGER_SCALE_DOWN_FUNCTION).startScaleDown(WEB);
    expect(calls.map(({ input }) => input)).toEqual([{ cluster: 'web' }]);
  });

  it('wakes the cluster by its queue', async () => {
    const { calls, settings } = await awsStandIn(({ input }) => ({
      body: { MD5OfMessageBody: hash('md5', String(input['MessageBody'])) },
    }));
    const queue = `${settings.endpoint}/123456789012/wake-ups.fifo`;
    set({ ...CREDENTIALS, OUTRIGGER_QUEUE_URL: queue });
    await createAwsServices('scale-up').services.wake(WEB);
    expect(calls).toMatchObject([
      { action: 'AmazonSQS.SendMessage', input: { QueueUrl: queue, MessageGroupId: 'web' } },
    ]);
  });

  it.each([
    [{}, false],
    [{ OUTRIGGER_SNAPSHOT_BUCKET: 'bucket' }, true],
  ])('begins with the snapshots in the bucket of the stack, where it has one: %j', async (variables, asked) => {
    await eksCluster((_, response) => refuse(response, 404, 'NotFound', 'there is none'));
    const { calls, endpoint } = await startWireServer(() => ({ status: 404, headers: {}, body: '' }));
    set({ AWS_ENDPOINT_URL_S3: endpoint, OUTRIGGER_OPTIONS: '{"incrementalReads": true}', ...variables });
    await createAwsServices('scale-up')
      .services.cluster(WEB)!
      .reader.read()
      .catch(() => null);
    expect(calls.length > 0).toBe(asked);
  });

  it('keeps state and drains in its table', async () => {
    const { calls, settings } = await awsStandIn(() => ({ body: { Items: [] } }));
    set({ ...CREDENTIALS, AWS_ENDPOINT_URL_DYNAMODB: settings.endpoint, OUTRIGGER_TABLE: 'ours' });
    const { store, drains } = createAwsServices('scale-up').services;
    await store.load(WEB);
    await drains.list(WEB);
    expect(new Set(calls.map(({ input }) => input['TableName']))).toEqual(new Set(['ours']));
  });

  it('has the resources of Cluster API in the cluster as node groups', async () => {
    await eksCluster(ONE_RESOURCE);
    set({ OUTRIGGER_CLUSTER_API: '{"autoScalingGroups": false}' });
    const { provider, groups } = createAwsServices('scale-up').services.cluster(WEB)!;
    expect(provider).toBe('clusterapi');
    expect((await groups.list([])).map(({ name }) => name)).toEqual(['MachineDeployment/default/web']);
  });

  it('has them in a management cluster, which is another one, by its role', async () => {
    await eksCluster(ONE_RESOURCE);
    const { calls, endpoint } = await startWireServer(({ action }) =>
      action === 'AssumeRole'
        ? assumedSession(3_600_000)
        : autoScalingResult(action, { AutoScalingGroups: [groupXml('web', 'workers')] }),
    );
    set({
      AWS_ENDPOINT_URL: endpoint,
      OUTRIGGER_CLUSTER_API: JSON.stringify({
        discovery: ['clusterapi:clusterName=c1'],
        managementCluster: { name: 'management', role: 'arn:aws:iam::210987654321:role/capi', externalId: 'id-1' },
      }),
    });
    const { provider, groups } = createAwsServices('scale-up').services.cluster(WEB)!;
    expect(provider).toBe('aws');
    expect(await groups.readSize(groupName('workers'))).not.toBeNull();
    expect((await groups.summarize()).map(({ name }) => name)).toEqual(['MachineDeployment/default/web', 'workers']);
    const assumed = calls.find(({ action }) => action === 'AssumeRole');
    expect(Object.fromEntries(assumed!.parameters)).toMatchObject({
      RoleArn: 'arn:aws:iam::210987654321:role/capi',
      ExternalId: 'id-1',
    });
  });

  it('is none where Cluster API cannot be read', () => {
    set({ OUTRIGGER_CLUSTER_API: '{"apiGroup": "x"}' });
    expect(() => createAwsServices('scale-up')).toThrow('OUTRIGGER_CLUSTER_API.apiGroup: expected an API group');
  });

  it('reads the priorities in the namespace of the options', async () => {
    const { seen } = await eksCluster(({ path }, response) => {
      const kind = KINDS[path.split('/').at(-1)!];
      if (kind === undefined) {
        refuse(response, 404, 'NotFound', 'there is none');
      } else {
        json(response, 200, { kind: `${kind}List`, apiVersion: 'v1', metadata: {}, items: [] });
      }
    });
    set({ OUTRIGGER_OPTIONS: '{"namespace": "scaling", "expander": "priority"}' });
    await createAwsServices('scale-up')
      .services.cluster(WEB)!
      .reader.read()
      .catch(() => null);
    const configMaps = seen.map(({ path }) => path).filter((path) => path.includes('/configmaps'));
    expect(configMaps.length).toBeGreaterThan(0);
    expect(configMaps.every((path) => path.startsWith('/api/v1/namespaces/scaling/'))).toBe(true);
  });

  it('says so where there is no such queue', () => {
    expect(() => openStack('actuate', 'drains')).toThrow('OUTRIGGER_DRAIN_QUEUE_URL');
  });
});
