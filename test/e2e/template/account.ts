import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import type { E2eCluster } from '../cluster.ts';
import { connection } from '../connection.ts';
import { region } from '../servers/aws-clients.ts';
import type { Answer } from '../servers/proxy.ts';
import { autoScalingResult } from '../../providers/aws/wire-server.ts';
import { type AwsRequest, type ReadCall, readCall } from './aws-request.ts';
import { type CloudFormation, startCloudFormation } from './cloud-formation.ts';
import { type CommandLine, openProject } from './command-line.ts';
import { failure, json } from './denials.ts';
import { startEks } from './eks.ts';
import { accessKeyOf, forward } from './gateway.ts';
import { deployTemplate } from './ground.ts';
import { newRecords } from './records.ts';
import type { Synthesized } from './synthesize.ts';
import { administrator, deleteTables } from './storage.ts';
import { serverSet } from '../server-set.ts';
import { listen } from '../../listening.ts';

/** An account with a cluster, and a command line with credentials of its administrator. */
export interface Account {
  readonly stack: CloudFormation;
  readonly commandLine: CommandLine;
  /** Names of the tables with the state. */
  readonly tables: () => Promise<readonly string[]>;
}

/** @param settings of the cluster, as in outrigger.config.yaml */
export async function openAccount(
  cluster: Pick<E2eCluster, 'name' | 'aws'>,
  settings: { readonly name: string },
  synthesized: Synthesized,
): Promise<Account> {
  const [moto, dynamodb] = [serverSet.awsEndpoint, serverSet.dynamodbEndpoint];
  const name = `Outrigger-${cluster.name}`;
  const stack = startCloudFormation({
    name,
    template: synthesized.template,
    region,
    deploy: (parameters) => deployTemplate(synthesized, cluster, {}, parameters),
  });
  const eks = await startEks({
    cluster: cluster.name,
    connection: connection(),
    certificate: serverSet.certificate,
    entries: [
      {
        id: 'Administrator',
        cluster: cluster.name,
        role: ADMINISTRATOR,
        accessKey: accessKeyOf(ADMINISTRATOR),
        groups: ['system:masters'],
      },
    ],
    nodeGroups: {},
    records: newRecords(),
    loses: (request) => commandLine.diesOf(request),
  });

  const answer = async (request: AwsRequest): Promise<Answer | 'lost'> => {
    if (request.path === CDK) {
      const deployed = stack.deploy(parametersOf(JSON.parse(request.body) as readonly string[]));
      if (commandLine.diesOf('cdk deploy')) return 'lost';
      await deployed;
      return json({});
    }
    const call = readCall(request);
    const dies = commandLine.diesOf(`${call.service}:${call.operation}`);
    const given = await answerOf(call, request, dies);
    return dies ? 'lost' : given;
  };
  const answerOf = async (call: ReadCall, request: AwsRequest, dies: boolean): Promise<Answer> => {
    const { service, operation, input } = call;
    if (service === 'cloudformation')
      return input['StackName'] === 'CDKToolkit' ? BOOTSTRAPPED : stack.answer(call, dies);
    if (service === 'eks') return eks.backend(call, request);
    if (service === 'logs') return json({ events: eventsIn(stack, call) });
    if (service === 'lambda') return lambda(stack, call, request);
    // DynamoDB Local has no tags.
    if (operation === 'ListTagsOfResource')
      return json({ Tags: [{ Key: 'aws:cloudformation:stack-name', Value: name }] });
    return forward(service === 'dynamodb' ? dynamodb : moto, request);
  };

  const server = createServer((incoming, outgoing) => {
    const respond = async (): Promise<void> => {
      const { method = '', url = '', headers } = incoming;
      const given = await answer({ method, path: url, headers, body: await text(incoming) });
      // The program hears nothing of a lost answer: it ends, and with it the connection.
      if (given !== 'lost') outgoing.writeHead(given.status, given.headers).end(given.body);
    };
    respond().catch((error: unknown) => outgoing.writeHead(501).end(String(error)));
  });
  const port = await listen(server);
  const endpoint = `http://127.0.0.1:${port}`;
  const commandLine = openProject(settings, endpoint, `${endpoint}${CDK}`, accessKeyOf(ADMINISTRATOR));
  const administer = administrator({ region, moto, dynamodb });
  onTestFinished(async () => {
    await stack.remove();
    await deleteTables(name, administer);
    server.close();
    server.closeAllConnections();
    eks.stop();
  });
  return {
    stack,
    commandLine,
    async tables() {
      const { TableNames } = await administer('dynamodb', 'DynamoDB_20120810.ListTables', {});
      return (TableNames as readonly string[]).filter((table) => table.startsWith(`${name}-Table`));
    },
  };
}

