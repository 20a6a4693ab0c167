import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { LambdaService } from './lambda-service.ts';
import type { Attributes } from './names.ts';
import { propertiesOf } from './policies.ts';
import type { Resolve } from './resolve.ts';
import type { Template } from './synthesize.ts';

export interface CustomResourceSettings {
  readonly template: Template;
  readonly resolve: Resolve;
  /** With the functions that the resources name as theirs. */
  readonly lambda: LambdaService;
  /** Gets what the functions give as attributes, by the logical id of the resource. */
  readonly chosen: Record<string, Attributes>;
}

export interface CustomResources {
  /** Asks the functions to remove what they have made, the last first. A second call does nothing. */
  readonly remove: () => Promise<void>;
}

/** https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/crpg-ref-responses.html */
interface ResourceAnswer {
  readonly Status: 'SUCCESS' | 'FAILED';
  readonly Reason?: string;
  readonly PhysicalResourceId: string;
  readonly StackId: string;
  readonly LogicalResourceId: string;
  readonly Data?: Attributes;
}

/** Logical ids and properties, in the order of the template: the CDK has those first that others refer to. */
const customResourcesOf = ({ Resources }: Template) =>
  Object.entries(Resources).filter(([, { Type }]) => Type.startsWith('Custom::'));

/** Logical ids of the functions that custom resources are made by. */
export const makersOf = (template: Template): ReadonlySet<string> =>
  new Set(
    customResourcesOf(template).map(([, { Properties = {} }]) => {
      const { 'Fn::GetAtt': attribute } = Properties['ServiceToken'] as { readonly 'Fn::GetAtt': readonly string[] };
      return attribute[0]!;
    }),
  );

/**
 * Has the functions of the template make its custom resources, as CloudFormation does.
 *
 * @throws Error for one that fails, or that is not answered as it should be.
 */
export async function createCustomResources(settings: CustomResourceSettings): Promise<CustomResources> {
  const { template, resolve, lambda, chosen } = settings;
  const answers = await startAnswers();
  const stack = String(resolve({ Ref: 'AWS::StackId' }));
  const request = async (
    id: string,
    change: { readonly RequestType: string; readonly PhysicalResourceId?: string },
  ) => {
    const resource = template.Resources[id]!;
    const properties = propertiesOf(resource, resolve);
    const RequestId = randomUUID();
    const event = {
      ...change,
      RequestId,
      ResponseURL: `${answers.address}/${RequestId}`,
      StackId: stack,
      LogicalResourceId: id,
      ResourceType: resource.Type,
      ServiceToken: properties['ServiceToken'],
      ResourceProperties: properties,
    };
    const outcome = await lambda.invoke(String(properties['ServiceToken']), event);
    if (outcome.kind === 'failed') throw new Error(`${id}: ${outcome.type}: ${outcome.message}`);
    const answer = answers.to(RequestId);
    if (answer === undefined) throw new Error(`${id}: the function ended without an answer to CloudFormation`);
    // A removal that fails is answered as done, with the reason.
    if (answer.Status !== 'SUCCESS' || answer.Reason !== undefined)
      throw new Error(`${id}: ${answer.Status}: ${answer.Reason}`);
    if (answer.StackId !== stack || answer.LogicalResourceId !== id)
      throw new Error(`${id}: the answer is about ${answer.LogicalResourceId} of ${answer.StackId}`);
    return answer;
  };
  const made: (readonly [id: string, physicalId: string])[] = [];
  const remove = async (): Promise<void> => {
    for (let last = made.pop(); last !== undefined; last = made.pop())
      await request(last[0], { RequestType: 'Delete', PhysicalResourceId: last[1] });
    answers.stop();
  };
  try {
    for (const [id] of customResourcesOf(template)) {
      const { PhysicalResourceId, Data = {} } = await request(id, { RequestType: 'Create' });
      chosen[id] = { ...Data, Ref: PhysicalResourceId };
      made.push([id, PhysicalResourceId]);
    }
  } catch (error) {
    // CloudFormation rolls back.
    await remove();
    throw error;
  }
  return { remove };
}

/** Takes the answers: URLs that are signed for a PUT without a content type. */
async function startAnswers() {
  const taken = new Map<string, ResourceAnswer>();
  const server = createServer((request, response) => {
    const take = async (): Promise<void> => {
      const { method, url, headers } = request;
      const body = await text(request);
      const isSigned = method === 'PUT' && (headers['content-type'] ?? '') === '';
      // More is refused by CloudFormation.
      if (isSigned && body.length <= 4_096) taken.set(url!.slice(1), JSON.parse(body) as ResourceAnswer);
      response.writeHead(isSigned ? 200 : 403).end();
    };
    take().catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    to: (requestId: string): ResourceAnswer | undefined => taken.get(requestId),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
