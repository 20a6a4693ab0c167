import { firstItem } from '@outrigger/core/model/values/existing.ts';
import * as z from 'zod';
import type { Discovery } from '@outrigger/core/model/discovery.ts';
import type { OptionDefaults, Options } from '@outrigger/core/model/options.ts';
import {
  type DurationMs,
  durationMs,
  formatDuration,
  minutes,
  parseDuration,
  seconds,
} from '@outrigger/core/model/values/time.ts';
import { A_TOKEN_HASH, TOKEN_HASH } from '@outrigger/core/model/values/token-hash.ts';
import { eksClusterName, externalId, ofPattern, region, role } from '@outrigger/providers/schema/aws-names.ts';
import { clusterApi } from '@outrigger/providers/schema/cluster-api.ts';
import { discovery } from '@outrigger/providers/schema/discovery.ts';
import { closed } from '@outrigger/providers/schema/document.ts';
import { listOf } from '@outrigger/providers/schema/list-of.ts';
import { choice } from '@outrigger/providers/schema/names.ts';
import { manifested, refuse } from '@outrigger/providers/schema/read.ts';
import { type OptionsAsWritten, readWrittenOptions, writeGivenOptions } from './options.ts';

// outrigger.config.yaml: what is said of each setting here is what docs/configuration.md says.

export const MODES = ['observe', 'act'] as const;
export type Mode = (typeof MODES)[number];

/** The stack states the memory and time of each size. */
export const SIZES = ['small', 'medium', 'large'] as const;
export type ClusterSize = (typeof SIZES)[number];

/** Memory of the evaluations of each size, in MiB. */
export const SIZE_MEMORY_MIB: Readonly<Record<ClusterSize, number>> = { small: 768, medium: 1_769, large: 3_008 };

const WEBHOOKS = ['functionUrl', 'httpApi', 'none'] as const;
export type Webhook = (typeof WEBHOOKS)[number];

const clusterName = eksClusterName
  // Roles may change groups with the tag k8s.io/cluster-autoscaler/<name>, and IAM compares keys without case.
  .refine((name) => name.toLowerCase() !== 'enabled', {
    message: 'another name (every group of Cluster Autoscaler has the tag of a cluster "enabled")',
  });

const AN_ACCOUNT = 'twelve digits, in quotes where the first is 0';
const account = z.codec(z.union([z.string(), z.int()], AN_ACCOUNT), z.custom<string>(), {
  decode: (given, ctx) => (/^\d{12}$/.test(String(given)) ? String(given) : refuse(ctx, AN_ACCOUNT)),
  encode: (value) => value,
});

const topic = ofPattern(
  /^arn:aws[a-z-]{0,20}:sns:[a-z0-9-]{1,30}:\d{12}:[\w-]{1,256}(?:\.fifo)?$/,
  'the ARN of an SNS topic such as arn:aws:sns:eu-west-1:123456789012:alarms',
);
const standardTopic = ofPattern(
  /^arn:aws[a-z-]{0,20}:sns:[a-z0-9-]{1,30}:\d{12}:[\w-]{1,256}$/,
  'the ARN of a standard SNS topic such as arn:aws:sns:eu-west-1:123456789012:outrigger',
);
const eventBus = ofPattern(
  /^arn:aws[a-z-]{0,20}:events:[a-z0-9-]{1,30}:\d{12}:event-bus\/[\w.-]{1,256}$/,
  'the ARN of an event bus such as arn:aws:events:eu-west-1:123456789012:event-bus/default',
);
const resource = (kind: string): z.ZodType<string> =>
  ofPattern(new RegExp(`^${kind}-[0-9a-f]{8,17}$`), `an identifier such as ${kind}-0123456789abcdef0`);

