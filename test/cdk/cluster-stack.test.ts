import { type App, Validations } from 'aws-cdk-lib';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import manifest from 'outrigger/package.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { readClusters } from '../../cdk/settings.ts';
import { clusterName } from '../../core/model/values/names.ts';
import { dryRunOf } from '../../core/actuation/commit/dry-run-state.ts';
import { partitionOf } from '../../core/model/table-keys.ts';
import { TABLE } from '../../providers/dynamodb/table.ts';
import { CONTROLLERS, NODES, PERSISTENT_VOLUME_CLAIMS } from '../../providers/kubernetes/read/kinds.ts';
import { POD_GROUPS } from '../../providers/kubernetes/read/pod-groups.ts';
import { LISTED_RESOURCES } from '../../providers/kubernetes/read/reader.ts';
import { digestOfSettings } from '../../functions/manifests/manifests.ts';
import { manifestsOf } from '../../providers/kubernetes/manifests/manifests.ts';
import { rbac } from '../../providers/kubernetes/manifests/rbac.ts';
import { stackFor, templateFor, TOPIC } from './stack-for.ts';

const template = templateFor({ options: { scaleDownUnneededTime: '5m' }, alarmTopicArn: TOPIC });

const SNAPSHOTS = { snapshots: true, options: { incrementalReads: true } };

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: object;
}

const statements = (): readonly Statement[] =>
  Object.values(template.findResources('AWS::IAM::Policy')).flatMap(
    (policy) =>
      (policy as { Properties: { PolicyDocument: { Statement: Statement[] } } }).Properties.PolicyDocument.Statement,
  );

const actionsOf = ({ Action }: Statement): readonly string[] => [Action].flat();

it('has the version of the package as an output', () => {
  template.hasOutput('Version', { Value: manifest.version });
});

describe('functions', () => {
  it('are Node 24 on Graviton with JSON logs in a group that forgets', () => {
    template.resourceCountIs('AWS::Lambda::Function', 7);
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      Handler: 'index.handler',
      // Lambda's own lines are about what failed, not about each invocation.
      LoggingConfig: { LogFormat: 'JSON', SystemLogLevel: 'WARN', LogGroup: Match.anyValue() },
      Environment: { Variables: Match.objectLike({ OUTRIGGER_CLUSTER: 'web' }) },
    });
    template.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 30 });
  });

  it('are traced where the settings say so', () => {
    expect(JSON.stringify(template)).not.toMatch(/xray|TracingConfig/);
    const traced = templateFor({ tracing: true });
    traced.allResourcesProperties('AWS::Lambda::Function', { TracingConfig: { Mode: 'Active' } });
    expect(JSON.stringify(traced)).not.toContain('POWERTOOLS_TRACE_ENABLED');
  });

  it('hand the options on as they are written', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      MemorySize: 1_769,
      Environment: { Variables: Match.objectLike({ OUTRIGGER_OPTIONS: '{"scaleDownUnneededTime":"5m"}' }) },
    });
  });

  it('answer the webhook without credentials', () => {
    template.resourceCountIs('AWS::Lambda::Url', 1);
    template.hasResourceProperties('AWS::Lambda::Url', { AuthType: 'NONE' });
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ OUTRIGGER_TOKEN_HASHES: Match.anyValue() }) },
    });
  });
});

