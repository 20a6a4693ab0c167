import { setTimeout as delay } from 'node:timers/promises';
import { type AutoScalingGroup, paginateDescribeAutoScalingGroups } from '@aws-sdk/client-auto-scaling';
import type { ServerCertificate } from '../../../cli/local/certificate.ts';
import type { AwsClients } from '../servers/aws-clients.ts';
import { region } from '../servers/aws-clients.ts';
import type { Connection } from '../servers/kube.ts';
import type { GroupLookup } from './aws-request.ts';
import { createCustomResources, makersOf, startAnswers } from './custom-resources.ts';
import { emulatorGaps } from './emulator-gaps.ts';
import { type AccessEntry, accessEntriesOf, type Eks, startEks } from './eks.ts';
import { mappingsOf, startMapping } from './event-sources.ts';
import { functionUrlsOf, startEndpoints, type ThrottleTime } from './endpoints.ts';
import { accessKeyOf, type Backend, forward, type Interference, startGateway } from './gateway.ts';
import { httpApisOf } from './http-apis.ts';
import { type Iam, iamOf } from './iam.ts';
import { type LambdaService, startLambda } from './lambda-service.ts';
import { attributeOf } from './names.ts';
import { stsOf } from './sts.ts';
import { newRecords, type Records } from './records.ts';
import { type Resolve, resolver } from './resolve.ts';
import { administrator, createQueues, createStorage, deleteStorage, deleteTables } from './storage.ts';
import { resourcesOf, type Synthesized, type Template } from './synthesize.ts';
import { type Triggers, triggersOf } from './triggers.ts';

/** moto has one account. */
export const ACCOUNT = '123456789012';

export interface DeploymentSettings {
  readonly synthesized: Synthesized;
  /** Values of the template's parameters. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Name of the EKS cluster. */
  readonly cluster: string;
  readonly connection: Connection;
  /** The EKS cluster with the resources of Cluster API, if they are in a separate management cluster. */
  readonly management?: { readonly cluster: string; readonly connection: Connection };
  readonly moto: string;
  readonly dynamodb: string;
  /** Certificate of 127.0.0.1, for function URLs and HTTP APIs. */
  readonly certificate: ServerCertificate;
  readonly aws: AwsClients;
  readonly nodeGroups: Readonly<Record<string, string>>;
  /** Folder with Lambda's runtime interface client. */
  readonly runtime: string;
  readonly logs: string;
}

/** A template that runs. */
export interface Deployment {
  readonly records: Records;
  readonly resolve: Resolve;
  /** The same for a template that differs in something. */
  readonly resolveIn: (template: Template) => Resolve;
  readonly iam: Iam;
  readonly lambda: LambdaService;
  readonly triggers: Triggers;
  /** An output of the stack. */
  readonly output: (name: string) => string;
  /** Local address of a URL of the template. */
  readonly reachable: (url: string) => string;
  /** Gives parameters other values, as CloudFormation does. */
  readonly update: (parameters: Readonly<Record<string, string>>) => Promise<void>;
  /** Gives the functions the code and the environment of another template with the same resources. */
  readonly updateTo: (other: Synthesized) => Promise<void>;
  readonly throttleTime: ThrottleTime;
  readonly interfere: (interference: Interference) => void;
  readonly administer: ReturnType<typeof administrator>;
  /** Has the custom resources changed as another template has them. */
  readonly updateCustomResources: (changed: Template) => Promise<void>;
  /** Deletes the custom resources, the first that goes when a stack is deleted. */
  readonly deleteCustomResources: () => Promise<void>;
  /** Deletes what is deleted with the stack. */
  readonly remove: () => Promise<void>;
  /** Deletes its tables, too. */
  readonly stop: () => Promise<void>;
}

