import type { Options } from '@outrigger/core/model/options.ts';
import type { Counterpart, FlagValue } from './flags.ts';
import { presentItems } from '@outrigger/core/model/values/optional.ts';

/** The counterpart of a setting of Node Termination Handler. */
type HandlerCounterpart =
  | Exclude<Counterpart, { kind: 'option' }>
  /** An option; `values` has the option's value for each value of the setting. */
  | {
      readonly kind: 'option';
      readonly option: keyof Options;
      readonly values: Readonly<Record<string, string>>;
      readonly why: string;
    };

/** A setting of AWS Node Termination Handler. */
export interface HandlerSetting {
  /** The environment variable. The flag of the command line is the same word, in lower case and with dashes. */
  readonly name: string;
  readonly value: FlagValue;
  readonly counterpart: HandlerCounterpart;
  /**
   * The mode that reads the setting: the DaemonSet mode, which asks the metadata of its instance, or the queue mode.
   */
  readonly mode: 'any' | 'IMDS' | 'queue';
  /** The setting may hold a credential, and is not printed. */
  readonly secret: boolean;
  /** Another name, of a flag or of older versions; `null`: there is none. */
  readonly alias: string | null;
}

const setting = (
  name: string,
  value: FlagValue,
  counterpart: HandlerCounterpart,
  more: Partial<HandlerSetting> = {},
): HandlerSetting => ({ mode: 'any', secret: false, alias: null, ...more, name, value, counterpart });

const option = (its: keyof Options, values: Readonly<Record<string, string>>, why = ''): HandlerCounterpart => ({
  kind: 'option',
  option: its,
  values,
  why,
});
const place = (its: string, why: string): HandlerCounterpart => ({ kind: 'setting', setting: its, why });
const builtIn = (value: string, why: string): HandlerCounterpart => ({ kind: 'built in', value, why });
const meaningless = (why: string): HandlerCounterpart => ({ kind: 'meaningless', why });
const missing = (value: string, why: string): HandlerCounterpart => ({ kind: 'missing', value, why });

const IMDS = { mode: 'IMDS' } as const;
const QUEUE = { mode: 'queue' } as const;

const NO_HOOK =
  'Outrigger drains the node for a terminating lifecycle hook whose name begins with outrigger, and completes the hook; hooks with other names are left to other tools.';
const REPLACED_FIRST = 'The replacement is launched first. The node is drained once its pods have capacity.';

const WHICH_NOTICES: readonly HandlerSetting[] = [
  setting(
    'ENABLE_SPOT_INTERRUPTION_DRAINING',
    'boolean',
    option('spotInterruption', { true: 'drain', false: 'ignore' }),
    IMDS,
  ),
  setting(
    'ENABLE_SCHEDULED_EVENT_DRAINING',
    'boolean',
    option('scheduledChange', { true: 'drain', false: 'ignore' }),
    IMDS,
  ),
  setting(
    'ENABLE_REBALANCE_MONITORING',
    'boolean',
    option('rebalanceRecommendation', { true: 'cordon', false: 'ignore' }),
    IMDS,
  ),
  setting(
    'ENABLE_REBALANCE_DRAINING',
    'boolean',
    option('rebalanceRecommendation', { true: 'replace', false: 'ignore' }, REPLACED_FIRST),
    IMDS,
  ),
  setting('ENABLE_ASG_LIFECYCLE_DRAINING', 'boolean', missing('false', NO_HOOK), IMDS),
  setting(
    'ENABLE_SQS_TERMINATION_DRAINING',
    'boolean',
    builtIn(
      'true',
      'Rules of EventBridge deliver the events to the function wake; there is no queue, and no pod on each node.',
    ),
  ),
  setting('DRY_RUN', 'boolean', place('mode', 'observe decides and records, act acts. What is written is observe.')),
];