describe('a webhook behind an HTTP API', () => {
  const api = templateFor({ webhook: 'httpApi' });
  const [[id] = []] = Object.entries(api.findResources('AWS::ApiGatewayV2::Api'));

  it('has no function URL', () => {
    api.resourceCountIs('AWS::Lambda::Url', 0);
    expect(JSON.stringify(api)).not.toContain('FunctionUrl');
  });

  it('calls the function for the one path, with the event that a function URL has', () => {
    api.resourceCountIs('AWS::ApiGatewayV2::Route', 1);
    api.hasResourceProperties('AWS::ApiGatewayV2::Route', {
      RouteKey: 'POST /{token}/{cluster}',
      AuthorizationType: 'NONE',
    });
    const [[ingest] = []] = Object.entries(api.findResources('AWS::Lambda::Function')).filter(([name]) =>
      name.startsWith('Ingest'),
    );
    api.hasResourceProperties('AWS::ApiGatewayV2::Integration', {
      PayloadFormatVersion: '2.0',
      IntegrationType: 'AWS_PROXY',
      IntegrationUri: { 'Fn::GetAtt': [ingest, 'Arn'] },
    });
    api.hasResourceProperties('AWS::Lambda::Permission', {
      FunctionName: { 'Fn::GetAtt': [ingest, 'Arn'] },
      Principal: 'apigateway.amazonaws.com',
      SourceArn: { 'Fn::Join': ['', Match.arrayWith([{ Ref: id }, '/*/*/{token}/{cluster}'])] },
    });
  });

  it('turns calls away that are too many, adds nothing to their path and keeps no log of it', () => {
    api.hasResourceProperties('AWS::ApiGatewayV2::Stage', {
      StageName: '$default',
      AutoDeploy: true,
      AccessLogSettings: Match.absent(),
      DefaultRouteSettings: { ThrottlingRateLimit: 50, ThrottlingBurstLimit: 100 },
    });
  });

  it('has its address in the manifest', () => {
    const [output] = Object.values(api.findOutputs('Webhook'));
    const parts = (output as { Value: { 'Fn::Join': [string, unknown[]] } }).Value['Fn::Join'][1];
    const text = parts
      .map((part) => (typeof part === 'string' ? part : `<${Object.values(part as object)[0]}>`))
      .join('');
    expect(JSON.parse(text)).toMatchObject({
      webhooks: [{ clientConfig: { url: `https://<${id}>.execute-api.<AWS::Region>.<AWS::URLSuffix>/TOKEN/web` } }],
    });
  });
});

it('without a webhook there is no function for it, no token and no address, and the schedule stays', () => {
  const none = templateFor({ webhook: 'none' });
  none.resourceCountIs('AWS::Lambda::Function', 6);
  for (const type of ['Lambda::Url', 'ApiGatewayV2::Api']) {
    none.resourceCountIs(`AWS::${type}`, 0);
  }
  expect(JSON.stringify(none)).not.toMatch(/TOKEN|WebhookToken|Ingest/);
  expect(Object.keys(none.findOutputs('*'))).not.toContain('Webhook');
  expect(Object.keys(none.findResources('AWS::Events::Rule'))).toEqual(
    Object.keys(template.findResources('AWS::Events::Rule')),
  );
});

it.each([
  ['ten by default', {}, 10],
  ['those of reservedConcurrency', { reservedConcurrency: 7 }, 7],
  ['any number, with none', { reservedConcurrency: 'none' }, Match.absent()],
  ['any number of an HTTP API, which turns calls away itself', { webhook: 'httpApi' }, Match.absent()],
])('calls of the webhook that are answered at a time: %s', (_, settings, reserved) => {
  templateFor(settings).hasResourceProperties('AWS::Lambda::Function', {
    ReservedConcurrentExecutions: reserved,
    Environment: { Variables: Match.objectLike({ OUTRIGGER_TOKEN_HASHES: Match.anyValue() }) },
  });
});

