import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import type { LambdaService } from './lambda-service.ts';
import type { Attributes } from './names.ts';
import { propertiesOf } from './policies.ts';
import type { Resolve } from './resolve.ts';
import type { Template } from './synthesize.ts';
import { listen } from '../../listening.ts';

export interface CustomResourceSettings {
  readonly template: Template;
  readonly resolve: Resolve;
  /** With the functions that the resources name as theirs. */
  readonly lambda: LambdaService;
  /** Gets what the functions give as attributes, by the logical id of the resource. */
  readonly chosen: Record<string, Attributes>;
  readonly answers: Answers;
}

export interface CustomResources {
  /** Updates the resources whose properties differ in this template, and removes replaced resources. */
  readonly update: (changed: Template, resolve: Resolve) => Promise<void>;
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

type Properties = Readonly<Record<string, unknown>>;

/** A resource that is there. */
interface Made {
  readonly physicalId: string;
  readonly properties: Properties;
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
 * @throws Error for a resource that fails, or whose answer is malformed
 */
export async function createCustomResources(settings: CustomResourceSettings): Promise<CustomResources> {
  const { template, resolve, lambda, chosen, answers } = settings;
  const stack = String(resolve({ Ref: 'AWS::StackId' }));
  const request = async (
    id: string,
    properties: Properties,
    change: {
      readonly RequestType: string;
      readonly PhysicalResourceId?: string;
      readonly OldResourceProperties?: Properties;
    },
  ) => {
    const RequestId = randomUUID();
    const event = {
      ...change,
      RequestId,
      ResponseURL: `${answers.address}/${RequestId}`,
      StackId: stack,
      LogicalResourceId: id,
      ResourceType: template.Resources[id]!.Type,
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
  const made = new Map<string, Made>();
  const removeOne = (id: string, { physicalId: PhysicalResourceId, properties }: Made) =>
    request(id, properties, { RequestType: 'Delete', PhysicalResourceId });
  const remove = async (): Promise<void> => {
    for (const [id, one] of [...made].toReversed()) {
      made.delete(id);
      await removeOne(id, one);
    }
    answers.stop();
  };
  const keep = (id: string, properties: Properties, { PhysicalResourceId, Data = {} }: ResourceAnswer): void => {
    chosen[id] = { ...Data, Ref: PhysicalResourceId };
    made.set(id, { physicalId: PhysicalResourceId, properties });
  };
  const update: CustomResources['update'] = async (changed, resolveChanged) => {
    const replaced: (readonly [id: string, before: Made])[] = [];
    for (const [id, resource] of customResourcesOf(changed)) {
      const before = made.get(id);
      if (before === undefined) throw new Error(`${id} is new, and only changes are known here`);
      const properties = propertiesOf(resource, resolveChanged);
      if (JSON.stringify(properties) === JSON.stringify(before.properties)) continue;
      const { physicalId: PhysicalResourceId, properties: OldResourceProperties } = before;
      const answer = await request(id, properties, {
        RequestType: 'Update',
        PhysicalResourceId,
        OldResourceProperties,
      });
      keep(id, properties, answer);
      if (answer.PhysicalResourceId !== PhysicalResourceId) replaced.push([id, before]);
    }
    for (const [id, before] of replaced.toReversed()) await removeOne(id, before);
  };
  try {
    for (const [id, resource] of customResourcesOf(template)) {
      const properties = propertiesOf(resource, resolve);
      keep(id, properties, await request(id, properties, { RequestType: 'Create' }));
    }
  } catch (error) {
    // CloudFormation rolls back.
    await remove();
    throw error;
  }
  return { update, remove };
}

export type Answers = Awaited<ReturnType<typeof startAnswers>>;

/** Takes the answers: URLs that are signed for a PUT without a content type. */
export async function startAnswers() {
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
  const port = await listen(server);
  return {
    address: `http://127.0.0.1:${port}`,
    to: (requestId: string): ResourceAnswer | undefined => taken.get(requestId),
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}
