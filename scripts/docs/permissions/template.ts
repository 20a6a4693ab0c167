import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { OutriggerStack } from '../../../cdk/cluster-stack.ts';
import { readClusters } from '../../../cdk/settings.ts';

/** An action that a role is allowed. */
export interface Right {
  /** The role's function. */
  readonly role: string;
  readonly action: string;
  readonly on: string;
  readonly condition: string;
}

/** A setting on which rights depend. */
export interface Adding {
  readonly settings: object;
  /** The effect of the setting, for the page. */
  readonly why: string;
}

const ROLE = 'arn:aws:iam::000000000000:role/ROLE';

/** Settings on which the rights depend, beside the mode: what they add is marked with them. */
export const ADDING: Readonly<Record<string, Adding>> = {
  'tracing: true': { settings: { tracing: true }, why: 'The functions send traces.' },
  'options.reservedCapacity: true': {
    settings: { options: { reservedCapacity: true } },
    why: '`ScaleUp` and `ScaleDown` may read the reserved instances, capacity reservations and savings plans of the account ([capacity that is paid for](consolidation.md#capacity-that-is-paid-for)).',
  },
  'options.expander: price': {
    settings: { options: { expander: 'price' } },
    why: 'The evaluations read the price list and the history of Spot prices. `consolidation` and `maxCostPerHour` have the same effect.',
  },
  'options.externalExpander': {
    settings: {
      options: {
        expander: 'external',
        externalExpander: 'arn:aws:lambda:eu-west-1:000000000000:function:EXPANDER',
      },
    },
    why: '`ScaleUp` may invoke this function ([the external expander](external-expander.md)).',
  },
  vpc: {
    settings: {
      vpc: { vpcId: 'vpc-00000000', subnetIds: ['subnet-00000000'], securityGroupIds: ['sg-00000000'] },
    },
    why: 'The functions that talk to the API server have network interfaces, which Lambda makes in the name of their roles; with `applyManifests`, `Manifests` too.',
  },
  role: {
    settings: { role: ROLE },
    why: 'The functions may assume this role. What they may do to EKS, EC2 and Auto Scaling otherwise, this role may ([network-and-accounts.md](network-and-accounts.md#a-cluster-in-another-account)), and they may not.',
  },
  'snapshots: true': {
    settings: { snapshots: true, options: { incrementalReads: true } },
    why: 'There is a bucket with snapshots of cached lists, which both evaluations read and `ScaleDown` writes ([large-clusters.md](large-clusters.md#cold-starts)).',
  },
  kmsKeyArn: {
    settings: { kmsKeyArn: 'arn:aws:kms:eu-west-1:000000000000:key/00000000-0000-0000-0000-000000000000' },
    why: 'The functions use this key, by SQS, DynamoDB and S3 alone. Its policy lets the logs and the schedules use it ([SECURITY.md](../SECURITY.md#encryption-at-rest)).',
  },
  eventBusArn: {
    settings: { eventBusArn: 'arn:aws:events:eu-west-1:000000000000:event-bus/BUS' },
    why: 'The functions put events on this bus, with `mode: act` ([messages.md](messages.md)).',
  },
  messageTopicArn: {
    settings: { messageTopicArn: 'arn:aws:sns:eu-west-1:000000000000:TOPIC' },
    why: 'The functions put events on the default bus of the account, with `mode: act`, and a role of EventBridge publishes them to this topic ([messages.md](messages.md#slack-teams-and-mail)).',
  },
  'applyManifests: true': {
    settings: { applyManifests: true },
    why: 'There is a function `Manifests`, whose role is a cluster administrator ([decision 24](decisions/0024-manifests-applied-by-the-stack.md)).',
  },
  discovery: {
    settings: { discovery: { tags: ['TAG'], nodes: ['1:10:GROUP'] } },
    why: 'The groups that may be changed are those with these tags or of these names, and not those with the tag of the cluster.',
  },
  clusterApi: {
    settings: { clusterApi: {} },
    why: '`Actuate` sets sizes by the API server, and so has an access entry, and network interfaces with `vpc`. The functions are in the groups `outrigger-cluster-api` and `outrigger-machines`. With `autoScalingGroups: false` no function has rights to EC2 and Auto Scaling ([cluster-api.md](cluster-api.md)).',
  },
  'clusterApi.managementCluster': {
    settings: { clusterApi: { managementCluster: { name: 'MANAGEMENT' } } },
    why: 'These groups, and access entries for them, are in the management cluster; `Actuate` has no access to the cluster itself.',
  },
  'clusterApi.managementCluster.role': {
    settings: { clusterApi: { managementCluster: { name: 'MANAGEMENT', role: ROLE } } },
    why: 'The functions may assume this role for the management cluster, and describe no cluster of that name.',
  },
  'webhook: httpApi': {
    settings: { webhook: 'httpApi' },
    why: 'API Gateway may call `Ingest`, for the one route of the HTTP API, and not everyone. With `webhook: none` there is no such function.',
  },
  'dashboard: false': {
    settings: { dashboard: false },
    why: 'There is neither a dashboard nor the function `Widget`.',
  },
};

