import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { migrated, type Run, run } from './migrated.ts';

type Environment = Readonly<Record<string, string>>;

/** An object that runs Node Termination Handler with these variables and arguments. */
const handler = (environment: Environment, args: readonly string[] = [], name = 'nth'): object => ({
  kind: 'DaemonSet',
  metadata: { name, namespace: 'kube-system' },
  spec: {
    template: {
      spec: {
        containers: [
          {
            image: 'public.ecr.aws/aws-ec2/aws-node-termination-handler:v1.25.6',
            args,
            env: Object.entries(environment).map(([key, value]) => ({ name: key, value })),
          },
        ],
      },
    },
  },
});

const autoscaler = (cluster: string, ...args: readonly string[]): object => ({
  kind: 'Deployment',
  metadata: { name: `ca-${cluster}`, namespace: 'kube-system' },
  spec: {
    template: {
      spec: { containers: [{ image: 'x/cluster-autoscaler:v1.35.0', args: [`--cluster-name=${cluster}`, ...args] }] },
    },
  },
});

const list = (...items: readonly object[]): object => ({ kind: 'List', items });

const optionsOf = async (document: object): Promise<unknown> =>
  ((await migrated(document, { cluster: 'shop' })).cluster as { options?: object }).options;

describe('the options that Node Termination Handler asks for', () => {
  it.each([
    ['nothing that is given', {}, undefined],
    ['Spot interruptions', { ENABLE_SPOT_INTERRUPTION_DRAINING: 'true' }, { spotInterruption: 'drain' }],
    ['no Spot interruptions', { ENABLE_SPOT_INTERRUPTION_DRAINING: 'F' }, { spotInterruption: 'ignore' }],
    ['scheduled events', { ENABLE_SCHEDULED_EVENT_DRAINING: '1' }, { scheduledChange: 'drain' }],
    ['no scheduled events', { ENABLE_SCHEDULED_EVENT_DRAINING: 'false' }, { scheduledChange: 'ignore' }],
    ['monitored recommendations', { ENABLE_REBALANCE_MONITORING: 'true' }, { rebalanceRecommendation: 'cordon' }],
    [
      'monitored recommendations that it does not drain for',
      { ENABLE_REBALANCE_MONITORING: 'true', ENABLE_REBALANCE_DRAINING: 'false' },
      { rebalanceRecommendation: 'cordon' },
    ],
    [
      'recommendations that it drains for, unmonitored',
      { ENABLE_REBALANCE_DRAINING: 'true', ENABLE_REBALANCE_MONITORING: 'false' },
      { rebalanceRecommendation: 'replace' },
    ],
    [
      'recommendations that it would drain for, and cordons alone',
      { ENABLE_REBALANCE_DRAINING: 'true', CORDON_ONLY: 'true' },
      { rebalanceRecommendation: 'cordon' },
    ],
    ['an empty value, which is none', { ENABLE_SPOT_INTERRUPTION_DRAINING: '' }, undefined],
    ['a value that it refuses', { ENABLE_SPOT_INTERRUPTION_DRAINING: 'yes' }, undefined],
    [
      'what the queue mode does not read',
      {
        ENABLE_SQS_TERMINATION_DRAINING: 'true',
        ENABLE_SPOT_INTERRUPTION_DRAINING: 'false',
        ENABLE_REBALANCE_DRAINING: 'true',
      },
      undefined,
    ],
  ] as const)('%s', async (_what, environment, options) => {
    expect(await optionsOf(handler(environment))).toEqual(options);
  });

  it('are those of the command line where it says otherwise than the environment', async () => {
    const given = handler({ ENABLE_SPOT_INTERRUPTION_DRAINING: 'true' }, [
      '--enable-spot-interruption-draining=false',
      '--enable-rebalance-monitoring',
    ]);
    expect(await optionsOf(given)).toEqual({ spotInterruption: 'ignore', rebalanceRecommendation: 'cordon' });
  });

  it('are those of the values of its chart, also within another chart', async () => {
    const values = { awsRegion: 'eu-west-1', enableScheduledEventDraining: false, enableRebalanceMonitoring: true };
    const options = { scheduledChange: 'ignore', rebalanceRecommendation: 'cordon' };
    expect(await optionsOf(values)).toEqual(options);
    expect(await optionsOf({ 'aws-node-termination-handler': values })).toEqual(options);
  });
});

