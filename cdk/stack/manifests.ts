import { createHash } from 'node:crypto';
import path from 'node:path';
import { Arn, CustomResource, Duration, Fn, Stack } from 'aws-cdk-lib';
import { CfnAccessEntry } from 'aws-cdk-lib/aws-eks';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Function } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { manifestSettings } from '../../config/manifest-settings.ts';
import {
  HASHES_ATTRIBUTE,
  type ManifestsRequest,
  TOKEN_ATTRIBUTE,
} from '@outrigger/providers/kubernetes/manifests/custom-resource.ts';
import { type ManifestSettings, manifestsOf } from '@outrigger/providers/kubernetes/manifests/manifests.ts';
import type { ClusterSettings } from '../settings.ts';
import { standardFunction, functionRole } from '../standard-function.ts';

/** The function that applies the manifests, and the token that the function has made. */
interface ManifestsFunction {
  readonly function: Function;
  /** SHA-256 of the accepted tokens, separated by commas. */
  readonly tokenHashes: string;
  /**
   * Applies the manifests with the stack, and removes them with it.
   *
   * @param url of the webhook, up to the token; `null`: without a webhook
   */
  readonly apply: (url: string | null) => CustomResource;
}

/** CloudFormation gives up on a change after this; the function answers before. */
const TIMEOUT = Duration.minutes(5);

/**
 * The function that applies the manifests of this stack. To create roles, the function must have every right of the
 * roles, or be an administrator; AWS can only give rights in a cluster by access policies, and only the administrator's
 * policy covers roles and webhooks. So the function has an administrator's role of its own, and its code only applies
 * the manifests (docs/decisions).
 */
export function manifestsFunction(
  scope: Construct,
  cluster: ClusterSettings,
  bundles: string,
  key: IKey | null,
): ManifestsFunction {
  const { name } = cluster;
  const settings = manifestSettings(cluster);
  const written = JSON.stringify(settings);
  const applying = standardFunction(scope, 'Manifests', {
    bundle: path.join(bundles, 'manifests'),
    description: 'Applies RBAC and webhook to the cluster with the stack, and removes them with it',
    memoryMiB: 256,
    timeout: Duration.minutes(4),
    environment: {
      OUTRIGGER_CLUSTER: name,
      OUTRIGGER_STACK: Stack.of(scope).stackId,
      OUTRIGGER_MANIFESTS: sha256(written),
    },
    tracing: false,
    key,
  });
  applying.grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      actions: ['eks:DescribeCluster'],
      resources: [Arn.format({ service: 'eks', resource: 'cluster', resourceName: name }, Stack.of(scope))],
    }),
  );
  const entry = new CfnAccessEntry(scope, 'ManifestsAccessEntry', {
    clusterName: name,
    principalArn: functionRole(applying).roleArn,
    type: 'STANDARD',
    accessPolicies: [
      {
        policyArn: `arn:${Stack.of(scope).partition}:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy`,
        accessScope: { type: 'cluster' },
      },
    ],
  });
  const resource = (id: string, type: string, properties: ManifestsRequest): CustomResource =>
    new CustomResource(scope, id, {
      serviceToken: applying.functionArn,
      resourceType: type,
      serviceTimeout: TIMEOUT,
      properties: { ...properties },
    });
  const token = resource('WebhookToken', 'Custom::OutriggerWebhookToken', {
    Kind: 'token',
    Version: String(cluster.webhookTokenVersion),
  });
  const tokenHashes = token.getAttString(HASHES_ATTRIBUTE);
  return {
    function: applying,
    tokenHashes,
    apply(url) {
      const applied = resource('AppliedManifests', 'Custom::OutriggerManifests', {
        Kind: 'manifests',
        Settings: written,
        Url: url === null ? '' : Fn.join('', [url, token.getAttString(TOKEN_ATTRIBUTE), `/${name}`]),
        Digest: digestOf(settings),
      });
      // The function gets access before it applies the manifests, and keeps it until it has removed them.
      applied.node.addDependency(entry);
      return applied;
    },
  };
}

/** Digest of the objects of this version: a version of Outrigger with other objects has them applied again. */
const digestOf = (settings: ManifestSettings): string =>
  sha256(JSON.stringify(manifestsOf(settings, 'https://digest.invalid/'))).slice(0, 16);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