/** Settings on which no right depends, with a value that is not the default one. A setting in neither list fails a test. */
export const WITHOUT_RIGHTS: Readonly<Record<string, object>> = {
  region: { region: 'eu-west-1' },
  account: { region: 'eu-west-1', account: '000000000000' },
  defaults: { defaults: 'cluster-autoscaler' },
  reservedConcurrency: { reservedConcurrency: 5 },
  drains: { drains: 'durable' },
  scanInterval: { scanInterval: '5m' },
  size: { size: 'large' },
  // CloudWatch sends alarms by the policy of the topic.
  alarmTopicArn: { alarmTopicArn: 'arn:aws:sns:eu-west-1:000000000000:TOPIC' },
  schedulerUsers: { schedulerUsers: ['system:serviceaccount:kube-system:SCHEDULER'] },
  flowSchema: { flowSchema: true },
  webhookTokenHashes: { webhookTokenHashes: ['0'.repeat(64)] },
};

/** Settings without an effect of their own, each compared with a second setting alone. */
export const WITHOUT_RIGHTS_BESIDE: Readonly<Record<string, { readonly other: object; readonly settings: object }>> = {
  // Another token, by the same function.
  webhookTokenVersion: { other: { applyManifests: true }, settings: { webhookTokenVersion: 2 } },
  // It is for the trust policy of the role.
  externalId: { other: { role: ROLE }, settings: { externalId: 'ID' } },
};

type Resources = Readonly<
  Record<string, { readonly Type: string; readonly Properties: Readonly<Record<string, unknown>> }>
>;

/** Stacks are synthesized once for equal settings: the page asks for some of them again and again. */
const synthesized = new Map<string, Resources>();

/** The resources of the stack of a cluster `NAME` with these settings. */
export function resourcesFor(settings: object): Resources {
  const key = JSON.stringify(settings);
  const resources = synthesized.get(key) ?? synthesize(settings);
  synthesized.set(key, resources);
  return resources;
}

function synthesize(settings: object): Resources {
  const bundles = mkdtempSync(path.join(tmpdir(), 'outrigger-docs-'));
  try {
    for (const name of ['ingest', 'wake', 'scale-up', 'scale-down', 'actuate', 'drain', 'manifests', 'widget']) {
      mkdirSync(path.join(bundles, name));
      writeFileSync(path.join(bundles, name, 'index.mjs'), '');
    }
    const [cluster] = readClusters([{ name: 'NAME', ...settings }]);
    const stack = new OutriggerStack(new App(), 'Outrigger-NAME', { cluster: cluster!, bundles });
    return (Template.fromStack(stack).toJSON() as { readonly Resources: Resources }).Resources;
  } finally {
    rmSync(bundles, { recursive: true, force: true });
  }
}

interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

interface Policy {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
  readonly Roles: readonly { readonly Ref: string }[];
}

/** The rights of a stack's roles, action by action. */
export const rightsIn = (resources: Resources): readonly Right[] =>
  Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::IAM::Policy')
    .flatMap(({ Properties }) => {
      const { PolicyDocument, Roles } = Properties as unknown as Policy;
      const allowed = PolicyDocument.Statement.filter(({ Effect }) => Effect === 'Allow');
      return allowed.flatMap(({ Action, Resource, Condition }) =>
        [Action].flat().flatMap((action) =>
          Roles.map(({ Ref }) => ({
            role: roleOf(Ref),
            action,
            on: [Resource]
              .flat()
              .map((one) => printed(one, resources))
              .join(', '),
            condition: Condition === undefined ? '' : conditionText(Condition),
          })),
        ),
      );
    });