describe('what becomes of a setting', () => {
  const QUEUE = { ENABLE_SQS_TERMINATION_DRAINING: 'true' };
  it.each<readonly [string, Environment, RegExp]>([
    ['the same', { IGNORE_DAEMON_SETS: 'true' }, /The same\n +IGNORE_DAEMON_SETS +true +built in/],
    ['another', { IGNORE_DAEMON_SETS: '0' }, /Differs[^]*IGNORE_DAEMON_SETS +false +built in +DaemonSet pods/],
    [
      'replaced first',
      { ENABLE_REBALANCE_DRAINING: 'true' },
      /Differs[^]*DRAINING +true +options.*: replace +The repl/,
    ],
    [
      'drained, and not cordoned alone',
      { CORDON_ONLY: 'true', ENABLE_SPOT_INTERRUPTION_DRAINING: 'true' },
      /Differs[^]*ENABLE_SPOT_INTERRUPTION_DRAINING +true[^]*No counterpart\n +CORDON_ONLY +true/,
    ],
    ['no counterpart that is asked for', { CORDON_ONLY: 'false' }, /The same\n +CORDON_ONLY +false/],
    ['of the other mode', { WORKERS: '10' }, /No counterpart\n +WORKERS +10 +The handler reads it in its queue mode/],
    ['of its mode', { ...QUEUE, WORKERS: '10' }, /No counterpart\n +WORKERS +10 +Drains are independent/],
    ['recommendations of the queue', QUEUE, /Differs[^]*rebalance recommendations +\(drain\)/],
    ['a queue that cordons', { ...QUEUE, CORDON_ONLY: 'true' }, /rebalance recommendations +\(cordon\)/],
    ['hooks of the queue', QUEUE, /Also[^]*Lifecycle hooks that the queue mode completes/],
    ['by an older name', { GRACE_PERIOD: '30' }, /Differs[^]*POD_TERMINATION_GRACE_PERIOD +30 +built in/],
    [
      'by an older name beside the present one',
      { MANAGED_TAG: 'new', MANAGED_ASG_TAG: 'old', ...QUEUE },
      /MANAGED_TAG +new/,
    ],
    [
      'unknown',
      { WOKERS: '5' },
      /WOKERS[^]*Not a known setting of Node Termination Handler \(did you mean WORKERS\?\)/,
    ],
    ['of a URL', { WEBHOOK_URL: 'https://hooks.example.com/1' }, /WEBHOOK_URL[^]*messageTopicArn[^]*Name an SNS topic/],
    ['of no known kind', { ENABLE_REBALANCE_DRAINING: 'on' }, /Left out: expected true or false, found "on"/],
  ])('%s', async (_what, environment, told) => {
    const ran = await migrated(handler(environment), { cluster: 'shop' });
    expect(ran.told).toMatch(told);
    expect(ran.code).toBe(0);
  });

  it.each(['WEBHOOK_URL', 'WEBHOOK_HEADERS', 'AWS_SECRET_ACCESS_KEY', 'MY_PASSWORD'])(
    '%s is not printed',
    async (name) => {
      const given = JSON.stringify(handler({ [name]: 'https://hooks.example.com/token' }));
      for (const format of ['yaml', 'json'] as const) {
        const { code, out, told } = await run('-', given, { cluster: 'shop', format });
        expect(code).toBe(0);
        expect(out + told).toContain(name);
        expect(out + told).not.toContain('token');
      }
    },
  );
});

describe('beside Cluster Autoscaler', () => {
  it('the options are of its cluster, with those of its flags', async () => {
    const given = handler({ ENABLE_SPOT_INTERRUPTION_DRAINING: 'false', AWS_REGION: 'eu-west-1' });
    const { cluster } = await migrated(list(autoscaler('shop', '--expander=priority'), given));
    expect(cluster).toEqual({
      name: 'shop',
      region: 'eu-west-1',
      mode: 'observe',
      defaults: 'cluster-autoscaler',
      options: { expander: ['priority'], spotInterruption: 'ignore' },
    });
  });

  it('its region and that of the command line win', async () => {
    const given = handler({ AWS_REGION: 'eu-west-1' });
    const { cluster } = await migrated(list(autoscaler('shop'), given), { region: 'eu-central-1' });
    expect(cluster).toMatchObject({ region: 'eu-central-1' });
    const values = { 'cluster-autoscaler': { awsRegion: 'us-east-1', autoDiscovery: { clusterName: 'shop' } } };
    expect((await migrated(list({ kind: 'HelmRelease', spec: { values } }, given))).cluster).toMatchObject({
      region: 'us-east-1',
    });
  });

  it('several that ask for the same are one', async () => {
    const environment = { ENABLE_SPOT_INTERRUPTION_DRAINING: 'true' };
    expect(await optionsOf(list(handler(environment, [], 'linux'), handler(environment, [], 'windows')))).toEqual({
      spotInterruption: 'drain',
    });
  });

  it('the cluster of a handler alone has the defaults of Outrigger', async () => {
    const { cluster } = await migrated(handler({ AWS_REGION: 'eu-west-1' }), { cluster: 'shop' });
    expect(cluster).toEqual({ name: 'shop', region: 'eu-west-1', mode: 'observe' });
  });

  it.each<readonly [string, object, string]>([
    ['no name', handler({}), 'DaemonSet kube-system/nth: expected the name of the cluster, found none'],
    [
      'two clusters',
      list(autoscaler('a'), autoscaler('b'), handler({})),
      'expected the Cluster Autoscaler of one cluster with it, found 2',
    ],
    [
      'handlers that disagree',
      list(
        autoscaler('shop'),
        handler({ ENABLE_SPOT_INTERRUPTION_DRAINING: 'true' }),
        handler({ ENABLE_SPOT_INTERRUPTION_DRAINING: 'false' }),
      ),
      'options.spotInterruption: expected the same from each Node Termination Handler, found drain and ignore',
    ],
  ])('%s: nothing is written', async (_what, document, complaint) => {
    const { code, out, told } = await migrated(document);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(told).toContain(complaint);
  });
});

it('as JSON has what becomes of each setting', async () => {
  const given = JSON.stringify(list(autoscaler('shop'), handler({ TAINT_NODE: 'true' })));
  const [yaml, json]: readonly Run[] = await Promise.all([run('-', given), run('-', given, { format: 'json' })]);
  const written = JSON.parse(json!.out) as { readonly configuration: object; readonly terminationHandlers: unknown };
  expect(json).toMatchObject({ code: 0, told: '' });
  expect(written.configuration).toEqual(parse(yaml!.out));
  expect(written.terminationHandlers).toMatchObject([
    {
      origin: '<stdin>: DaemonSet kube-system/nth',
      settings: [{ flag: 'TAINT_NODE', value: 'true', verdict: 'same' }],
    },
  ]);
});