const DRAINS: readonly HandlerSetting[] = [
  setting(
    'CORDON_ONLY',
    'boolean',
    missing('false', 'A node is drained or left to AWS; rebalanceRecommendation alone has cordon.'),
  ),
  setting(
    'POD_TERMINATION_GRACE_PERIOD',
    'integer',
    builtIn(
      '-1',
      'Pods have their own grace periods, up to maxGracefulTerminationSec, which is for scale-down too and not written, and cut to the time that is left.',
    ),
    { alias: 'GRACE_PERIOD' },
  ),
  setting(
    'NODE_TERMINATION_GRACE_PERIOD',
    'integer',
    builtIn(
      '3600',
      'A drain begins one hour before a scheduled end, and at once on a Spot interruption; it has until the end.',
    ),
  ),
  setting(
    'TAINT_NODE',
    'boolean',
    builtIn('true', "A drained node bears the taint of every removal, not the handler's."),
  ),
  setting('TAINT_EFFECT', 'string', builtIn('NoSchedule', 'Pods are asked to go by eviction.')),
  setting(
    'ENABLE_OUT_OF_SERVICE_TAINT',
    'boolean',
    missing('false', 'The instance is ended when its pods are gone, or at the deadline.'),
  ),
  setting('EXCLUDE_FROM_LOAD_BALANCERS', 'boolean', builtIn('true', 'The label is among the markers of a drain.')),
  setting('DELETE_LOCAL_DATA', 'boolean', builtIn('true', 'Local storage does not delay an interrupted instance.')),
  setting('IGNORE_DAEMON_SETS', 'boolean', builtIn('true', 'DaemonSet pods are left to the end of the instance.')),
];

const NO_QUEUE = 'There is no queue: rules of EventBridge invoke the function wake.';
const OWN_GROUPS =
  "A notice is about the instances of the cluster's node groups, which discovery finds; no tag of an instance is read.";

const QUEUE_MODE: readonly HandlerSetting[] = [
  setting('QUEUE_URL', 'string', meaningless(NO_QUEUE), QUEUE),
  setting('SQS_MSG_VISIBILITY_TIMEOUT_SEC', 'integer', meaningless(NO_QUEUE), QUEUE),
  setting(
    'DELETE_SQS_MSG_IF_NODE_NOT_FOUND',
    'boolean',
    builtIn('true', "An event about an instance that is not the cluster's ends with the look-up."),
    QUEUE,
  ),
  setting(
    'WORKERS',
    'integer',
    meaningless('Drains are independent of each other; their number is not limited for notices that end an instance.'),
    QUEUE,
  ),
  setting('CHECK_TAG_BEFORE_DRAINING', 'boolean', builtIn('true', OWN_GROUPS), {
    ...QUEUE,
    alias: 'CHECK_ASG_TAG_BEFORE_DRAINING',
  }),
  setting('MANAGED_TAG', 'string', meaningless(OWN_GROUPS), { ...QUEUE, alias: 'MANAGED_ASG_TAG' }),
  setting('USE_PROVIDER_ID', 'boolean', builtIn('true', 'A node is that of an instance by its provider ID.'), QUEUE),
  setting(
    'HEARTBEAT_INTERVAL',
    'integer',
    builtIn('20', 'A drain for a lifecycle hook sends a heartbeat when the last was 20 seconds before.'),
    QUEUE,
  ),
  setting('HEARTBEAT_UNTIL', 'integer', builtIn('900', 'A drain for a lifecycle hook has 15 minutes.'), QUEUE),
  setting(
    'COMPLETE_LIFECYCLE_ACTION_DELAY_SECONDS',
    'integer',
    missing('-1', 'The hook is completed when the pods are gone, or at the deadline.'),
    QUEUE,
  ),
];

const TOPIC =
  'Not written. Name an SNS topic that posts to Slack, Teams or a URL: each interruption is a message there (docs/messages.md).';
const NO_WEBHOOK = 'The functions post to no URL. The messages of messageTopicArn have a layout of their own.';
const NO_ENDPOINT =
  'The stack has no endpoint to scrape: its metrics are in CloudWatch. outrigger local has --address.';
const NO_PROBES = 'There is no process to probe. Alarms of the stack report functions that fail.';
const secret = { secret: true } as const;

