import { CfnCondition, CfnOutput, CfnParameter, Fn } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { TOKEN_HASH } from '@outrigger/core/model/values/token-hash.ts';
import type { ClusterSettings } from '../settings.ts';

/**
 * The hashes of the webhook's tokens for the ingest function, separated by commas, which are an output too. The hashes
 * are in the settings, or else in a parameter, which keeps its value in deployments without one. Without hashes, no
 * call is accepted.
 *
 * @param made hashes of the token that the stack makes itself; `null`: the stack makes none
 */
export function webhookTokenHashes(
  scope: Construct,
  { webhookTokenHashes: hashes }: ClusterSettings,
  made: string | null,
): string {
  if (made !== null) {
    output(scope, made);
    return made;
  }
  if (hashes !== undefined) {
    const list = hashes.join(',');
    if (list !== '') {
      output(scope, list);
    }
    return list;
  }
  const { valueAsList } = new CfnParameter(scope, 'WebhookTokenHashes', {
    type: 'CommaDelimitedList',
    default: '',
    // Pattern of each item; an empty list has one empty item.
    allowedPattern: `^(|${TOKEN_HASH.source.slice(1, -1)})$`,
    constraintDescription: 'must be the hashes that npx outrigger token prints: 64 lower-case hexadecimal digits each',
    description: 'SHA-256 of the tokens that the webhook accepts: one, or two while a token is being rotated',
  });
  const list = Fn.join(',', valueAsList);
  const condition = new CfnCondition(scope, 'HasWebhookToken', {
    expression: Fn.conditionNot(Fn.conditionEquals(Fn.join('', valueAsList), '')),
  });
  output(scope, list).condition = condition;
  return list;
}

/** CloudFormation refuses outputs that are empty. */
const output = (scope: Construct, value: string): CfnOutput =>
  new CfnOutput(scope, 'AcceptedTokenHashes', { description: 'SHA-256 of the tokens that the webhook accepts', value });
