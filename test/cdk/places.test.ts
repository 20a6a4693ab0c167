import { App, Stack, Validations } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { type IVpc, SecurityGroup, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { OutriggerStack } from '../../cdk/cluster-stack.ts';
import { Outrigger } from '../../cdk/outrigger.ts';
import { readClusters, stackId, stackName } from '../../cdk/settings.ts';
import { parseDiscovery } from '../../providers/schema/discovery.ts';
import { bundles, templateFor } from './stack-for.ts';

const API_FUNCTIONS = ['ScaleUp', 'ScaleDown', 'Drain'];
const ROLE = 'arn:aws-us-gov:iam::210987654321:role/outrigger';

interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: unknown;
}

interface Properties {
  readonly Environment: { readonly Variables: Readonly<Record<string, unknown>> };
  readonly VpcConfig?: unknown;
}

/** Functions by the name that they have in the stack. */
const functionsOf = (template: Template): Readonly<Record<string, Properties>> =>
  Object.fromEntries(
    Object.entries(template.findResources('AWS::Lambda::Function')).map(([id, { Properties }]) => [
      id.replace(/[0-9A-F]{8}$/, ''),
      Properties as Properties,
    ]),
  );

const statementsOf = (template: Template, action: string): readonly Statement[] =>
  Object.values(template.findResources('AWS::IAM::Policy'))
    .flatMap(
      ({ Properties }) => (Properties as { PolicyDocument: { Statement: Statement[] } }).PolicyDocument.Statement,
    )
    .filter(({ Action }) => [Action].flat().includes(action));

describe('vpc', () => {
  const vpc = {
    vpcId: 'vpc-0a1b2c3d',
    subnetIds: ['subnet-0a1b2c3d', 'subnet-1a1b2c3d'],
    securityGroupIds: ['sg-0a1b2c3d'],
  };
  const template = templateFor({ vpc });

  it('is where the functions are that talk to the API server, and no others', () => {
    const placed = { SubnetIds: vpc.subnetIds, SecurityGroupIds: vpc.securityGroupIds };
    const configs = Object.entries(functionsOf(template)).map(([name, { VpcConfig }]) => [name, VpcConfig]);
    expect(Object.fromEntries(configs)).toMatchObject({
      ...Object.fromEntries(API_FUNCTIONS.map((name) => [name, placed])),
      Actuate: undefined,
      Ingest: undefined,
      Wake: undefined,
    });
  });

  it('gives their roles what Lambda needs for network interfaces, and denies it to their code', () => {
    const statements = statementsOf(template, 'ec2:CreateNetworkInterface');
    expect(statements.map(({ Effect }) => Effect).toSorted()).toEqual(['Allow', 'Allow', 'Allow', 'Deny']);
    const denied = statements.find(({ Effect }) => Effect === 'Deny');
    expect(denied?.Condition).toEqual({
      ArnEquals: {
        'lambda:SourceFunctionArn': API_FUNCTIONS.map(() => ({ 'Fn::GetAtt': [expect.any(String), 'Arn'] })),
      },
    });
    expect(statementsOf(templateFor(), 'ec2:CreateNetworkInterface')).toEqual([]);
  });

  it('is looked up nowhere: the template has the identifiers of the settings', () => {
    const app = new App();
    const [cluster] = readClusters([{ name: 'web', region: 'eu-west-1', account: '123456789012', vpc }]);
    new OutriggerStack(app, 'S', { cluster: cluster!, bundles, env: { region: 'eu-west-1', account: '123456789012' } });
    expect(app.synth().manifest.missing).toBeUndefined();
  });

  it('may be one of the stack that the construct is in', () => {
    const stack = new Stack(new App(), 'Mine');
    const own = new Vpc(stack, 'Vpc', { maxAzs: 2 }) as IVpc;
    const group = new SecurityGroup(stack, 'Group', { vpc: own });
    new Outrigger(stack, 'Autoscaler', { clusterName: 'web', bundles, vpc: own, securityGroups: [group] });
    Template.fromStack(stack).hasResourceProperties('AWS::Lambda::Function', {
      VpcConfig: {
        SubnetIds: own
          .selectSubnets({ subnetType: SubnetType.PRIVATE_WITH_EGRESS })
          .subnetIds.map((id) => stack.resolve(id)),
        SecurityGroupIds: [stack.resolve(group.securityGroupId)],
      },
    });
    expect(() => new Outrigger(stack, 'Other', { clusterName: 'b', bundles, vpc: own })).toThrow(
      'expected securityGroups with vpc',
    );
  });
});

