import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App, DefaultStackSynthesizer, type IStackSynthesizer } from 'aws-cdk-lib';
import { OutriggerStack } from '../../cdk/cluster-stack.ts';
import { readClusters } from '../../cdk/settings.ts';
import { MODES, SIZES } from '../../config/schema.ts';
import { ROOT } from '../build/bundle.ts';
import { mergeTemplates, type Template, templateFrom, withNamedConditions, withParameters } from './cloudformation.ts';
import { zipOf } from './zip.ts';

/** A setting that is a parameter with a few values: the template is synthesized with each of them. */
interface Choice {
  readonly parameter: string;
  readonly setting: string;
  readonly values: readonly string[];
  readonly default: string;
  readonly description: string;
}

const CHOICES: readonly Choice[] = [
  {
    parameter: 'Mode',
    setting: 'mode',
    values: MODES,
    default: 'observe',
    description: 'observe: decide and record, and change nothing. act: carry the decisions out.',
  },
  {
    parameter: 'WebhookEndpoint',
    setting: 'webhook',
    // Without a webhook, its manifest is not applied.
    values: ['functionUrl', 'httpApi'],
    default: 'functionUrl',
    description:
      'How the API server reaches the webhook: a Lambda function URL, or an HTTP API where the account or the region has none.',
  },
  {
    parameter: 'Size',
    setting: 'size',
    values: SIZES,
    default: 'medium',
    description: 'How large the cluster becomes: small up to about 300 nodes, medium up to 1500, large beyond.',
  },
];

// Values that stand for a parameter while the template is synthesized.
const CLUSTER = 'outrigger-cluster-name';
const BUCKET = 'outrigger-code-bucket';
const PREFIX = 'outrigger-code-prefix/';
const TOPIC = 'arn:aws:sns:us-east-1:123456789012:outrigger-alarm-topic';
/** Among the rights are those of the options that need more of AWS than others: to read prices. */
const OPTIONS = { expander: ['price'] };

/** The parameters that replace the values. */
const REPLACED: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  [CLUSTER, { Ref: 'ClusterName' }],
  [BUCKET, { Ref: 'CodeBucket' }],
  [PREFIX, { Ref: 'CodePrefix' }],
  [TOPIC, { 'Fn::If': ['HasAlarmTopic', { Ref: 'AlarmTopicArn' }, { Ref: 'AWS::NoValue' }] }],
  [JSON.stringify(OPTIONS), { Ref: 'Options' }],
]);

const PARAMETERS = {
  ClusterName: {
    Type: 'String',
    AllowedPattern: '^[0-9A-Za-z][A-Za-z0-9_-]{0,99}$',
    Description: 'Name of the EKS cluster, which is in the account and region of the stack.',
  },
  CodeBucket: {
    Type: 'String',
    AllowedPattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$',
    Description: 'Bucket with the code of the functions, in the region of the stack.',
  },
  CodePrefix: {
    Type: 'String',
    Default: '',
    AllowedPattern: '^([A-Za-z0-9._/-]{1,200}/)?$',
    ConstraintDescription: 'must be empty, or end with a slash',
    Description: 'What the keys of the code begin with in the bucket, up to a slash.',
  },
  Options: {
    Type: 'String',
    Default: '{}',
    AllowedPattern: String.raw`^\{[\s\S]{0,2798}\}$`,
    ConstraintDescription: 'must be a JSON object of at most 2800 bytes',
    Description: 'Scaling options as JSON, under the names of docs/options.md, such as {"scaleDownUnneededTime":"5m"}.',
  },
  AlarmTopicArn: {
    Type: 'String',
    Default: '',
    AllowedPattern: String.raw`^(arn:aws[a-z-]*:sns:[a-z0-9-]+:\d{12}:[A-Za-z0-9_-]{1,256}(\.fifo)?)?$`,
    Description: 'SNS topic that alarms are sent to. Empty: none.',
  },
};

const conditionOf = ({ parameter }: Choice, value: string): string =>
  `${parameter}Is${value[0]!.toUpperCase()}${value.slice(1)}`;

/** The template of a release, and the folders with the code that it names. */
export interface ReleaseTemplate {
  readonly template: Readonly<Record<string, unknown>>;
  /** ZIP archives with the code of the functions, by the names that the template gives them. */
  readonly code: ReadonlyMap<string, Buffer>;
}

