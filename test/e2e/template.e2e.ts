import type { V1Node } from '@kubernetes/client-node';
import { hash } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { sampleOf } from '../sample.ts';
import { ACCOUNT, type Deployment } from './template/deployment.ts';
import { region } from './servers/aws-clients.ts';
import { buildBundles } from './template/ground.ts';
import { delivered, eventsAbout } from './template/instance-events.ts';
import { isKilled } from './template/killed.ts';
import { lambdaFunction } from './template/lambda-function.ts';
import { traceHeader } from './template/lineage.ts';
import type { DeployedFunction } from './template/lambda-service.ts';
import {
  type Mutant,
  withOtherConditions,
  withoutActions,
  withoutPermissions,
  withoutWires,
} from './template/mutants.ts';
import { usedIn, variablesOf } from './template/parts.ts';
import { permits, type RbacObject, rbacMutants } from './template/rbac.ts';
import { newRecords, type Records } from './template/records.ts';
import type { Resolve } from './template/resolve.ts';
import { expectSameAnswers } from './template/access-reviews.ts';
import {
  instanceOf,
  load,
  markAsLeftover,
  notify,
  notifyOfWaiting,
  openGround,
  untilDrained,
  untilNoticed,
  whyOf,
  untilWeb,
} from './template/run.ts';
import { synthesize } from './template/synthesize.ts';
import { cdkTestsNamed } from './template/parts.ts';
import { isRewired, wiringOf } from './template/wiring.ts';

const CLUSTER = 'template';
const TOKEN = 'a-token-of-the-webhook';
const PARAMETERS = { WebhookTokenHashes: hash('sha256', TOKEN) };
const bundles = await buildBundles();
const synthesized = synthesize(
  {
    name: CLUSTER,
    mode: 'act',
    options: {
      scaleDownUnneededTime: '1s',
      scaleDownDelayAfterAdd: '0s',
      scaleDownDelayAfterDelete: '0s',
      scaleDownDelayAfterFailure: '1s',
      unremovableNodeRecheckTimeout: '1s',
      nodeDeleteDelayAfterTaint: '1s',
      // Longer than it takes to look at the groups again while instances are awaited, on a slow host too.
      maxNodeProvisionTime: '90s',
      expander: 'priority,least-waste',
      incrementalReads: true,
      incrementalReadsFrom: 0,
    },
  },
  bundles,
);
const { template } = synthesized;
const manifests = (JSON.parse(String(template.Outputs?.['Rbac']?.Value)) as { readonly items: readonly RbacObject[] })
  .items;
/** Requests of the run below: the tables after it go by them. */
let records: Records = newRecords();
let resolve: Resolve = (value) => value;
let resolveIn: Deployment['resolveIn'] = () => resolve;
let functions: readonly DeployedFunction[] = [];

/** The tables after the run go by its requests: the failure to read is that of the run. */
let run: 'to come' | 'failed' | 'done' = 'to come';
beforeEach(({ skip }) => skip(run === 'failed', 'the run has failed'));

test('pods get nodes by the webhook; by the schedule, nodes go that are not needed, and instances that never became nodes', async () => {
  run = 'failed';
  const ground = await openGround(CLUSTER, synthesized, PARAMETERS);
  const { cluster, deployment, scanning } = ground;
  ({ records, resolve, resolveIn } = deployment);
  ({ functions } = deployment.lambda);
  const size = async (group: string) => (await cluster.sizes())[`${CLUSTER}-${group}-a`];

  await notify(ground, TOKEN);
  onTestFinished(await load(ground));
  await untilWeb(cluster, 3);
  expect(await size('web')).toBe(2);
  // While instances are awaited, both evaluations ask what has become of their launches.
  await scanning(async () => {
    const asking = records.aws.filter(({ request }) => request.action === 'autoscaling:DescribeScalingActivities');
    expect(new Set(asking.map(({ principal }) => principal)).size).toBe(2);
  });

  await cluster.kube.patch(`/apis/apps/v1/namespaces/${CLUSTER}/deployments/web`, { spec: { replicas: 2 } });
  await untilWeb(cluster, 2);
  await scanning(async () => expect(await size('web')).toBe(1));
  await untilDrained(deployment);
  await scanning(async () => expect(await size('dead')).toBe(0));

  const node = await markAsLeftover(cluster);
  await scanning(async () => {
    const { spec } = await cluster.kube.get<V1Node>(`/api/v1/nodes/${node}`);
    expect(spec?.taints ?? []).toEqual([]);
  });

  await notifyOfWaiting(ground);
  const takenIn = () => records.aws.filter(({ principal }) => principal?.startsWith('Wake')).length;
  for (const [event, wanted] of eventsAbout('i-0000000000000000f')) {
    const before = takenIn();
    await deployment.triggers.publish(delivered(event));
    expect({ event, wanted: takenIn() > before }).toEqual({ event, wanted });
  }
  expect(await whyOf(deployment)).toContain(`${CLUSTER}-web-a`);
  await untilNoticed(ground, await instanceOf(cluster, `${CLUSTER}-web-a`));
  expect(new Set(records.problems)).toEqual(new Set());
  await expectSameAnswers(ground, manifests);
  run = 'done';
});