describe('wake-ups', () => {
  it('go through a FIFO queue with a dead-letter queue', () => {
    template.hasResourceProperties('AWS::SQS::Queue', {
      FifoQueue: true,
      ContentBasedDeduplication: true,
      SqsManagedSseEnabled: true,
      VisibilityTimeout: 60,
      RedrivePolicy: Match.objectLike({ maxReceiveCount: 5 }),
    });
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 10,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
  });

  it('have a dead-letter queue of the kind of their queue: SQS refuses another one', () => {
    const queues = Object.entries(template.findResources('AWS::SQS::Queue')).map(([id, { Properties }]) => {
      const { FifoQueue = false, RedrivePolicy } = Properties as {
        readonly FifoQueue?: boolean;
        readonly RedrivePolicy?: { readonly deadLetterTargetArn: { readonly 'Fn::GetAtt': readonly [string, string] } };
      };
      return { id, isFifo: FifoQueue, deadLetters: RedrivePolicy?.deadLetterTargetArn['Fn::GetAtt'][0] };
    });
    const isFifo = new Map(queues.map((queue) => [queue.id, queue.isFifo]));
    const pairs = queues.filter(({ deadLetters }) => deadLetters !== undefined);
    expect(pairs.length).toBeGreaterThan(0);
    expect(pairs.filter((queue) => isFifo.get(queue.deadLetters!) !== queue.isFifo)).toEqual([]);
  });

  it('come every minute, each as a message of its own', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(1 minute)',
      Targets: Match.arrayWith([
        Match.objectLike({
          SqsParameters: { MessageGroupId: 'web' },
          InputTransformer: { InputPathsMap: { time: '$.time' }, InputTemplate: '{"cluster":"web","scan":<time>}' },
        }),
      ]),
    });
  });

  it('come when AWS says that something happened to machines', () => {
    const rules = Object.values(template.findResources('AWS::Events::Rule')).flatMap((rule) => {
      const { EventPattern, Targets } = (rule as { Properties: Record<string, unknown> }).Properties;
      return EventPattern === undefined ? [] : [{ EventPattern, Targets }];
    });
    const Targets = [
      expect.objectContaining({ RetryPolicy: { MaximumRetryAttempts: 2, MaximumEventAgeInSeconds: 120 } }),
    ];
    expect(rules).toEqual([
      {
        EventPattern: {
          source: ['aws.autoscaling', 'aws.ec2'],
          'detail-type': [
            'EC2 Instance Launch Unsuccessful',
            'EC2 Spot Instance Interruption Warning',
            'EC2 Instance Rebalance Recommendation',
            'EC2 Instance-terminate Lifecycle Action',
            'EC2 Capacity Reservation Instance Interruption Warning',
            'EC2 Interruptible Capacity Reservation Instance Interruption Warning',
          ],
        },
        Targets,
      },
      { EventPattern: { source: ['aws.arc-zonal-shift'] }, Targets },
      {
        EventPattern: {
          source: ['aws.ec2'],
          'detail-type': ['EC2 Instance State-change Notification'],
          detail: { state: ['stopping', 'stopped', 'shutting-down'] },
        },
        Targets,
      },
      {
        EventPattern: {
          source: ['aws.health'],
          'detail-type': ['AWS Health Event'],
          detail: { service: ['EC2'], eventTypeCategory: ['scheduledChange'] },
        },
        Targets,
      },
    ]);
  });
});

describe('the table', () => {
  it('is as the store makes its own', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: [
        { AttributeName: TABLE.partitionKey, KeyType: 'HASH' },
        { AttributeName: TABLE.sortKey, KeyType: 'RANGE' },
      ],
      BillingMode: 'PAY_PER_REQUEST',
      TimeToLiveSpecification: { AttributeName: TABLE.timeToLive, Enabled: true },
      StreamSpecification: { StreamViewType: TABLE.stream },
      Replicas: [Match.objectLike({ PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true } })],
    });
  });

  it('is deleted in two steps', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      Properties: { Replicas: [Match.objectLike({ DeletionProtectionEnabled: true })] },
    });
  });

  it.each(['INTENT#', 'ARRIVED#'])('announces new items, and nothing else: %s', (prefix) => {
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      StartingPosition: 'LATEST',
      FilterCriteria: {
        Filters: [{ Pattern: `{"eventName":["INSERT"],"dynamodb":{"Keys":{"sk":{"S":[{"prefix":"${prefix}"}]}}}}` }],
      },
    });
  });
});

const nameOf = ({ group, resource }: { readonly group: string; readonly resource: string }) => `${group}/${resource}`;

/** Resources, with their groups, that the role of all functions may be used on so. */
const allowedTo = (wanted: string): readonly string[] =>
  rbac()
    .items[0].rules.filter(({ verbs }) => verbs.some((verb) => verb === wanted))
    .flatMap(({ apiGroups, resources }) => resources.map((resource) => nameOf({ group: apiGroups[0]!, resource })))
    .toSorted();

