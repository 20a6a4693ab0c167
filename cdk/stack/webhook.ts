import { Duration, Stack, Token, Validations } from 'aws-cdk-lib';
import { HttpApi, HttpMethod, HttpStage, PayloadFormatVersion } from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { type Function, FunctionUrlAuthType } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { capabilitiesOf } from '@outrigger/providers/schema/regions.ts';
import { type ClusterSettings, SettingsError } from '../settings.ts';

/**
 * Calls of the HTTP API in a second, on average and in a burst; the API rejects further calls, and charges nothing for
 * them. Many notifications at once are one wake-up, so rejected notifications are not missed.
 */
const THROTTLE = { rateLimit: 50, burstLimit: 100 } as const;

/**
 * The address that API servers call, with `/` at its end; `null` without a function for it. API servers have no AWS
 * credentials, so the token in the path is all there is; a call can only cause an evaluation.
 */
export function webhookUrl(
  scope: Construct,
  { name, webhook }: ClusterSettings,
  ingest: Function | null,
): string | null {
  if (ingest === null) {
    return null;
  }
  if (webhook === 'httpApi') {
    return httpApi(scope, name, ingest).url;
  }
  const { region } = Stack.of(scope);
  // If the settings name no region, it is the region of the CDK's environment.
  if (!Token.isUnresolved(region) && !capabilitiesOf(region).functionUrls) {
    throw new SettingsError([
      `cluster ${name}: webhook: expected httpApi or none: Lambda has no function URLs in ${region}, found functionUrl`,
    ]);
  }
  return ingest.addFunctionUrl({ authType: FunctionUrlAuthType.NONE }).url;
}

/** The API's events are those of a function URL. The API keeps no log of calls, for their paths hold the token. */
function httpApi(scope: Construct, cluster: string, ingest: Function): HttpStage {
  const api = new HttpApi(scope, 'WebhookApi', {
    apiName: `outrigger-${cluster}`,
    description: `Outrigger: the webhook of EKS cluster ${cluster}`,
    createDefaultStage: false,
  });
  api.addRoutes({
    path: '/{token}/{cluster}',
    methods: [HttpMethod.POST],
    integration: new HttpLambdaIntegration('Ingest', ingest, {
      payloadFormatVersion: PayloadFormatVersion.VERSION_2_0,
      timeout: Duration.seconds(3),
    }),
  });
  Validations.of(scope).acknowledge(
    {
      id: 'AwsSolutions::AwsSolutions-APIG1',
      reason:
        'A log of calls would hold the token, which is in their paths. The function logs calls without a valid one.',
    },
    {
      id: 'AwsSolutions::AwsSolutions-APIG4',
      reason: 'API servers have no AWS credentials. The function checks the token in the path.',
    },
  );
  return new HttpStage(scope, 'WebhookStage', {
    httpApi: api,
    // The name of any other stage would be in the path that the function is told.
    stageName: '$default',
    autoDeploy: true,
    throttle: THROTTLE,
  });
}