/** Rights that no call of the run needs, and why they are there. */
const NOT_NEEDED: readonly (readonly [name: RegExp, reason: string])[] = [
  [/^(?:ScaleUp|Drain)Role.*: sqs:GetQueueUrl /, 'The CDK grants it to consumers of a queue.'],
  [/^DrainRole.*: sqs:ChangeMessageVisibility /, 'The CDK grants it to consumers of a queue.'],
  [/^WakeUpsPolicy: sqs:GetQueue(Url|Attributes) /, 'The CDK grants it to those who send.'],
  [
    /^(?:Actuate|Wake)Role.*: dynamodb:ListStreams /,
    'The CDK grants it to readers of a stream; it knows no resources.',
  ],
  [
    /^DrainRole.*: autoscaling:(?:CompleteLifecycleAction|RecordLifecycleActionHeartbeat) /,
    'moto has no lifecycle hooks: template-notices.e2e.ts stands in for them.',
  ],
  [/^ScaleDownRole.*: sqs:SendMessage /, 'A removal that waits for scale-up: test/functions/scale-down.'],
];
const isNeeded = ({ name }: Mutant): boolean => !NOT_NEEDED.some(([pattern]) => pattern.test(name));
const named = (mutants: readonly Mutant[]) => mutants.map((mutant) => [mutant.name, mutant] as const);
const actions = withoutActions(template);

test('every exception is about a right that the template has', () => {
  expect(NOT_NEEDED.filter(([pattern]) => !actions.some(({ name }) => pattern.test(name)))).toEqual([]);
});

describe('a call is refused without', () => {
  const allowing = actions.filter(({ effect }) => effect === 'Allow');
  /** Which of the two evaluations finds that something stored is over depends on their order. */
  const ofEither = allowing.filter(({ name }) => /^Scale(?:Up|Down)Role.*: dynamodb:DeleteItem /.test(name));
  const others = allowing.filter((mutant) => !ofEither.includes(mutant));
  test.each(named([...others, ...withoutPermissions(template)]))('%s', async (_, mutant) => {
    expect(await isKilled(template, mutant, records.aws, resolve)).toBe(isNeeded(mutant));
  });

  test('what either evaluation deletes of the table', async () => {
    expect(ofEither).toHaveLength(2);
    const killed = await Promise.all(ofEither.map((mutant) => isKilled(template, mutant, records.aws, resolve)));
    expect(killed).toContain(true);
  });
});

describe('a call without TLS is refused by', () => {
  /** No message of the run ends there. */
  const isUnused = ({ name }: Mutant): boolean => /^(?:Drain)?DeadLetters/.test(name);
  test.each(named(actions.filter(({ effect }) => effect === 'Deny')))('%s', async (_, mutant) => {
    expect(await isKilled(template, mutant, records.aws, resolve)).toBe(!isUnused(mutant));
  });
});

describe('nothing else is allowed by', () => {
  test.each(named(withOtherConditions(template)))('%s', async (_, mutant) => {
    expect(await isKilled(template, mutant, records.aws, resolve)).toBe(true);
  });
});