describe('permissions', () => {
  it('to change sizes and to end instances hold for groups with the cluster’s tag alone', () => {
    const changing = statements().filter((statement) =>
      actionsOf(statement).includes('autoscaling:SetDesiredCapacity'),
    );
    expect(changing).toEqual([
      {
        Action: ['autoscaling:SetDesiredCapacity', 'autoscaling:TerminateInstanceInAutoScalingGroup'],
        Effect: 'Allow',
        Resource: '*',
        Condition: { Null: { 'aws:ResourceTag/k8s.io/cluster-autoscaler/web': 'false' } },
      },
    ]);
  });

  it('on every resource are to read and to trace, where AWS knows no narrower ones', () => {
    const wide = statements().filter(({ Resource, Condition }) => Resource === '*' && Condition === undefined);
    expect(wide.length).toBeGreaterThan(2);
    for (const action of wide.flatMap(actionsOf)) {
      expect(action).toMatch(
        /^(autoscaling:Describe|ec2:(?:Describe|GetInstanceTypesFrom)|pricing:GetProducts$|xray:Put|dynamodb:ListStreams$)/,
      );
    }
  });

  it('on items hold for those of this cluster', () => {
    const onItems = statements().filter((statement) =>
      /:(?:Query|GetItem|PutItem|UpdateItem)/.test(actionsOf(statement).join()),
    );
    expect(onItems).toHaveLength(6);
    for (const { Condition } of onItems.slice(0, -1)) {
      expect(Condition).toEqual({
        'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': [partitionOf(clusterName('web'))] },
      });
    }
    // The widget shows what is decided in either mode.
    expect(onItems.at(-1)!.Condition).toEqual({
      'ForAllValues:StringEquals': {
        'dynamodb:LeadingKeys': [partitionOf(clusterName('web')), partitionOf(dryRunOf(clusterName('web')))],
      },
    });
  });

  it('name their actions', () => {
    expect(statements().length).toBeGreaterThan(10);
    for (const action of statements().flatMap(actionsOf)) {
      expect(action).not.toContain('*');
    }
  });

  it('in the cluster come with access entries, for the role that looks and for the one that drains', () => {
    for (const KubernetesGroups of [['outrigger'], ['outrigger', 'outrigger-drain']]) {
      template.hasResourceProperties('AWS::EKS::AccessEntry', {
        ClusterName: 'web',
        KubernetesGroups,
        Type: 'STANDARD',
      });
    }
  });

  it('in the cluster are to evict for those who drain alone, and to delete for nobody', () => {
    const mayEvict = rbac().items.flatMap((item) =>
      item.kind === 'ClusterRole' && JSON.stringify(item.rules).includes('pods/eviction') ? [item.metadata.name] : [],
    );
    expect(mayEvict).toEqual(['outrigger-drain']);
    expect(JSON.stringify(rbac())).not.toMatch(/"delete|"\*"/);
  });

  it('in the cluster are to read, and no more, for functions that only observe', () => {
    const verbs = rbac(undefined, true).items.flatMap((item) =>
      'rules' in item ? item.rules.flatMap((rule): readonly string[] => rule.verbs) : [],
    );
    expect(new Set(verbs)).toEqual(new Set(['get', 'list']));
  });

  it('in the cluster are to list exactly what the reader lists', () => {
    expect(allowedTo('list')).toEqual([...LISTED_RESOURCES, POD_GROUPS].map(nameOf).toSorted());
  });

  it('in the cluster are to get one by one what a drain asks for, and nothing else', () => {
    const asked = [NODES, PERSISTENT_VOLUME_CLAIMS, ...CONTROLLERS].map(({ resource }) => nameOf(resource));
    expect(allowedTo('get')).toEqual(asked.toSorted());
  });

  it('in the cluster are to nominate pods where planned placement is on, and the webhook is told of ready nodes', () => {
    const outputsOf = (options: object) => {
      const outputs = Object.values(templateFor({ options }).findOutputs('*'));
      return JSON.stringify(outputs);
    };
    const on = outputsOf({ plannedPlacement: true });
    expect(on).toContain('pods/status');
    expect(on).toContain('ready-node.outrigger.dev');
    const off = outputsOf({});
    expect(off).not.toContain('pods/status');
    expect(off).not.toContain('ready-node.outrigger.dev');
  });

  it('in the cluster are to watch where long lists are kept, and not otherwise', () => {
    const watches = (options: object): boolean =>
      JSON.stringify(templateFor({ options }).findOutputs('Rbac')).includes(String.raw`\"watch\"`);
    expect(watches({ incrementalReads: true })).toBe(true);
    expect(watches({})).toBe(false);
  });

  it('in the cluster are to change nodes, and to create events', () => {
    expect(allowedTo('patch')).toEqual(['/nodes']);
    expect(allowedTo('create')).toEqual(['/events']);
  });

  it.each(['kube-system', 'autoscaling'])(
    'in the cluster are to get two ConfigMaps in %s, and to write one of them',
    (namespace) => {
      const options = namespace === 'kube-system' ? {} : { namespace };
      const [output] = Object.values(templateFor({ options }).findOutputs('Rbac'));
      const { items } = JSON.parse((output as { Value: string }).Value) as ReturnType<typeof rbac>;
      expect(items.filter((item) => JSON.stringify(item).includes('configmaps'))).toEqual([
        expect.objectContaining({
          kind: 'Role',
          metadata: expect.objectContaining({ name: 'outrigger', namespace }) as object,
        }),
      ]);
      expect(items).toContainEqual(
        expect.objectContaining({
          kind: 'RoleBinding',
          metadata: expect.objectContaining({ name: 'outrigger', namespace }) as object,
        }),
      );
      const role = items.find((item) => item.kind === 'Role');
      expect(role).toMatchObject({
        rules: [
          { resourceNames: ['cluster-autoscaler-priority-expander', 'cluster-autoscaler-status'], verbs: ['get'] },
          { resourceNames: ['cluster-autoscaler-status'], verbs: ['create', 'patch'] },
        ],
      });
    },
  );
});