/** Types that nothing is run for: they only tell people, or are a part of what is run. */
const NOT_RUN = [
  'AWS::ApiGatewayV2::Api',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Logs::LogGroup',
  'AWS::CDK::Metadata',
];
const RUN = [
  'AWS::ApiGatewayV2::Integration',
  'AWS::ApiGatewayV2::Route',
  'AWS::ApiGatewayV2::Stage',
  'AWS::DynamoDB::GlobalTable',
  'AWS::EKS::AccessEntry',
  'AWS::Events::Rule',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Url',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::Schedule',
  'AWS::SecretsManager::Secret',
];

/** For the invocations under way when a deployment is removed. */
const GRACE_MS = 60_000;

/** Deploys a template onto the emulators, as CloudFormation would onto AWS. */
export async function deploy(settings: DeploymentSettings): Promise<Deployment> {
  const { synthesized, cluster, certificate, moto, dynamodb, aws } = settings;
  const parameters = { ...settings.parameters };
  const { template } = synthesized;
  for (const [id, { Type }] of Object.entries(template.Resources))
    if (![...NOT_RUN, ...RUN].includes(Type) && !Type.startsWith('Custom::'))
      throw new Error(`${id} is an ${Type}, which is not run here: add it to deployment.ts`);
  const records = newRecords();
  const backends: Record<string, Backend> = {
    dynamodb: (_, request) => forward(dynamodb, request),
    ...emulatorGaps(moto),
  };
  const gateway = await startGateway({ account: ACCOUNT, region, records, groupOf: groupLookup(aws), backends, moto });
  const endpoints = await startEndpoints(certificate, records);
  const administer = administrator({ region, moto, dynamodb });
  const stack = `Outrigger-${cluster}`;
  const chosen = await createStorage(template, stack, administer);
  const place = { account: ACCOUNT, region, endpoint: gateway.endpoint, functionUrls: endpoints.address, chosen };
  const attribute = (id: string, resource: Template['Resources'][string], name: string) =>
    attributeOf(place, id, resource, name);
  const resolveIn = (other: Template): Resolve =>
    resolver(other, { account: ACCOUNT, region, stack, parameters, attribute });
  const resolve = resolveIn(template);
  await createQueues(template, resolve, administer);
  const iam = iamOf(ACCOUNT, template, resolve, records);
  gateway.govern(iam);
  backends['sts'] = stsOf(() => iam);
  const eks = await startClusters(settings, accessEntriesOf(template, resolve, iam), records);
  backends['eks'] = eks.backend;
  const makers = makersOf(template);
  const answers = await startAnswers();
  const start = (isStarted: (id: string) => boolean): Promise<LambdaService> =>
    startLambda({
      synthesized,
      isStarted,
      resolve,
      iam,
      records,
      // Custom resources are not answered to CloudFormation here.
      credentials: (role) => ({ ...credentialsOf(role, gateway.endpoint), OUTRIGGER_ANSWERS_TO: answers.address }),
      runtime: settings.runtime,
      logs: settings.logs,
    });
  // The environment of the other functions may have what custom resources give.
  const making = await start((id) => makers.has(id));
  const custom = await createCustomResources({ template, resolve, lambda: making, chosen, answers });
  const lambda = await start((id) => !makers.has(id));
  backends['lambda'] = lambda.backend;
  endpoints.serve([...functionUrlsOf(template, resolve), ...httpApisOf(template, resolve, place)], lambda, iam);
  const queueUrl = queueUrlsOf(template, resolve);
  const sources = { gateway, lambda, records, region, queueUrl };
  const mappings = await Promise.all(
    mappingsOf(template, resolve, place).map((mapping) => startMapping(mapping, sources)),
  );
  const send = async (QueueUrl: string, MessageBody: string, MessageGroupId: string | undefined): Promise<void> => {
    await administer('sqs', 'AmazonSQS.SendMessage', { QueueUrl, MessageBody, MessageGroupId });
  };
  const triggers = triggersOf({
    account: ACCOUNT,
    region,
    template,
    resolve,
    iam,
    gateway,
    lambda,
    records,
    queueUrl,
    send,
  });
  const remove = async (): Promise<void> => {
    await custom.remove();
    await making.stop();
    const ended = Promise.all([...mappings.map((mapping) => mapping.stop()), lambda.settled()]);
    if ((await Promise.race([ended, delay(GRACE_MS, 'late', { ref: false })])) === 'late')
      console.warn(`Invocations that have not ended are killed: ${lambda.underWay().join(', ')}`);
    await lambda.stop();
    await ended;
    endpoints.stop();
    eks.stop();
    gateway.stop();
    await deleteStorage(template, resolve, administer);
  };
  return {
    records,
    resolve,
    resolveIn,
    iam,
    lambda,
    triggers,
    output: (name) => String(resolve(template.Outputs?.[name]?.Value)),
    reachable: (url) => url.replace(/^https:\/\/([^.]+)\.execute-api\.[^/]+\//, `${endpoints.address}$1/`),
    async update(changed) {
      Object.assign(parameters, changed);
      await lambda.update();
    },
    updateTo: (other) => lambda.update({ synthesized: other, resolve: resolveIn(other.template) }),
    throttleTime: endpoints.throttleTime,
    interfere: gateway.interfere,
    administer,
    async updateCustomResources(changed) {
      const resolveChanged = resolveIn(changed);
      await making.update({ synthesized: { ...synthesized, template: changed }, resolve: resolveChanged });
      await custom.update(changed, resolveChanged);
    },
    deleteCustomResources: custom.remove,
    remove,
    async stop() {
      await remove();
      await deleteTables(stack, administer);
    },
  };
}

/** Starts the cluster and, if the deployment has one, the management cluster. */
async function startClusters(
  { cluster, connection, management, certificate, nodeGroups }: DeploymentSettings,
  entries: readonly AccessEntry[],
  records: Records,
): Promise<Eks> {
  const own = await startEks({ cluster, connection, certificate, entries, nodeGroups, records });
  if (management === undefined) return own;
  const other = await startEks({ ...management, certificate, entries, nodeGroups: {}, records });
  return {
    backend: (call, request) => (call.names[0] === management.cluster ? other : own).backend(call, request),
    stop() {
      own.stop();
      other.stop();
    },
  };
}

/** Variables that Lambda sets for the role of a function, and AWS' address here. */
export const credentialsOf = (role: string, endpoint: string): Readonly<Record<string, string>> => ({
  AWS_REGION: region,
  AWS_DEFAULT_REGION: region,
  AWS_ACCESS_KEY_ID: accessKeyOf(role),
  AWS_SECRET_ACCESS_KEY: 'secret',
  AWS_SESSION_TOKEN: 'token',
  AWS_ENDPOINT_URL: endpoint,
});

const groupLookup =
  ({ autoScaling }: AwsClients): GroupLookup =>
  async ({ name, instance }) => {
    const input = name === undefined ? {} : { AutoScalingGroupNames: [name] };
    const has = ({ Instances = [] }: AutoScalingGroup): boolean =>
      Instances.some(({ InstanceId }) => InstanceId === instance);
    for await (const { AutoScalingGroups = [] } of paginateDescribeAutoScalingGroups({ client: autoScaling }, input)) {
      const group = AutoScalingGroups.find((each) => name !== undefined || has(each));
      if (group === undefined) continue;
      const tags = (group.Tags ?? []).map(({ Key, Value }) => [Key, Value] as const);
      return { arn: group.AutoScalingGroupARN!, tags: Object.fromEntries(tags) as Readonly<Record<string, string>> };
    }
    return null;
  };

function queueUrlsOf(template: Template, resolve: Resolve): (arn: string) => string {
  const urls = resourcesOf(template, 'AWS::SQS::Queue').map(
    ([id]) => [resolve({ 'Fn::GetAtt': [id, 'Arn'] }), String(resolve({ Ref: id }))] as const,
  );
  return (arn) => {
    const url = urls.find(([each]) => each === arn);
    if (url === undefined) throw new Error(`The template has no queue ${arn}`);
    return url[1];
  };
}