describe('a request to the API server is refused without', () => {
  const mutants = rbacMutants(manifests);
  /** Requests of a drain about pods: their kinds depend on the placement by the scheduler. */
  const isOfPods = (name: string): boolean => / get (?!nodes|configmaps)/.test(name);
  const isRefused = (objects: readonly RbacObject[]): boolean =>
    records.kube.some(({ groups, attributes }) => !permits(objects, groups, attributes));
  /** A server-side apply is a patch on the wire; status.e2e.ts has the API server ask for it where the object is new. */
  const isApplied = (name: string): boolean => name.endsWith(': create configmaps');
  /** PodGroups are read where a pod names one: the API server of the run serves none. */
  const isOfPodGroups = (name: string): boolean => name.endsWith('list scheduling.k8s.io/podgroups');
  const others = mutants.filter(({ name }) => !isOfPods(name) && !isApplied(name) && !isOfPodGroups(name));
  test.each(others.map(({ name, objects }) => [name, objects] as const))('%s', (_, objects) => {
    expect(isRefused(objects)).toBe(true);
  });

  test('most of what a drain asks about its pods', () => {
    const asked = mutants.filter(({ name }) => isOfPods(name));
    expect(asked.length).toBeGreaterThan(4);
    expect(asked.filter(({ objects }) => isRefused(objects)).length).toBeGreaterThanOrEqual(asked.length - 2);
  });
});

describe('did what it is for', () => {
  test.each(usedIn(template))('%s', (id) => {
    expect(records.uses.get(id) ?? 0).toBeGreaterThan(0);
  });
});

/** Parts that change nothing in the run, and the tests of the stack that hold them. */
const NOT_SEEN: readonly (readonly [part: RegExp, heldBy: string])[] = [
  [/AccessEntry\.Type$/, 'in the cluster come with access entries'],
  [
    /^(?:InstanceEvents|InstanceStates|Resume|ScheduledChanges|Scan|ZonalShifts)\.State$/,
    'switches evaluations by schedule, not what ends drains or happens by events',
  ],
  [
    /^(?:Resume|Scan)\.Targets\.\d\.RetryPolicy/,
    'has three targets every minute, one of which stays on, and repeats nothing that failed',
  ],
  [
    /^(?:InstanceEvents|InstanceStates|ScheduledChanges|ZonalShifts)\.Targets\.0\.RetryPolicy/,
    'come when AWS says that something happened to machines',
  ],
  [/^DrainSqsEventSource.*\.BatchSize$/, 'has rounds as messages of a queue with delays'],
  [/^ScaleUpSqsEventSource.*\.(?:BatchSize|ScalingConfig)/, 'gives two evaluations at a time, no more'],
  [/^(?:Actuate|Wake)DynamoDBEventSource.*\.(?:BatchSize|Maximum\w+)$/, 'tries a record of the stream again'],
];

test('every part that the run does not show is one of the template, and held by a test of the stack', () => {
  const parts = withoutWires(template).map(([name]) => name);
  expect(NOT_SEEN.filter(([part]) => !parts.some((name) => part.test(name)))).toEqual([]);
  expect(NOT_SEEN.filter(([, heldBy]) => !cdkTestsNamed(heldBy))).toEqual([]);
});

describe('something happens otherwise, or the template is refused, without', () => {
  const place = { account: ACCOUNT, region };
  test.each(withoutWires(template))('%s', async (name, mutant) => {
    const isSeen = !NOT_SEEN.some(([part]) => part.test(name));
    const changed = () => wiringOf(mutant, resolveIn(mutant), place);
    expect(await isRewired(wiringOf(template, resolve, place), changed, records.occasions)).toBe(isSeen);
  });
});

/** Variables without which a function starts. */
const OPTIONAL: Readonly<Record<string, string>> = {
  NODE_OPTIONS: 'It takes more memory without it.',
  POWERTOOLS_TRACE_ENABLED: 'Without it segments are made and thrown away.',
};

describe('does not start, and says why, without', () => {
  const variables = variablesOf(template).filter(({ variable }) => OPTIONAL[variable] === undefined);
  const rows = variables.map(({ id, name, variable }) => [name, variable, id] as const);
  test.each(sampleOf('variables', rows, 8))('%s: %s', async (_, variable, id) => {
    const { settings } = functions.find((each) => each.id === id)!.lambda;
    const { [variable]: __, ...environment } = settings.environment;
    const incomplete = lambdaFunction({ ...settings, name: `${id}-without-${variable}`, environment });
    onTestFinished(() => incomplete.stop());
    expect(await incomplete.invoke({}, settings.arn, traceHeader(1))).toMatchObject({
      kind: 'failed',
      message: expect.stringContaining(variable),
    });
  });
});
