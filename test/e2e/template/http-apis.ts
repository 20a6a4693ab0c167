import { type Endpoint, eventOf, type Throttle } from './endpoints.ts';
import { propertiesOf } from './policies.ts';
import type { Resolve } from './resolve.ts';
import { resourcesOf, type Template } from './synthesize.ts';

/**
 * The routes of the HTTP APIs that a template has, each with its stage:
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 *
 * @throws Error for what is not known here: another stage, authorization, integration or payload than the template has.
 */
export const httpApisOf = (
  template: Template,
  resolve: Resolve,
  { account, region }: { readonly account: string; readonly region: string },
): readonly Endpoint[] =>
  resourcesOf(template, 'AWS::ApiGatewayV2::Route').map(([id, resource]) => {
    const { ApiId, RouteKey, AuthorizationType, Target } = propertiesOf(resource, resolve) as Record<string, string>;
    const [stageId, stage] = findOne(
      template,
      resolve,
      'AWS::ApiGatewayV2::Stage',
      (_, each) => each['ApiId'] === ApiId,
      { StageName: '$default', AutoDeploy: true },
    );
    const [integrationId, integration] = findOne(
      template,
      resolve,
      'AWS::ApiGatewayV2::Integration',
      (each) => Target === `integrations/${String(resolve({ Ref: each }))}`,
      { ApiId, IntegrationType: 'AWS_PROXY', PayloadFormatVersion: '2.0' },
    );
    if (AuthorizationType !== 'NONE') throw new Error(`${id} has AuthorizationType ${AuthorizationType}`);
    const [method, path] = RouteKey!.split(' ') as [string, string];
    const pattern = new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`);
    const SourceArn = `arn:aws:execute-api:${region}:${account}:${ApiId}/$default/${method}${path}`;
    return {
      host: ApiId!,
      uses: [id, stageId, integrationId],
      target: String(integration['IntegrationUri']),
      throttle: throttleOf(stage),
      takes: (asked, rawPath) => asked === method && pattern.test(rawPath),
      mayCall: (iam, resource_) =>
        iam.judge('apigateway.amazonaws.com', {
          action: 'lambda:InvokeFunction',
          resource: resource_,
          context: { 'aws:SourceArn': SourceArn },
        }),
      event: (rawPath, headers, body) => eventOf(RouteKey!, rawPath, headers, body),
    };
  });

type Properties = Readonly<Record<string, unknown>>;

function throttleOf({ DefaultRouteSettings: settings }: Properties): Throttle | null {
  const { ThrottlingRateLimit: rate, ThrottlingBurstLimit: burst } = (settings ?? {}) as Record<string, number>;
  return rate === undefined || burst === undefined ? null : { rate, burst };
}

/** The only resource of a type; it must have these properties. */
function findOne(
  template: Template,
  resolve: Resolve,
  type: string,
  isIt: (id: string, properties: Properties) => boolean,
  expected: Properties,
): readonly [id: string, properties: Properties] {
  const found = resourcesOf(template, type)
    .map(([id, resource]) => [id, propertiesOf(resource, resolve)] as const)
    .find(([id, properties]) => isIt(id, properties));
  if (found === undefined) throw new Error(`There is no ${type} for the route`);
  const [id, properties] = found;
  for (const [name, value] of Object.entries(expected))
    if (properties[name] !== value)
      throw new Error(`${id}: ${name} is ${String(properties[name])}, and only ${String(value)} is known here`);
  return found;
}