describe('outputs', () => {
  it('have a priority level of the API server among the manifests only where that is set', () => {
    const kinds = (settings: object): readonly string[] => {
      const [output] = Object.values(templateFor(settings).findOutputs('Rbac'));
      const { items } = JSON.parse((output as { Value: string }).Value) as { items: readonly { kind: string }[] };
      return items.map(({ kind }) => kind).filter((kind) => /Flow|Priority/.test(kind));
    };
    expect(kinds({})).toEqual([]);
    expect(kinds({ flowSchema: true })).toEqual(['PriorityLevelConfiguration', 'FlowSchema']);
  });

  it.each(['Rbac', 'Webhook', 'AcceptedTokenHashes'])('fit into CloudFormation: %s', (name) => {
    const [output] = Object.values(template.findOutputs(name));
    const { Value, Description } = output as { readonly Value: unknown; readonly Description: string };
    expect(JSON.stringify(Value).length).toBeLessThan(4_096);
    expect(Description.length).toBeLessThan(1_024);
  });
});

describe('good practice', () => {
  it.each(['functionUrl', 'httpApi', 'none'])('is kept, but for what is acknowledged with a reason: %s', (way) => {
    const app = stackFor({ webhook: way }).node.root as App;
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    // The error of `synth` names the finding and the resource.
    expect(app.synth().stacks).toHaveLength(1);
  });

  it('is kept with snapshots, too', () => {
    const app = stackFor(SNAPSHOTS).node.root as App;
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(app.synth().stacks).toHaveLength(1);
  });
});

describe('snapshots of cached lists', () => {
  const withSnapshots = templateFor(SNAPSHOTS);

  it('are in a bucket that only the stack’s roles reach, over TLS, and that forgets within days', () => {
    expect(Object.keys(withSnapshots.findResources('AWS::S3::Bucket'))).toHaveLength(1);
    withSnapshots.hasResource('AWS::S3::Bucket', {
      // A bucket that is not empty would keep the stack from being deleted.
      DeletionPolicy: 'Retain',
      Properties: {
        BucketName: Match.absent(),
        VersioningConfiguration: Match.absent(),
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
        LifecycleConfiguration: {
          Rules: [
            { ExpirationInDays: 1, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' },
          ],
        },
      },
    });
    withSnapshots.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: [
          Match.objectLike({ Effect: 'Deny', Action: 's3:*', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        ],
      },
    });
  });

  it('are read by both evaluations and stored by scale-down, under the prefix of the cluster, and by no other function', () => {
    const bucket = Object.keys(withSnapshots.findResources('AWS::S3::Bucket'))[0]!;
    const arn = { 'Fn::GetAtt': [bucket, 'Arn'] };
    const objects = { 'Fn::Join': ['', [arn, '/lists/web/*']] };
    const rights = Object.values(withSnapshots.findResources('AWS::IAM::Policy')).flatMap((policy) => {
      const { PolicyDocument, Roles } = (
        policy as { Properties: { PolicyDocument: { Statement: Statement[] }; Roles: { Ref: string }[] } }
      ).Properties;
      return PolicyDocument.Statement.filter((one) => actionsOf(one).some((action) => action.startsWith('s3:'))).map(
        ({ Action, Resource }) => [Roles[0]!.Ref.replace(/^Resources|Role[0-9A-F]{8}$/g, ''), Action, Resource],
      );
    });
    expect(rights).toEqual([
      ['ScaleUp', 's3:GetObject', objects],
      ['ScaleUp', 's3:ListBucket', arn],
      ['ScaleDown', 's3:GetObject', objects],
      ['ScaleDown', 's3:ListBucket', arn],
      ['ScaleDown', 's3:PutObject', objects],
    ]);
  });

  it('are known to the evaluations alone', () => {
    const knowing = Object.entries(withSnapshots.findResources('AWS::Lambda::Function')).flatMap(([id, one]) =>
      JSON.stringify(one).includes('OUTRIGGER_SNAPSHOT_BUCKET') ? [id.replace(/^Resources|[0-9A-F]{8}$/g, '')] : [],
    );
    expect(knowing.toSorted()).toEqual(['ScaleDown', 'ScaleUp']);
  });

  it('leave nothing in the stack where they are off', () => {
    for (const options of [{}, { incrementalReads: true }]) {
      expect(JSON.stringify(templateFor({ options }))).not.toMatch(/S3::|s3:|SNAPSHOT/);
    }
  });

  it('need lists that are kept', () => {
    expect(() => stackFor({ snapshots: true })).toThrow(
      'snapshots: expected the option incrementalReads: true with it, found snapshots alone',
    );
  });
});

