import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import { type AwsClients, createAwsClients } from '../../../providers/aws/api/clients.ts';

/** An answer on the wire. `hang` never answers. */
export type Answer =
  | { readonly status: number; readonly body: string; readonly headers?: Readonly<Record<string, string>> }
  | 'hang';

/** A request: the action of the query protocol and its parameters, or the target or `METHOD /path` of a JSON one. */
export interface Call {
  readonly action: string;
  readonly parameters: URLSearchParams;
  readonly body: string;
  /** Key with which the request was signed. */
  readonly accessKey: string;
}

export interface WireServer {
  readonly clients: AwsClients;
  /** For clients of other services. */
  readonly endpoint: string;
  /** Every request that arrived, retries included. */
  readonly calls: readonly Call[];
}

/**
 * An HTTP server that speaks the protocols of Auto Scaling and EC2 (query in, XML out), EKS and the price list (JSON),
 * with clients that talk to it. Both end with the running test.
 *
 * @param attempts of the SDK: 1 for tests that are not about retries.
 */
export async function startWireServer(answer: (call: Call) => Answer, attempts = 1): Promise<WireServer> {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const answerOne = async (): Promise<void> => {
      const body = await readBody(request);
      const parameters = new URLSearchParams(body);
      const target = request.headers['x-amz-target'];
      const action =
        parameters.get('Action') ?? (typeof target === 'string' ? target : `${request.method} ${request.url}`);
      const accessKey = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const call = { action, parameters, body, accessKey };
      calls.push(call);
      const given = answer(call);
      if (given !== 'hang') {
        response.writeHead(given.status, { 'content-type': 'text/xml', ...given.headers }).end(given.body);
      }
    };
    void answerOne();
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const clients = createAwsClients({
    region: 'us-east-1',
    endpoint,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    attempts,
  });
  onTestFinished(async () => {
    clients.autoScaling.destroy();
    clients.ec2.destroy();
    clients.eks.destroy();
    clients.pricing.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => {
      server.close(resolve);
    });
  });
  return { clients, endpoint, calls };
}

async function readBody(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const chunk of request) {
    body += String(chunk);
  }
  return body;
}

/** A tree of XML: strings, numbers, lists (as `member` or `item` elements) and records. */
export type Xml = string | number | boolean | readonly Xml[] | { readonly [name: string]: Xml };

function toXml(value: Xml, listElement: string): string {
  if (Array.isArray(value)) {
    return value.map((item) => `<${listElement}>${toXml(item, listElement)}</${listElement}>`).join('');
  }
  if (typeof value === 'object') {
    return Object.entries(value)
      .map(([name, child]) => `<${name}>${toXml(child, listElement)}</${name}>`)
      .join('');
  }
  return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

/** A result of Auto Scaling. */
export const autoScalingResult = (action: string, result: Xml = {}): Answer => ({
  status: 200,
  body: `<${action}Response xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><${action}Result>${toXml(result, 'member')}</${action}Result><ResponseMetadata><RequestId>r</RequestId></ResponseMetadata></${action}Response>`,
});

/** An error of Auto Scaling. */
export const autoScalingError = (status: number, code: string, message: string): Answer => ({
  status,
  body: `<ErrorResponse xmlns="http://autoscaling.amazonaws.com/doc/2011-01-01/"><Error><Type>Sender</Type><Code>${code}</Code><Message>${message}</Message></Error><RequestId>r</RequestId></ErrorResponse>`,
});

/** A result of EC2, which names its elements in lower case. */
export const ec2Result = (action: string, result: Xml): Answer => ({
  status: 200,
  body: `<${action}Response xmlns="http://ec2.amazonaws.com/doc/2016-11-15/"><requestId>r</requestId>${toXml(result, 'item')}</${action}Response>`,
});

/** An error of EC2. */
export const ec2Error = (status: number, code: string, message: string): Answer => ({
  status,
  body: `<Response><Errors><Error><Code>${code}</Code><Message>${message}</Message></Error></Errors><RequestID>r</RequestID></Response>`,
});

/** A result of a service that speaks JSON. */
export const jsonResult = (result: object): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/x-amz-json-1.1' },
  body: JSON.stringify(result),
});

/** An error of a service that speaks JSON. */
export const jsonError = (status: number, code: string, message: string): Answer => ({
  status,
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': code },
  body: JSON.stringify({ message }),
});

/** A group as Auto Scaling describes it, discovered by `cluster`, with a launch template of its own. */
export const groupXml = (cluster: string, name: string, extra: Fields = {}): Xml => ({
  AutoScalingGroupName: name,
  MinSize: 0,
  MaxSize: 10,
  DesiredCapacity: 0,
  DefaultCooldown: 300,
  AvailabilityZones: ['us-east-1a'],
  HealthCheckType: 'EC2',
  CreatedTime: '2026-01-01T00:00:00Z',
  LaunchTemplate: { LaunchTemplateId: `lt-${hex(name)}`, LaunchTemplateName: templateName(name), Version: '$Latest' },
  Tags: [
    { Key: 'k8s.io/cluster-autoscaler/enabled', Value: 'true' },
    { Key: `k8s.io/cluster-autoscaler/${cluster}`, Value: 'owned' },
  ],
  ...extra,
  ...(extra['Instances'] !== undefined && { Instances: (extra['Instances'] as readonly Fields[]).map(instanceXml) }),
});

/** Fields that Auto Scaling states of each instance, whatever else it says. */
export const instanceXml = (instance: Fields): Xml => ({
  AvailabilityZone: 'us-east-1a',
  LifecycleState: 'InService',
  HealthStatus: 'Healthy',
  ProtectedFromScaleIn: false,
  ...instance,
});

/** Names of launch templates have at least three characters. */
const templateName = (group: string): string => `${group}-template`;

interface Fields {
  readonly [name: string]: Xml;
}

/** A launch template version as EC2 describes it. */
export const launchTemplateXml = (name: string, version: number, instanceType: string, isDefault = true): Xml => ({
  launchTemplateId: `lt-${hex(name)}`,
  launchTemplateName: templateName(name),
  versionNumber: version,
  defaultVersion: isDefault,
  launchTemplateData: { instanceType },
});

/** An instance type as EC2 describes it: two cores, 8 GiB, 29 pods. */
export const instanceTypeXml = (name: string): Xml => ({
  instanceType: name,
  vCpuInfo: { defaultVCpus: 2 },
  memoryInfo: { sizeInMiB: 8_192 },
  processorInfo: { supportedArchitectures: ['x86_64'] },
  networkInfo: {
    maximumNetworkInterfaces: 3,
    ipv4AddressesPerInterface: 10,
    defaultNetworkCardIndex: 0,
    networkCards: [{ networkCardIndex: 0, maximumNetworkInterfaces: 3 }],
  },
});

const hex = (name: string): string => Buffer.from(name).toString('hex');

/** The launch template id that stands for `name` here. */
export const launchTemplateId = (name: string): string => `lt-${hex(name)}`;