const kmsKey = ofPattern(
  /^arn:aws[a-z-]*:kms:[a-z0-9-]{1,40}:\d{12}:key\/(?:mrk-[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
  'the ARN of a KMS key such as arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
);

const vpc = closed({
  vpcId: resource('vpc').describe('The VPC of the cluster.'),
  subnetIds: listOf(resource('subnet'), { min: 1, max: 16 }, 'subnets').describe(
    'Subnets from which the endpoint of the cluster can be reached.',
  ),
  securityGroupIds: listOf(resource('sg'), { min: 1, max: 5 }, 'security groups').describe(
    'Security groups that the endpoint of the cluster lets in.',
  ),
});

const AN_INTERVAL = '10s, 15s, 20s, 30s, or a duration of whole minutes from 1m to 1h';
/** Intervals of less than a minute. Each divides a minute, so that the scans between two of the schedule are evenly spaced. */
const SHORT_INTERVALS: readonly DurationMs[] = [10, 15, 20, 30].map(seconds);

/** The longest interval that is no longer than this; the shortest one for less. */
export function scanIntervalWithin(asked: DurationMs): DurationMs {
  const most = Math.floor(Math.min(asked, minutes(60)) / minutes(1));
  return most > 0
    ? minutes(most)
    : (SHORT_INTERVALS.findLast((interval) => interval <= asked) ?? firstItem(SHORT_INTERVALS));
}

const scanInterval = z.codec(z.string(AN_INTERVAL), z.custom<DurationMs>(), {
  decode: (text, ctx) => {
    const parsed = parseDuration(text);
    const length = durationMs(parsed.ok ? parsed.value : 0);
    return scanIntervalWithin(length) === length ? length : refuse(ctx, AN_INTERVAL);
  },
  encode: formatDuration,
});

const A_USER = 'the user of a scheduler such as system:serviceaccount:kube-system:my-scheduler';
const schedulerUser = ofPattern(/^[A-Za-z0-9][A-Za-z0-9:._@/-]{0,252}$/, A_USER);

const A_TOKEN_VERSION = 'an integer from 1 to 1000000';

const A_CONCURRENCY = 'an integer from 1 to 1000, or none';
/**
 * A function URL takes ten calls a second for each execution that is reserved. That is enough for a burst of pods; what is turned away
 * is found at the next scan.
 */
const CALLS = 10;

const options = manifested<OptionsAsWritten>(readWrittenOptions, ({ values }) => writeGivenOptions(values), {
  type: 'object',
});

/** Former names of settings, which are still read. */
export const FORMER_SETTINGS = { doorbellConcurrency: 'reservedConcurrency', tickInterval: 'scanInterval' };

/** Why the setting `drains` has no effect. */
export const DRAINS_OF_QUEUE = 'Messages of a queue drive all drains.';

/** The settings of a cluster. */
export const clusterSettings = closed(
  {
    name: clusterName.describe('Name of the EKS cluster.'),
    region: region
      .optional()
      .describe('Region of the cluster and of its stack.')
      .meta({ absent: "the region of the CDK's environment" }),
    account: account
      .optional()
      .describe('Account of the stack. Needs `region`.')
      .meta({ absent: "the account of the CDK's environment" }),
    role: role
      .optional()
      .describe('Role to assume for the cluster and its Auto Scaling groups, where they are in another account.'),
    externalId: externalId.optional().describe('External ID that the trust policy of `role` asks for.'),
    vpc: vpc
      .optional()
      .describe('Where the functions run, for an endpoint that is private or limited by `publicAccessCidrs`.'),
    mode: choice(MODES)
      .optional()
      .describe('`observe`: decide and record, and change nothing. `act`: carry the decisions out.')
      .meta({ absent: '`observe`' }),
    dryRun: z
      .boolean('true or false')
      .optional()
      .describe('The former way to say it: `true` is `mode: observe`, `false` is `mode: act`.'),
    discovery: discovery.optional().describe('Which Auto Scaling groups are node groups.').meta({
      absent: 'those with the tags `k8s.io/cluster-autoscaler/enabled` and `k8s.io/cluster-autoscaler/<name>`',
    }),
    clusterApi: clusterApi
      .optional()
      .describe(
        'Resources of Cluster API as node groups: MachineDeployments, MachineSets and MachinePools ([cluster-api.md](cluster-api.md)). `{}` is enough.',
      )
      .meta({ absent: 'none: Auto Scaling groups alone' }),
    defaults: choice<OptionDefaults>(['outrigger', 'cluster-autoscaler'])
      .default('outrigger')
      .describe('Whose default an absent option takes.'),
    options: options
      .optional()
      .describe(
        "Scaling options under the names of Cluster Autoscaler's flags, in camelCase or in kebab-case ([options.md](options.md)). Flags that have no meaning here are accepted with a warning ([flags.md](flags.md)).",
      ),
    webhook: choice(WEBHOOKS)
      .optional()
      .describe(
        'How the API server notifies Outrigger of pods without a node: a Lambda function URL, an HTTP API of API Gateway, or not at all. The HTTP API is for accounts that allow no public function URLs, and refuses more than 50 calls a second. Without a webhook the cluster is evaluated at each scan alone.',
      )
      .meta({ absent: '`functionUrl`; `httpApi` if `region` has no function URLs' }),
    webhookTokenHashes: listOf(ofPattern(TOKEN_HASH, A_TOKEN_HASH), { min: 0, max: 2 }, 'hashes')
      .optional()
      .describe(
        'SHA-256 of the tokens that the webhook accepts, as `npx outrigger token` prints them: one, or two while a token is being rotated. Of an empty list, none.',
      )
      .meta({ absent: 'the parameter `WebhookTokenHashes` of the stack' }),
    reservedConcurrency: z
      .union([z.int().min(1).max(1_000), z.literal('none')], A_CONCURRENCY)
      .optional()
      .describe(
        'Webhook notifications that are handled at the same time; more are turned away. They are taken from the concurrency of the account, all of which anybody who knows the function URL may take with `none`.',
      )
      .meta({ absent: `${CALLS} with \`webhook: functionUrl\`, otherwise \`none\`` }),
    size: choice(SIZES)
      .default('medium')
      .describe(
        'How large the cluster becomes, which decides on memory and time of the evaluations: `small` up to about 300 nodes, `medium` up to 1500, `large` beyond ([cost.md](cost.md)).',
      ),
    tracing: z
      .boolean('true or false')
      .default(false)
      .describe('Whether the functions are traced by AWS X-Ray, which costs about 0.70 USD a month.'),
    applyManifests: z
      .boolean('true or false')
      .default(false)
      .describe(
        'Whether the stack applies its manifests by itself, with a token for the webhook of its own, and removes them when it is deleted. A function of the stack is a cluster administrator for that ([decision 24](decisions/0024-manifests-applied-by-the-stack.md)).',
      ),
    webhookTokenVersion: z
      .int(A_TOKEN_VERSION)
      .min(1, A_TOKEN_VERSION)
      .max(1_000_000, A_TOKEN_VERSION)
      .optional()
      .describe('With `applyManifests`: another number makes another token. The one before is accepted until the next.')
      .meta({ absent: '1' }),
    flowSchema: z
      .boolean('true or false')
      .default(false)
      .describe(
        'Whether the manifests have a FlowSchema and a priority level: the lists of the functions then neither wait for other clients of the API server nor delay them.',
      ),
    snapshots: z
      .boolean('true or false')
      .default(false)
      .describe(
        'Whether the stack has a bucket with snapshots of the lists that the option `incrementalReads` keeps. Cold starts then need not read these lists in full ([large-clusters.md](large-clusters.md#cold-starts)). Needs that option.',
      ),
    dashboard: z
      .boolean('true or false')
      .default(true)
      .describe(
        'Whether the stack has a CloudWatch dashboard with a widget that says why ([dashboard.md](dashboard.md)). The first three dashboards of an account are free, each other one costs 3 USD a month.',
      ),
    alarmTopicArn: topic.optional().describe('SNS topic that alarms are sent to.'),
    eventBusArn: eventBus
      .optional()
      .describe(
        'EventBridge event bus for messages about scale-ups, removals, interruptions and problems ([messages.md](messages.md)).',
      )
      .meta({ absent: 'no messages, or with `messageTopicArn` the default bus' }),
    messageTopicArn: standardTopic
      .optional()
      .describe(
        'SNS topic for the same messages, as Slack and Teams show them: the stack has a rule that brings them from the bus to the topic ([messages.md](messages.md#slack-teams-and-mail)).',
      ),
    kmsKeyArn: kmsKey
      .optional()
      .describe(
        'KMS key that encrypts the table, the queues, the logs and the bucket of `snapshots: true`. Its policy must let the services use it ([SECURITY.md](../SECURITY.md#encryption-at-rest)).',
      )
      .meta({ absent: 'keys of AWS' }),
    scanInterval: scanInterval
      .optional()
      .describe(
        'Time between evaluations when no event causes one. Where it is less than a minute, scale-up is evaluated more often, and scale-down every minute: for clusters whose API server calls no webhook ([cost.md](cost.md)).',
      )
      .meta({ absent: '`1m`' }),
    drains: choice(['durable', 'schedule']).optional().describe(`Has no effect any more. ${DRAINS_OF_QUEUE}`),
    schedulerUsers: listOf(schedulerUser, { min: 0, max: 20 }, 'users')
      .default([])
      .describe(
        'Users of schedulers other than kube-scheduler whose FailedScheduling events cause an evaluation, such as `system:serviceaccount:kube-system:my-scheduler`.',
      ),
  },
  FORMER_SETTINGS,
);

const { name: _name, ...ofAnyCluster } = clusterSettings.shape;

/** The file. */
export const configuration = closed({
  defaults: closed(z.object(ofAnyCluster).partial().shape, FORMER_SETTINGS)
    .optional()
    .describe('Settings of each cluster that does not say otherwise. Options are merged one by one.'),
  fleetDashboard: z
    .boolean('true or false')
    .default(false)
    .describe(
      'Whether there is one more stack, `OutriggerFleet`, in each account and region, whose dashboard shows all clusters there ([many-clusters.md](many-clusters.md#one-dashboard)).',
    ),
  clusters: listOf(clusterSettings, { min: 1, max: 500 }, 'clusters').describe(
    'The clusters, each with a stack of its own.',
  ),
});

export const DEFAULT_SCAN_INTERVAL = minutes(1);

/** `null`: none is reserved. An HTTP API turns calls away itself. */
export const reservedConcurrencyOf = ({
  webhook,
  reservedConcurrency: given = webhook === 'functionUrl' ? CALLS : 'none',
}: Pick<z.output<typeof clusterSettings>, 'webhook' | 'reservedConcurrency'>): number | null =>
  given === 'none' ? null : given;

type Read = z.output<typeof clusterSettings>;

/** Settings that the file does not have are `null`. */
type OrNull<T> = { readonly [K in keyof T]-?: undefined extends T[K] ? Exclude<T[K], undefined> | null : T[K] };

/** Settings that have a value where the file does not have them. */
interface SettingsWithDefaults {
  readonly mode: Mode;
  /** The given options. */
  readonly options: Partial<Options>;
  readonly webhook: Webhook;
  readonly scanInterval: DurationMs;
}

/** The file's settings of one cluster, with defaults. */
export interface ClusterConfig
  extends
    SettingsWithDefaults,
    OrNull<Omit<Read, keyof SettingsWithDefaults | 'drains' | 'dryRun' | 'discovery' | 'reservedConcurrency'>> {
  /** `null`: by the tags of Cluster Autoscaler's convention. */
  readonly discovery: Discovery | null;
  /** `null`: none is reserved. */
  readonly reservedConcurrency: number | null;
}