describe('settings', () => {
  it.each([
    { name: 'none', context: undefined, complaint: 'expected a list of 1 to 500 clusters, found nothing' },
    { name: 'an empty list', context: [], complaint: 'expected a list of 1 to 500 clusters' },
    { name: 'a setting that is unknown', context: [{ name: 'web', dryrun: true }], complaint: 'did you mean dryRun?' },
    { name: 'a name that EKS would not take', context: [{ name: 'a/b' }], complaint: 'name of an EKS cluster' },
    { name: 'a name whose tag every group has', context: [{ name: 'Enabled' }], complaint: 'cluster "enabled"' },
    { name: 'a cluster twice', context: [{ name: 'a' }, { name: 'a' }], complaint: 'each cluster once' },
    {
      name: 'a scheduler’s user that would break out of an expression',
      context: [{ name: 'a', schedulerUsers: ["x', 'y"] }],
      complaint: 'the user of a scheduler',
    },
    { name: 'text that is not JSON', context: '[', complaint: 'not valid JSON' },
  ])('are refused: $name', ({ context, complaint }) => {
    expect(() => readClusters(context)).toThrow(complaint);
  });

  it('may come as text from the command line', () => {
    expect(readClusters('[{"name":"web","dryRun":true}]')).toMatchObject([{ name: 'web', dryRun: true }]);
  });
});

describe('applyManifests', () => {
  const applying = templateFor({ applyManifests: true, flowSchema: true });
  const theOnly = (type: string) => {
    const [[id, resource]] = Object.entries(applying.findResources(type)) as unknown as [
      [string, { readonly Properties: Readonly<Record<string, unknown>>; readonly DependsOn?: readonly string[] }],
    ];
    return { id, ...resource };
  };

  it('makes a token whose hash the ingest function has, and whose text is in the webhook alone', () => {
    const { id, Properties } = theOnly('Custom::OutriggerWebhookToken');
    expect(Properties).toMatchObject({ Kind: 'token', Version: '1', ServiceTimeout: '300' });
    applying.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: { OUTRIGGER_TOKEN_HASHES: { 'Fn::GetAtt': [id, 'Hashes'] } } },
    });
    expect(applying.findOutputs('AcceptedTokenHashes')).toMatchObject({
      AcceptedTokenHashes: { Value: { 'Fn::GetAtt': [id, 'Hashes'] } },
    });
    const { Resources } = applying.toJSON() as { readonly Resources: Readonly<Record<string, unknown>> };
    const users = Object.entries(Resources).filter(([, resource]) =>
      JSON.stringify(resource).includes(JSON.stringify({ 'Fn::GetAtt': [id, 'Token'] })),
    );
    expect(users.map(([name]) => name)).toEqual([theOnly('Custom::OutriggerManifests').id]);
    expect(JSON.stringify(applying.findOutputs('*'))).not.toContain('"Token"');
    expect(Object.keys(applying.findParameters('*'))).not.toContain('WebhookTokenHashes');
  });

  it('applies what the outputs have, with a URL that ends with the token and the cluster', () => {
    const { Properties, DependsOn } = theOnly('Custom::OutriggerManifests');
    const settings = JSON.parse(String(Properties['Settings'])) as Parameters<typeof manifestsOf>[0];
    applying.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: {
          OUTRIGGER_STACK: { Ref: 'AWS::StackId' },
          OUTRIGGER_MANIFESTS: digestOfSettings(String(Properties['Settings'])),
        },
      },
    });
    const [output] = Object.values(applying.findOutputs('Rbac'));
    expect(JSON.parse((output as { Value: string }).Value)).toMatchObject({ items: manifestsOf(settings, null) });
    const [separator, parts] = (Properties['Url'] as { readonly 'Fn::Join': [string, readonly unknown[]] })['Fn::Join'];
    expect(separator).toBe('');
    expect(parts.at(-1)).toBe('/web');
    // It removes them while it is still let in.
    expect(JSON.stringify(DependsOn)).toContain('ManifestsAccessEntry');
  });

  it('lets one function into the cluster as an administrator, which may do nothing else', () => {
    const administrators = Object.values(applying.findResources('AWS::EKS::AccessEntry')).filter((entry) =>
      JSON.stringify(entry).includes('AmazonEKSClusterAdminPolicy'),
    );
    expect(administrators).toHaveLength(1);
    expect(JSON.stringify(administrators)).toContain('"Fn::GetAtt":["ManifestsRole');
    expect(JSON.stringify(template.findResources('AWS::EKS::AccessEntry'))).not.toContain('AdminPolicy');
  });

  it('makes another token for another webhookTokenVersion', () => {
    const other = templateFor({ applyManifests: true, webhookTokenVersion: 2 });
    other.hasResourceProperties('Custom::OutriggerWebhookToken', { Version: '2' });
  });

  it('has no URL without a webhook', () => {
    const without = templateFor({ applyManifests: true, webhook: 'none' });
    without.hasResourceProperties('Custom::OutriggerManifests', { Url: '' });
  });
});