/** The conditions of the stack in words; others as they are. */
function conditionText(condition: unknown): string {
  const text = JSON.stringify(condition);
  const items = /^\{"ForAllValues:StringEquals":\{"dynamodb:LeadingKeys":(\[.*\])\}\}$/.exec(text);
  if (items !== null) {
    return `items of ${(JSON.parse(items[1]!) as readonly string[]).map((key) => `\`${key}\``).join(', ')}`;
  }
  const tagged = /^\{"Null":\{"aws:ResourceTag\/([^"]+)":"false"\}\}$/.exec(text);
  return tagged === null ? `where \`${text}\`` : `groups with the tag \`${tagged[1]}\``;
}

const roleOf = (id: string): string => id.replace(/Role[0-9A-F]{8}$/, '');

/** A statement of a resource's own policy that allows principals other than roles, or denies. */
export interface Grant {
  readonly resource: string;
  readonly effect: 'Allow' | 'Deny';
  readonly action: string;
  readonly to: string;
}

/** The statements of the policies of queues, buckets and functions. */
export const grantsIn = (resources: Resources): readonly Grant[] =>
  Object.values(resources).flatMap(({ Type, Properties }) => {
    if (Type === 'AWS::Lambda::Permission') {
      const { Action, FunctionName, Principal, SourceArn } = Properties;
      const source = SourceArn === undefined ? '' : ` for ${printed(SourceArn, resources)}`;
      return [
        {
          resource: printed(FunctionName, resources),
          effect: 'Allow' as const,
          action: Action as string,
          to: `${principalOf(Principal)}${source}`,
        },
      ];
    }
    return Type === 'AWS::SQS::QueuePolicy' || Type === 'AWS::S3::BucketPolicy'
      ? policyGrants(Properties as unknown as ResourcePolicy, resources)
      : [];
  });

interface ResourcePolicy {
  readonly PolicyDocument: {
    readonly Statement: readonly (Statement & {
      readonly Principal: unknown;
      readonly Condition: { readonly ArnEquals?: Readonly<Record<string, unknown>> };
    })[];
  };
}

const policyGrants = ({ PolicyDocument }: ResourcePolicy, resources: Resources): readonly Grant[] =>
  PolicyDocument.Statement.flatMap(({ Effect, Action, Principal, Resource, Condition }) => {
    const source = Condition.ArnEquals?.['aws:SourceArn'];
    const how = source === undefined ? ` where \`${JSON.stringify(Condition)}\`` : ` for ${printed(source, resources)}`;
    return [Action].flat().map((action) => ({
      // A bucket and its objects are listed as the bucket.
      resource: printed([Resource].flat()[0], resources),
      effect: Effect,
      action,
      to: `${principalOf(Principal)}${how}`,
    }));
  });

function principalOf(principal: unknown): string {
  const one = typeof principal === 'object' ? Object.values(principal as object)[0] : principal;
  return one === '*' ? 'everyone' : `\`${String(one)}\``;
}

const KINDS: Readonly<Record<string, string>> = {
  'AWS::SQS::Queue': 'queue',
  'AWS::S3::Bucket': 'bucket',
  'AWS::Logs::LogGroup': 'log group',
  'AWS::DynamoDB::GlobalTable': 'table',
  'AWS::Lambda::Function': 'function',
  'AWS::Lambda::Alias': 'alias',
  'AWS::Events::Rule': 'rule',
};

/** A value of the template, as it is printed: the kind and the name of a resource, or an ARN. */
function printed(value: unknown, resources: Resources): string {
  if (typeof value === 'string') {
    return `\`${value}\``;
  }
  const { Ref, ...functions } = value as Readonly<Record<string, unknown>>;
  if (typeof Ref === 'string') {
    return named(Ref, '', resources);
  }
  const attribute = functions['Fn::GetAtt'] as readonly [string, string] | undefined;
  if (attribute !== undefined) {
    return named(attribute[0], attribute[1] === 'StreamArn' ? 'the stream of ' : '', resources);
  }
  const [separator, parts] = functions['Fn::Join'] as readonly [string, readonly unknown[]];
  if (typeof parts[0] !== 'string' && parts.at(-1) === ':*') {
    return `the versions of ${printed(parts[0], resources)}`;
  }
  if (typeof parts[0] !== 'string' && parts.length === 2) {
    return `\`${String(parts[1]).slice(1)}\` in ${printed(parts[0], resources)}`;
  }
  return `\`${parts.map((part) => (typeof part === 'string' ? part : '*')).join(separator)}\``;
}

const named = (id: string, prefix: string, resources: Resources): string =>
  `${prefix}${KINDS[resources[id]!.Type] ?? resources[id]!.Type} \`${id.replace(/[0-9A-F]{8}$/, '')}\``;