describe('role', () => {
  const app = new App();
  const env = { region: 'us-gov-west-1', account: '123456789012' };
  const [cluster] = readClusters([{ name: 'web', ...env, mode: 'act', role: ROLE, externalId: 'id-1' }]);
  const template = Template.fromStack(new OutriggerStack(app, 'S', { cluster: cluster!, bundles, env }));
  const output = (name: string, of = template): unknown => Object.values(of.findOutputs(name))[0]?.['Value'];

  it('is assumed by the functions that read or change the cluster, by its ARN alone', () => {
    const assumed = Object.entries(functionsOf(template)).filter(
      ([, { Environment }]) =>
        Environment.Variables['OUTRIGGER_ROLE'] === ROLE &&
        Environment.Variables['OUTRIGGER_ROLE_EXTERNAL_ID'] === 'id-1',
    );
    expect(assumed.map(([name]) => name).toSorted()).toEqual(['Actuate', 'Wake', ...API_FUNCTIONS].toSorted());
    const statements = statementsOf(template, 'sts:AssumeRole');
    expect(statements).toHaveLength(5);
    expect(new Set(statements.map(({ Resource }) => Resource))).toEqual(new Set([ROLE]));
  });

  it('has the rights to cluster, groups and types, and the functions do not', () => {
    for (const action of [
      'eks:DescribeCluster',
      'autoscaling:SetDesiredCapacity',
      'autoscaling:DescribeAutoScalingGroups',
    ]) {
      expect(statementsOf(template, action)).toEqual([]);
    }
    const policy = JSON.parse(output('RolePermissions') as string) as { readonly Statement: readonly Statement[] };
    const actions = policy.Statement.flatMap(({ Action }) => Action);
    expect(actions).toEqual(
      expect.arrayContaining([
        'autoscaling:DescribeAutoScalingGroups',
        'autoscaling:SetDesiredCapacity',
        'autoscaling:TerminateInstanceInAutoScalingGroup',
        'ec2:DescribeInstanceTypes',
        'eks:DescribeNodegroup',
      ]),
    );
    expect(actions.filter((action) => /^(?:dynamodb|sqs|lambda|sts):/.test(action))).toEqual([]);
    expect(JSON.stringify(policy)).toContain('arn:aws-us-gov:eks:us-gov-west-1:210987654321:cluster/web');
  });

  it('keeps state and queue in the account of the stack', () => {
    expect(statementsOf(template, 'dynamodb:PutItem')).not.toEqual([]);
    expect(statementsOf(template, 'sqs:SendMessage')).not.toEqual([]);
  });

  it('is let into the cluster by its own account, for which the command is printed', () => {
    template.resourceCountIs('AWS::EKS::AccessEntry', 0);
    expect(output('RoleAccessEntry')).toBe(
      `aws eks create-access-entry --cluster-name web --region us-gov-west-1 --principal-arn ${ROLE} --kubernetes-groups outrigger outrigger-drain`,
    );
  });

  it('trusts the five functions, and asks for the external ID', () => {
    const trust = JSON.stringify(output('RoleTrust'));
    expect(trust).toContain('sts:ExternalId');
    expect(trust.match(/Fn::GetAtt/g)).toHaveLength(5);
    expect(trust).toContain('123456789012:root');
  });

  it('may change nothing in mode observe', () => {
    const observing = templateFor({ dryRun: true, role: ROLE });
    expect(JSON.stringify(output('RolePermissions', observing))).not.toMatch(/SetDesired|Terminate/);
    expect(JSON.stringify(output('RoleTrust', observing))).not.toMatch(/ExternalId|WakeRole/);
    expect(JSON.stringify(output('RoleAccessEntry', observing))).not.toContain('outrigger-drain');
  });
});