describe('eventBusArn', () => {
  const eventBusArn = 'arn:aws:events:eu-west-1:123456789012:event-bus/ops';
  const sendersIn = (of: Template): readonly string[] =>
    Object.entries(of.findResources('AWS::IAM::Policy'))
      .filter(([, policy]) => JSON.stringify(policy).includes('events:PutEvents'))
      .map(([id]) => id.replace(/Role.*/, ''))
      .toSorted();

  it('lets the evaluations and the function Wake put events on that bus alone', () => {
    const telling = templateFor({ eventBusArn });
    expect(sendersIn(telling)).toEqual(['ScaleDown', 'ScaleUp', 'Wake']);
    telling.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: {
        Statement: Match.arrayWith([{ Action: 'events:PutEvents', Effect: 'Allow', Resource: eventBusArn }]),
      },
    });
    const told = Object.values(telling.findResources('AWS::Lambda::Function')).filter((one) =>
      JSON.stringify(one).includes(`"OUTRIGGER_EVENT_BUS":"${eventBusArn}"`),
    );
    expect(told).toHaveLength(3);
  });

  it('gives no right without the setting, or while the cluster is observed', () => {
    expect(sendersIn(template)).toEqual([]);
    expect(sendersIn(templateFor({ eventBusArn, dryRun: true }))).toEqual([]);
  });
});

describe('kmsKeyArn', () => {
  const KEY = 'arn:aws:kms:eu-central-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab';
  const encrypted = templateFor({
    kmsKeyArn: KEY,
    applyManifests: true,
    snapshots: true,
    options: { incrementalReads: true },
  });
  const propertiesOf = (type: string) =>
    Object.values(encrypted.findResources(type)).map(
      ({ Properties }: Readonly<Record<string, unknown>>) => Properties as Readonly<Record<string, unknown>>,
    );

  it('encrypts every queue, log, table and bucket', () => {
    const queues = propertiesOf('AWS::SQS::Queue');
    expect(queues).toHaveLength(4);
    expect(queues.map(({ KmsMasterKeyId }) => KmsMasterKeyId)).toEqual(queues.map(() => KEY));
    expect(queues.filter((queue) => 'SqsManagedSseEnabled' in queue)).toEqual([]);
    // Its own schedules alone may send to a queue, as without a key.
    expect(JSON.stringify(encrypted.findResources('AWS::SQS::QueuePolicy'))).toContain('"ArnEquals":{"aws:SourceArn"');
    const logs = propertiesOf('AWS::Logs::LogGroup');
    expect(logs.length).toBeGreaterThan(7);
    expect(logs.map(({ KmsKeyId }) => KmsKeyId)).toEqual(logs.map(() => KEY));
    expect(JSON.stringify(propertiesOf('AWS::DynamoDB::GlobalTable'))).toContain(
      `"SSESpecification":{"KMSMasterKeyId":"${KEY}"}`,
    );
    expect(JSON.stringify(propertiesOf('AWS::S3::Bucket'))).toContain(
      `"KMSMasterKeyID":"${KEY}","SSEAlgorithm":"aws:kms"`,
    );
  });

  it('is used by no function for anything else, and by the one for manifests not at all', () => {
    const statements = propertiesOf('AWS::IAM::Policy').flatMap(({ PolicyDocument, Roles }) =>
      (
        PolicyDocument as { Statement: readonly { Action: string | readonly string[]; Resource: unknown }[] }
      ).Statement.map((statement) => ({ ...statement, role: JSON.stringify(Roles) })),
    );
    const ofKms = statements.filter(({ Action }) => [Action].flat().some((action) => action.startsWith('kms:')));
    expect(ofKms.filter(({ Resource }) => Resource !== KEY)).toEqual([]);
    expect(ofKms.filter(({ role }) => role.includes('Manifests'))).toEqual([]);
    expect(ofKms.filter(({ Action }) => [Action].flat().some((action) => action.includes('*')))).toEqual([]);
  });

  it('is absent by default', () => {
    expect(JSON.stringify(template)).not.toContain('kms');
    expect(JSON.stringify(template)).not.toContain('KMS');
  });
});