const REPORTS: readonly HandlerSetting[] = [
  setting('WEBHOOK_URL', 'string', place('messageTopicArn', TOPIC), secret),
  setting('WEBHOOK_HEADERS', 'string', missing('', NO_WEBHOOK), secret),
  setting('WEBHOOK_PROXY', 'string', missing('', NO_WEBHOOK), secret),
  setting('WEBHOOK_TEMPLATE', 'string', missing('', NO_WEBHOOK)),
  setting('WEBHOOK_TEMPLATE_FILE', 'string', missing('', NO_WEBHOOK)),
  setting(
    'EMIT_KUBERNETES_EVENTS',
    'boolean',
    builtIn('true', 'The node has events of its drain, its pods of their eviction.'),
  ),
  setting('KUBERNETES_EVENTS_EXTRA_ANNOTATIONS', 'string', missing('', 'Events have no annotations.')),
  setting('JSON_LOGGING', 'boolean', builtIn('true', 'Logs are JSON in CloudWatch.')),
  setting('LOG_LEVEL', 'string', meaningless('Logs are JSON in CloudWatch; there are no verbosity levels.')),
  setting('LOG_FORMAT_VERSION', 'integer', meaningless('Logs are JSON in CloudWatch, of one format.')),
  setting('ENABLE_PROMETHEUS_SERVER', 'boolean', missing('false', NO_ENDPOINT)),
  setting('PROMETHEUS_SERVER_PORT', 'integer', meaningless(NO_ENDPOINT)),
  setting('ENABLE_PROBES_SERVER', 'boolean', meaningless(NO_PROBES)),
  setting('PROBES_SERVER_PORT', 'integer', meaningless(NO_PROBES)),
  setting('PROBES_SERVER_ENDPOINT', 'string', meaningless(NO_PROBES)),
];

const NO_METADATA = 'The metadata of instances is not asked; rules of EventBridge deliver the events.';
const OWN_POD = 'Outrigger has no pod in the cluster.';
const NO_CLIENT = 'There is no long-lived client: an evaluation lists each kind of object once.';
const API_SERVER = 'The address of the API server comes from EKS, or from the kubeconfig.';
const ROLES = 'The functions authenticate with their roles.';

const ENVIRONMENT: readonly HandlerSetting[] = [
  setting('AWS_REGION', 'string', place('region', 'The region of the cluster.')),
  setting('AWS_ENDPOINT', 'string', meaningless('Of tests. The clients of AWS have their own.')),
  setting('AWS_ACCESS_KEY_ID', 'string', meaningless(ROLES), secret),
  setting('AWS_SECRET_ACCESS_KEY', 'string', meaningless(ROLES), secret),
  setting('INSTANCE_METADATA_URL', 'string', meaningless(NO_METADATA), { ...IMDS, alias: 'METADATA_URL' }),
  setting('METADATA_TRIES', 'integer', meaningless(NO_METADATA), IMDS),
  setting('UPTIME_FROM_FILE', 'string', meaningless(NO_METADATA)),
  setting('KUBE_API_QPS', 'integer', meaningless(NO_CLIENT)),
  setting('KUBE_API_BURST', 'integer', meaningless(NO_CLIENT)),
  setting('USE_APISERVER_CACHE', 'boolean', meaningless(NO_CLIENT)),
  setting('KUBERNETES_SERVICE_HOST', 'string', meaningless(API_SERVER)),
  setting('KUBERNETES_SERVICE_PORT', 'string', meaningless(API_SERVER)),
  setting('NODE_NAME', 'string', meaningless(OWN_POD)),
  setting('POD_NAME', 'string', meaningless(OWN_POD)),
  setting('NAMESPACE', 'string', meaningless(OWN_POD), { alias: 'POD_NAMESPACE' }),
];

/** The settings of AWS Node Termination Handler, as its configuration reads them in version 1.25: all of its environment variables. */
export const HANDLER_SETTINGS: readonly HandlerSetting[] = [
  ...WHICH_NOTICES,
  ...DRAINS,
  ...QUEUE_MODE,
  ...REPORTS,
  ...ENVIRONMENT,
];

const BY_NAME: ReadonlyMap<string, HandlerSetting> = new Map(
  HANDLER_SETTINGS.flatMap((one) => presentItems([one.name, one.alias]).map((name) => [name, one] as const)),
);

/** The setting of an environment variable, also by its older name; `null` where there is none. */
export const handlerSettingOf = (name: string): HandlerSetting | null => BY_NAME.get(name) ?? null;