describe('discovery', () => {
  const discovery = { tags: ['team', 'tier=${x}*'], nodes: ['1:10:workers', '0:5:odd*name'] };
  const template = templateFor({ discovery });
  const changes = (of: Template): readonly Statement[] => statementsOf(of, 'autoscaling:SetDesiredCapacity');

  it('is handed to the functions as they read it', () => {
    const { Variables } = functionsOf(template)['ScaleUp']!.Environment;
    expect(parseDiscovery(Variables['OUTRIGGER_DISCOVERY'] as string, 'test')).toEqual({
      tags: [
        { key: 'team', value: null },
        { key: 'tier', value: '${x}*' },
      ],
      nodes: [
        { name: 'workers', min: 1, max: 10 },
        { name: 'odd*name', min: 0, max: 5 },
      ],
    });
  });

  it('is the limit of what may be changed: groups with all of the tags, and those by name', () => {
    const [byTags, byName] = changes(template);
    expect(changes(template)).toHaveLength(2);
    expect(byTags).toMatchObject({
      Resource: '*',
      Condition: {
        Null: { 'aws:ResourceTag/team': 'false' },
        StringEquals: { 'aws:ResourceTag/tier': '${$}{x}${*}' },
      },
    });
    expect(byName).not.toHaveProperty('Condition');
    const names = JSON.stringify(byName?.Resource).match(/autoScalingGroup:\*:autoScalingGroupName\/[^"]+/g);
    expect(names).toEqual(['workers', 'odd${*}name'].map((name) => `autoScalingGroup:*:autoScalingGroupName/${name}`));
  });

  it('by name alone allows no group by tags', () => {
    const named = changes(templateFor({ discovery: { nodes: ['1:10:workers'] } }));
    expect(named.map(({ Resource }) => Resource)).not.toContain('*');
    expect(named).toHaveLength(1);
  });

  it('of many names stays within the size of a policy', () => {
    const nodes = Array.from({ length: 70 }, (_, n) => `1:10:${'g'.repeat(28)}${n}`);
    const template = templateFor({ discovery: { nodes } });
    const documents = ['AWS::IAM::Policy', 'AWS::IAM::ManagedPolicy'].flatMap((type) =>
      Object.values(template.findResources(type)).map(({ Properties }) => JSON.stringify(Properties.PolicyDocument)),
    );
    // A reference is longer in the template than what it stands for.
    expect(
      Math.max(...documents.map((text) => text.replaceAll(/\{"(?:Ref|Fn::GetAtt)":[^}]*\}/g, '').length)),
    ).toBeLessThan(10_240);
    expect(documents.join('').match(/autoScalingGroupName\/g+69/g)).toHaveLength(2);
  });
});

describe('scanInterval', () => {
  const template = templateFor({ scanInterval: '10m' });

  it('is the time between evaluations; what is decided is resumed every minute all the same', () => {
    const inputs = Object.values(template.findResources('AWS::Events::Rule')).flatMap(({ Properties }) => {
      const { ScheduleExpression: rate, Targets } = Properties as {
        readonly ScheduleExpression?: string;
        readonly Targets: readonly { readonly Input?: string; readonly InputTransformer?: object }[];
      };
      return rate === undefined ? [] : Targets.map(({ Input = 'a wake-up' }) => `${rate}: ${Input}`);
    });
    expect(inputs.toSorted()).toEqual([
      'rate(1 minute): {"resume":"web"}',
      'rate(10 minutes): a wake-up',
      'rate(10 minutes): {"cluster":"web"}',
    ]);
  });

  it('of less than a minute is one of scale-up, which sends the scans between those of the schedule', () => {
    const often = templateFor({ scanInterval: '10s' });
    const rates = Object.values(often.findResources('AWS::Events::Rule')).flatMap(
      ({ Properties }) => (Properties as { readonly ScheduleExpression?: string }).ScheduleExpression ?? [],
    );
    expect(rates).toEqual(['rate(1 minute)', 'rate(1 minute)']);
    often.hasResourceProperties('AWS::Lambda::Function', {
      Description: 'Observes the cluster and decides which node groups grow',
      Environment: { Variables: Match.objectLike({ OUTRIGGER_SCAN_SECONDS: '10' }) },
    });
  });

  it('is known to the functions that conclude something from the time since the last evaluation', () => {
    const known = Object.values(template.findResources('AWS::Lambda::Function')).filter(
      ({ Properties }) => Properties.Environment?.Variables?.OUTRIGGER_SCAN_SECONDS === '600',
    );
    expect(known.map(({ Properties }) => Properties.Description as string)).toEqual(
      expect.arrayContaining([
        'Observes the cluster and decides which node groups grow',
        'Observes the cluster and decides which nodes are not needed',
      ]),
    );
  });

  it('leaves three scans before an alarm about evaluations', () => {
    const minutes = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => Properties.EvaluationPeriods as number,
    );
    expect(Math.max(...minutes)).toBe(30);
    expect(minutes.filter((count) => count === 30)).toHaveLength(1);
  });
});