describe('messageTopicArn', () => {
  const messageTopicArn = 'arn:aws:sns:eu-west-1:123456789012:ops';
  const topical = templateFor({ messageTopicArn });

  it('has a rule that brings the messages of this cluster to the topic, as chat applications show them, with a role that may do no more', () => {
    const [rule] = Object.values(
      topical.findResources('AWS::Events::Rule', { Properties: { EventPattern: { source: ['outrigger'] } } }),
    );
    const { EventBusName, EventPattern, Targets } = rule!['Properties'];
    expect(EventPattern).toEqual({ source: ['outrigger'], detail: { cluster: ['web'] } });
    expect(JSON.stringify(EventBusName)).toContain('default');
    expect(Targets).toMatchObject([{ Arn: messageTopicArn }]);
    const { InputPathsMap, InputTemplate } = Targets[0].InputTransformer;
    expect(InputPathsMap).toEqual({
      'detail-id': '$.detail.id',
      'detail-text': '$.detail.text',
      'detail-type': '$.detail-type',
    });
    // EventBridge escapes the quotation marks of texts where the template has none around them.
    const filled = InputTemplate.replaceAll('<detail-id>', '"id"')
      .replaceAll('<detail-text>', JSON.stringify('pod "web"'))
      .replace(/"eventType":<detail-type>/, '"eventType":"ScaleUp"')
      .replaceAll('<detail-type>', 'ScaleUp');
    expect(JSON.parse(filled)).toEqual({
      version: '1.0',
      source: 'custom',
      id: 'id',
      content: { textType: 'client-markdown', title: 'web: ScaleUp', description: 'pod "web"' },
      metadata: { eventType: 'ScaleUp', additionalContext: { cluster: 'web' } },
    });
    topical.hasResourceProperties('AWS::IAM::Policy', {
      PolicyDocument: { Statement: [{ Action: 'sns:Publish', Effect: 'Allow', Resource: messageTopicArn }] },
    });
  });

  it('has the functions send to the bus of eventBusArn, or else to the default bus', () => {
    const busesIn = (of: Template): readonly unknown[] =>
      Object.values(of.findResources('AWS::Lambda::Function')).flatMap(
        ({ Properties }) => Properties.Environment.Variables.OUTRIGGER_EVENT_BUS ?? [],
      );
    const eventBusArn = 'arn:aws:events:eu-west-1:123456789012:event-bus/ops';
    const named = templateFor({ messageTopicArn, eventBusArn });
    expect(busesIn(named)).toEqual([eventBusArn, eventBusArn, eventBusArn]);
    named.hasResourceProperties('AWS::Events::Rule', {
      EventBusName: 'ops',
      EventPattern: Match.objectLike({ source: ['outrigger'] }),
    });
    expect(busesIn(topical).map((one) => JSON.stringify(one))).toEqual(
      Array.from({ length: 3 }, () => expect.stringMatching(/:events:.*:event-bus\/default/)),
    );
  });

  it('brings nothing while the cluster is observed', () => {
    expect(JSON.stringify(templateFor({ messageTopicArn, dryRun: true }))).not.toContain(messageTopicArn);
  });
});
