import type { V1ValidatingWebhookConfiguration } from '@kubernetes/client-node';
import { describe, expect, onTestFinished, test } from 'vitest';
import { clusterName } from '../../core/model/values/names.ts';
import type { State } from '../../core/model/state.ts';
import { minutes } from '../../core/model/values/time.ts';
import { createDynamoDbClient } from '../../providers/dynamodb/client.ts';
import type { QuarantinedItem } from '../../providers/dynamodb/quarantine.ts';
import { createDynamoDbStore } from '../../providers/dynamodb/store.ts';
import { repetitions } from '../sample.ts';
import { openCluster, type E2eCluster } from './cluster.ts';
import { deleteLaunchTemplate } from './servers/aws-setup.ts';
import { startFailingLaunches } from './servers/failing-launches.ts';
import { serverSet } from './server-set.ts';

const POD = { cpuMilli: 1500, memoryMib: 1024 };
const GROUP = { max: 40 };

test('a group with a malformed tag grows without what the tag meant, and is said to have it', async () => {
  const cluster = await openCluster('malformed-tag');
  await cluster.createGroups({
    ...GROUP,
    name: 'bad',
    tags: { 'k8s.io/cluster-autoscaler/node-template/resources/ephemeral-storage': 'plenty' },
  });
  cluster.bridge(300);
  const outrigger = await cluster.outriggerWithWebhook('outrigger');
  await cluster.createDeployment('web', 3, POD);
  await cluster.untilRunning(3);

  expect(await cluster.sizes()).toEqual({ 'malformed-tag-bad-a': 3 });
  expect(JSON.stringify(outrigger.logged())).toContain('resources/ephemeral-storage: expected a quantity');
});

test('pods for which a group never brought nodes run on another', async () => {
  const cluster = await openCluster('never');
  await cluster.createGroups({ ...GROUP, name: 'm5', zones: ['us-east-1a', 'us-east-1b'] });
  cluster.bridge(300, ['never-m5-b']);
  // Much longer than the other group takes, on a slow host too: that one brings its nodes.
  const options = await cluster.optionsFile({ maxNodeProvisionTime: '15s' });
  await cluster.outriggerWithWebhook('outrigger', `--options=${options}`, '--schedule=1s');
  await cluster.createDeployment('web', 4, POD);
  await cluster.untilRunning(4);

  // It was asked once: what did not bring nodes is left alone for a while.
  const asked = cluster.recorder.sizeChanges().filter(({ group }) => group === 'never-m5-b');
  expect(asked).toMatchObject([{ size: 2 }]);
  expect((await cluster.sizes())['never-m5-a']).toBe(4);
});

/**
 * From the answer that reports the failure until the pods run, on a host that is many times slower too: without that answer it is a
 * quarter of an hour. That the failure's event is answered, and not the scan, is in test/docs/reaction.test.ts.
 */
const LIMIT_SECONDS = 60;

describe('a group whose launch template is gone', () => {
  /** The first choice for one pod a node; the other has room for several. */
  const openPair = async (name: string): Promise<E2eCluster> => {
    const cluster = await openCluster(name);
    await cluster.createGroups({ ...GROUP, name: 'gone' });
    await cluster.createGroups({ ...GROUP, name: 'good', instanceType: 'm5.2xlarge' });
    cluster.bridge(300);
    return cluster;
  };

  test('is left out, and said to be, when that is known beforehand', async () => {
    const cluster = await openPair('template-gone');
    await deleteLaunchTemplate(cluster.aws, 'template-gone-gone');
    const outrigger = await cluster.outriggerWithWebhook('outrigger');
    await cluster.createDeployment('web', 4, POD);
    await cluster.untilRunning(4);

    expect(await cluster.sizes()).toEqual({ 'template-gone-gone-a': 0, 'template-gone-good-a': 1 });
    expect(outrigger.logged()).toContainEqual(
      expect.objectContaining({
        result: 'ScaledUp',
        skippedGroups: [
          {
            group: 'template-gone-gone-a',
            reason: 'Invalid',
            message: expect.stringMatching(/launch template .* could not be read .* does not exist/),
          },
        ],
      }),
    );
  });

  test('is left alone for the longest time, and its pods run on another group within seconds', async () => {
    const cluster = await openPair('template-lost');
    const template = 'template-lost-gone';
    const launches = await startFailingLaunches(cluster.recorder.endpoint, {
      [`${template}-a`]:
        'You must use a valid fully-formed launch template. The specified launch template, with template name ' +
        `${template}, does not exist. Launching EC2 instance failed.`,
    });
    onTestFinished(() => launches.stop());
    const args = [`--aws-endpoint=${launches.endpoint}`, '--schedule=1s', ...stateOf(cluster)];
    const outrigger = await cluster.outriggerWithWebhook('outrigger', ...args);
    // The webhook's notification was of no pod, and caused no evaluation; a scan has read the template.
    await outrigger.untilLogged('a scan', ({ message }) => String(message).includes('0 pending pods'));
    await deleteLaunchTemplate(cluster.aws, template);
    await cluster.createDeployment('web', 4, POD);
    await cluster.untilRunning(4);
    const running = performance.now();

    const told = launches.toldAt() ?? Number.NaN;
    const asked = cluster.recorder.sizeChanges().find(({ group }) => group === 'template-lost-good-a')!.at;
    const seconds = (at: number): number => (at - told) / 1000;
    process.stdout.write(
      `launch template gone, after that is known: another group grows after ${seconds(asked).toFixed(2)} s, ` +
        `all pods run after ${seconds(running).toFixed(2)} s (limit ${LIMIT_SECONDS} s)\n`,
    );
    expect(seconds(running)).toBeLessThan(LIMIT_SECONDS);
    const { backoff } = await stateOfCluster(cluster);
    expect(backoff).toMatchObject({ [`${template}-a`]: { class: 'Configuration', duration: minutes(30) } });
    const alarms = outrigger.logged().filter(({ level, group }) => level === 'error' && group === `${template}-a`);
    expect(alarms).toMatchObject([{ class: 'Configuration' }]);
    await expect.poll(() => cluster.sizes()).toEqual({ [`${template}-a`]: 0, 'template-lost-good-a': 1 });
  });
});

const WEBHOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const BURSTS = repetitions(10, 4);
/** The most of them, until both have decided the same at once. */
const MOST_BURSTS = 60;

test('two Outriggers that share their state and are notified at once request no node twice', async () => {
  const cluster = await openCluster('two');
  await cluster.createGroups({ ...GROUP, name: 'm5', zones: ['us-east-1a', 'us-east-1b'], max: 100 });
  cluster.bridge(300);
  const state = [...stateOf(cluster), '--schedule=1s'];
  const first = await cluster.outriggerWithWebhook('first', ...state);
  // Both install the webhook under one name, and the second replaces the first's: a copy notifies the first again.
  const { webhooks } = await cluster.kube.get<V1ValidatingWebhookConfiguration>(`${WEBHOOKS}/outrigger-local-two`);
  const copy = { metadata: { name: 'outrigger-local-two-first' }, webhooks };
  await cluster.kube.create(WEBHOOKS, copy);
  onTestFinished(() => cluster.kube.remove(`${WEBHOOKS}/${copy.metadata.name}`));
  const second = await cluster.outriggerWithWebhook('second', ...state);

  const told = (message: string) =>
    [first, second].map((each) => each.logged().filter((line) => String(line['message']).includes(message)).length);
  const conflicts = () => sum(told('was committed meanwhile'));
  let pods = 0;
  let bursts = 0;
  for (; bursts < BURSTS || (conflicts() === 0 && bursts < MOST_BURSTS); bursts += 1) {
    const more = 1 + (bursts % 4);
    pods += more;
    await cluster.createDeployment(`burst-${bursts}`, more, POD);
    await cluster.untilRunning(pods);
  }
  // Two more scans of both, in which nothing may happen any more.
  await cluster.untilEvaluations(4);

  process.stdout.write(
    `two Outriggers, ${bursts} bursts: scale-ups decided ${told('scale up').join(' + ')}, ` +
      `conflicts ${told('was committed meanwhile').join(' + ')}\n`,
  );
  expect(conflicts()).toBeGreaterThan(0);
  expect(sum(Object.values(await cluster.sizes()))).toBe(pods);
  // Each group only ever grew, and was asked for each size once.
  for (const group of Object.keys(await cluster.sizes())) {
    const sizes = cluster.recorder.sizeChanges().filter((change) => change.group === group);
    const asked = sizes.map(({ size }) => size);
    expect(asked).toEqual([...new Set(asked)].toSorted((a, b) => a - b));
  }
});

const stateOf = ({ name }: E2eCluster): readonly string[] => [
  `--dynamodb-endpoint=${serverSet.dynamodbEndpoint}`,
  `--table=${name}`,
];

async function stateOfCluster({ name }: E2eCluster): Promise<State> {
  const client = createDynamoDbClient({ endpoint: serverSet.dynamodbEndpoint });
  const onQuarantine = (problem: QuarantinedItem): void => expect.unreachable(JSON.stringify(problem));
  const { state } = await createDynamoDbStore({ client, table: name, onQuarantine }).load(clusterName(name));
  client.destroy();
  return state;
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