/**
 * Makes the CloudFormation template of a release, which is deployed without the CDK. Its resources are those of the
 * stack of `outrigger install`, with parameters instead of settings.
 *
 * @param bundles the folder with one folder per function
 */
export function releaseTemplate(version: string, bundles: string): ReleaseTemplate {
  const outdir = mkdtempSync(path.join(tmpdir(), 'outrigger-release-'));
  try {
    const template = templateOf(version, synthesizeAll(CHOICES, { bundles, outdir }));
    return { template, code: codeOf(template, outdir) };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

function templateOf(version: string, merged: Template): ReleaseTemplate['template'] {
  const { Parameters, Conditions, Resources, Outputs } = withNamedConditions(merged);
  // The manifests depend on options, which are a parameter here: a release has them as files.
  const { Rbac: _, ...outputs } = Outputs;
  return {
    AWSTemplateFormatVersion: '2010-09-09',
    Description: `Outrigger ${version}: keeps an EKS cluster the right size. Settings that are no parameters of this template need the CDK. Steps: docs/release.md`,
    Parameters: { ...PARAMETERS, ...choiceParameters(), ...Parameters },
    Conditions: {
      HasAlarmTopic: { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'AlarmTopicArn' }, ''] }] },
      ...choiceConditions(JSON.stringify(Resources)),
      ...Conditions,
    },
    Resources,
    Outputs: outputs,
  };
}

const choiceParameters = (): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    CHOICES.map(({ parameter, values, default: Default, description: Description }) => [
      parameter,
      { Type: 'String', AllowedValues: values, Default, Description },
    ]),
  );

/** The conditions that are named in the resources: of the last value of a choice there may be none. */
const choiceConditions = (resources: string): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    CHOICES.flatMap((choice) => choice.values.map((value) => ({ choice, value, name: conditionOf(choice, value) })))
      .filter(({ name }) => resources.includes(`"${name}"`))
      .map(({ choice, value, name }) => [name, { 'Fn::Equals': [{ Ref: choice.parameter }, value] }]),
  );

/** The folders of a synthesis: its input and its output. */
interface Synthesis {
  readonly bundles: string;
  readonly outdir: string;
}

/** Synthesizes the stack with each combination of values. */
function synthesizeAll(
  [choice, ...rest]: readonly Choice[],
  synthesis: Synthesis,
  settings: Readonly<Record<string, string>> = {},
): Template {
  return choice === undefined
    ? synthesize(settings, synthesis)
    : mergeTemplates(
        choice.values.map((value) => ({
          condition: conditionOf(choice, value),
          value: synthesizeAll(rest, synthesis, { ...settings, [choice.setting]: value }),
        })),
      );
}

function synthesize(settings: Readonly<Record<string, string>>, { bundles, outdir }: Synthesis): Template {
  const { context } = JSON.parse(readFileSync(path.join(ROOT, 'cdk.json'), 'utf8')) as {
    readonly context: Readonly<Record<string, unknown>>;
  };
  const [cluster] = readClusters([{ name: CLUSTER, options: OPTIONS, alarmTopicArn: TOPIC, ...settings }]);
  const app = new App({ outdir, analyticsReporting: false, postCliContext: { ...context } });
  const stack = new OutriggerStack(app, 'Outrigger', {
    cluster: cluster!,
    bundles,
    synthesizer: new DefaultStackSynthesizer({
      fileAssetsBucketName: BUCKET,
      bucketPrefix: PREFIX,
      generateBootstrapVersionRule: false,
    }) as IStackSynthesizer,
  });
  const template = app.synth().getStackByName(stack.stackName).template as Readonly<Record<string, unknown>>;
  return templateFrom(withParameters(template, REPLACED) as typeof template);
}

/** The code that the functions of a template name, from where the CDK has staged it. */
function codeOf(template: unknown, outdir: string): ReadonlyMap<string, Buffer> {
  const hashes = [...JSON.stringify(template).matchAll(/"([0-9a-f]{64})\.zip"/g)].map(([, hash]) => hash!);
  return new Map(
    [...new Set(hashes)].sort().map((hash) => {
      const folder = path.join(outdir, `asset.${hash}`);
      const files = readdirSync(folder).map((file) => [file, readFileSync(path.join(folder, file))] as const);
      return [`${hash}.zip`, zipOf(Object.fromEntries(files))];
    }),
  );
}