const ADMINISTRATOR = 'administrator';
/** Path to which the project's CDK command line sends its arguments. */
const CDK = '/cdk';

const wire = autoScalingResult('DescribeStacks', {
  Stacks: [
    {
      StackName: 'CDKToolkit',
      CreationTime: '2026-01-01T00:00:00Z',
      StackStatus: 'CREATE_COMPLETE',
      Outputs: [{ OutputKey: 'BootstrapVersion', OutputValue: '30' }],
    },
  ],
});
const BOOTSTRAPPED: Answer = {
  status: 200,
  headers: { 'content-type': 'text/xml' },
  body: Buffer.from(wire === 'hang' ? '' : wire.body),
};

/** The values that `cdk deploy` is called with: `--parameters NAME=VALUE`. */
const parametersOf = (args: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    args.flatMap((argument, index) => {
      const [, name, value] = args[index - 1] === '--parameters' ? (/^(\w+)=(.*)$/.exec(argument) ?? []) : [];
      return name === undefined ? [] : [[name, value!] as const];
    }),
  );

async function lambda(stack: CloudFormation, call: ReadCall, request: AwsRequest): Promise<Answer> {
  if (call.operation === 'GetAccountSettings')
    return json({ AccountLimit: { ConcurrentExecutions: 1_000, UnreservedConcurrentExecutions: 1_000 } });
  if (call.operation === 'PutFunctionConcurrency') return json({ ReservedConcurrentExecutions: 0 });
  const { lambda: service } = stack.deployment() ?? {};
  const asked = call.names[0]!;
  const isThere = service?.functions.some(({ id }) => asked === id || asked.includes(`:function:${id}:`)) === true;
  return isThere
    ? service.backend(call, request)
    : failure(404, 'ResourceNotFoundException', `Function not found: ${asked}`);
}

/** Lines of a function's log from a time on, with at least so much in a field: `{ $.FIELD >= N }`. */
function eventsIn(stack: CloudFormation, { operation, input }: ReadCall): readonly object[] {
  const { logGroupName, startTime, filterPattern } = input as Readonly<Record<string, string | number>>;
  const [, field, least] = /^\{ \$\.(\w+) >= (\d+) \}$/.exec(String(filterPattern)) ?? [];
  if (operation !== 'FilterLogEvents' || field === undefined)
    throw new Error(`logs:${operation} with ${filterPattern} is not known here: add it to account.ts`);
  const { functions = [] } = stack.deployment()?.lambda ?? {};
  const writing = functions.find(({ logGroup }) => logGroup.endsWith(`:log-group:${logGroupName}`));
  const files = readdirSync(serverSet.logs).filter(
    (file) => writing !== undefined && file.startsWith(`${writing.id}-`),
  );
  return files
    .flatMap((file) => readFileSync(path.join(serverSet.logs, file), 'utf8').split('\n'))
    .flatMap((line) => {
      const said = line.startsWith('{') ? (JSON.parse(line) as LogLine) : {};
      const timestamp = said._aws?.Timestamp ?? 0;
      return Number(said[field] ?? 0) >= Number(least) && timestamp >= Number(startTime)
        ? [{ timestamp, message: line }]
        : [];
    });
}

/** Embedded metric format. */
interface LogLine extends Readonly<Record<string, unknown>> {
  readonly _aws?: { readonly Timestamp: number };
}
