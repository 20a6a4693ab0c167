import type { V1ValidatingWebhookConfiguration } from '@kubernetes/client-node';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, inject, onTestFinished, test } from 'vitest';
import { openCluster } from './cluster.ts';

const POD = { cpuMilli: 1500, memoryMib: 1024 };
const GROUP = { instanceType: 'm5.large', zones: ['us-east-1a'], min: 0, max: 40, desired: 0 };

test('a group with a malformed tag does not keep its neighbour from growing', async () => {
  const cluster = await openCluster('malformed-tag');
  await cluster.createGroups({ ...GROUP, name: 'good' });
  await cluster.createGroups({
    ...GROUP,
    name: 'bad',
    tags: { 'k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage': 'plenty' },
  });
  cluster.bridge(300);
  const outrigger = await cluster.outriggerWithWebhook('outrigger');
  await cluster.createDeployment('web', 3, POD);
  await cluster.untilRunning(3, 30_000);

  const sizes = await cluster.sizes();
  expect(sizes).toEqual({ 'malformed-tag-bad-a': 0, 'malformed-tag-good-a': 3 });
  expect(JSON.stringify(outrigger.logged())).toContain('malformed-tag-bad-a');
});

test('pods for which a group never brought nodes run on another', async () => {
  const cluster = await openCluster('never');
  await cluster.createGroups({ ...GROUP, name: 'm5', zones: ['us-east-1a', 'us-east-1b'] });
  cluster.bridge(300, ['never-m5-b']);
  const options = await cluster.optionsFile({ maxNodeProvisionTime: '5s' });
  await cluster.outriggerWithWebhook('outrigger', `--options=${options}`, '--schedule=1s');
  await cluster.createDeployment('web', 4, POD);
  await cluster.untilRunning(4, 60_000);

  expect(cluster.recorder.sizeChanges().map(({ group }) => group)).toContain('never-m5-b');
  expect((await cluster.sizes())['never-m5-a']).toBe(4);
});

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const BURSTS = 10;

test('two Outriggers that share their state and are rung at once ask for no node twice', async () => {
  const cluster = await openCluster('two');
  await cluster.createGroups({ ...GROUP, name: 'm5', zones: ['us-east-1a', 'us-east-1b'] });
  cluster.bridge(300);
  const state = [`--dynamodb-endpoint=${inject('dynamodbEndpoint')}`, `--table=${cluster.name}`, '--schedule=1s'];
  const first = await cluster.outriggerWithWebhook('first', ...state);
  // Both install the webhook under one name, and the second replaces the first's: a copy rings the first again.
  const { webhooks } = await cluster.kube.get<V1ValidatingWebhookConfiguration>(`${WEBHOOKS}/outrigger-two`);
  const copy = { metadata: { name: 'outrigger-two-first' }, webhooks };
  await cluster.kube.create(WEBHOOKS, copy);
  onTestFinished(() => cluster.kube.remove(`${WEBHOOKS}/${copy.metadata.name}`));
  const second = await cluster.outriggerWithWebhook('second', ...state);

  let pods = 0;
  for (let burst = 0; burst < BURSTS; burst += 1) {
    const more = 1 + (burst % 4);
    pods += more;
    await cluster.createDeployment(`burst-${burst}`, more, POD);
    await cluster.untilRunning(pods, 30_000);
  }
  // Two more ticks of both, in which nothing may happen any more.
  await delay(2_500);

  const told = (message: string) =>
    [first, second].map((each) => each.logged().filter((line) => String(line['message']).includes(message)).length);
  process.stdout.write(
    `two Outriggers, ${BURSTS} bursts: scale-ups decided ${told('scale up').join(' + ')}, ` +
      `conflicts ${told('Somebody else committed').join(' + ')}\n`,
  );
  expect(sum(told('Somebody else committed'))).toBeGreaterThan(0);
  expect(sum(Object.values(await cluster.sizes()))).toBe(pods);
  // Each group only ever grew, and was asked for each size once.
  for (const group of Object.keys(await cluster.sizes())) {
    const sizes = cluster.recorder.sizeChanges().filter((change) => change.group === group);
    const asked = sizes.map(({ size }) => size);
    expect(asked).toEqual([...new Set(asked)].toSorted((a, b) => a - b));
  }
});

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