describe('clusters of one name in two regions', () => {
  const app = new App();
  const clusters = readClusters(['eu-west-1', 'us-east-1'].map((region) => ({ name: 'web', region, mode: 'act' })));
  const stacks = clusters.map(
    (cluster) =>
      new OutriggerStack(app, stackId(cluster, clusters), {
        stackName: stackName(cluster),
        cluster,
        bundles,
        env: { region: cluster.region!, account: '123456789012' },
      }),
  );

  it('share an app: their stacks have one name, each in its region', () => {
    const { stacks: synthesized } = app.synth();
    expect(synthesized.map(({ stackName: name }) => name)).toEqual(['Outrigger-web', 'Outrigger-web']);
    expect(new Set(synthesized.map(({ id }) => id)).size).toBe(2);
  });

  it('give nothing a fixed name that the whole account would share', () => {
    for (const stack of stacks) {
      const template = Template.fromStack(stack);
      const { Resources, Outputs } = template.toJSON() as {
        readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>;
        readonly Outputs: Readonly<Record<string, { readonly Export?: unknown }>>;
      };
      const named = Object.values(Resources).flatMap(({ Type, Properties = {} }) =>
        Object.keys(Properties).filter(
          (key) =>
            /^(?:RoleName|ManagedPolicyName|BucketName|FunctionName|TableName|QueueName|TopicName)$/.test(key) &&
            !/Alias|Version|Url|Permission|EventSourceMapping|EventInvokeConfig/.test(Type),
        ),
      );
      expect(named).toEqual([]);
      expect(Object.values(Outputs).filter(({ Export }) => Export !== undefined)).toEqual([]);
    }
  });

  it('may each change their own region alone what is theirs by ARN', () => {
    const arns = JSON.stringify(Template.fromStack(stacks[0]!).toJSON()).match(/arn:[^"]*:eks:[^"]*/g) ?? [];
    const regions = JSON.stringify(Template.fromStack(stacks[0]!).toJSON());
    expect(arns.join()).not.toContain('us-east-1');
    expect(regions).toContain(':eks:eu-west-1:123456789012:cluster/web');
    expect(regions).not.toContain('us-east-1');
  });
});

it.each([
  ['cn-north-1', 'aws-cn'],
  ['us-gov-west-1', 'aws-us-gov'],
  ['eusc-de-east-1', 'aws-eusc'],
])('in %s a template names the partition of that region, or none', (region, partition) => {
  const [cluster] = readClusters([{ name: 'web', region, mode: 'act', discovery: { nodes: ['0:1:a'] } }]);
  const stack = new OutriggerStack(new App(), 'S', {
    cluster: cluster!,
    bundles,
    env: { region, account: '123456789012' },
  });
  const text = JSON.stringify(Template.fromStack(stack).toJSON());
  expect(text).not.toMatch(/arn:aws:/);
  const partitions = [...text.matchAll(/arn:(aws[\w-]*):/g)].map(([, name]) => name);
  expect(new Set(partitions)).toEqual(partitions.length === 0 ? new Set() : new Set([partition]));
});

it('good practice is kept wherever the cluster is', () => {
  const app = new App();
  const [cluster] = readClusters([
    {
      name: 'web',
      mode: 'act',
      vpc: { vpcId: 'vpc-0a1b2c3d', subnetIds: ['subnet-0a1b2c3d'], securityGroupIds: ['sg-0a1b2c3d'] },
      discovery: { tags: ['team'], nodes: ['1:10:workers'] },
    },
  ]);
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  new OutriggerStack(app, 'S', { cluster: cluster!, bundles });
  expect(() => app.synth()).not.toThrow();
});

describe('drains', () => {
  const template = templateFor({});

  it('are driven by another function than the durable one of earlier versions, with the same role and log', () => {
    const ids = Object.keys(template.toJSON().Resources);
    expect(ids).toEqual(expect.arrayContaining(['DrainRole8AFEA84C', 'DrainLogs5061F5A5']));
    expect(ids).not.toContain('DrainB7582D65');
  });

  it('has rounds as messages of a queue with delays, which a FIFO queue would not have', () => {
    const [[id, { Properties }]] = Object.entries(template.findResources('AWS::SQS::Queue')).filter(([id]) =>
      id.startsWith('Drains'),
    ) as [[string, { Properties: { FifoQueue?: boolean; VisibilityTimeout: number } }]];
    expect(Properties.FifoQueue).toBeUndefined();
    expect(Properties.VisibilityTimeout).toBe(60);
    template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 1,
      EventSourceArn: { 'Fn::GetAtt': [id, 'Arn'] },
    });
  });
});
