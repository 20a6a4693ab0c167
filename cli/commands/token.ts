import { Command } from 'commander';
import { outputOption } from '../terminal/flag-values.ts';
import { jsonText } from '../terminal/json-text.ts';
import { hashOfToken, newToken } from '@outrigger/providers/kubernetes/webhook-token.ts';

const EXPLANATION = `
The token goes into the webhook configuration of the cluster, in place of TOKEN in the
output Webhook of the stack, and nowhere else: keep it as a secret until then.
The hash is no secret. The stack is told of it by the setting webhookTokenHashes, or by its
parameter WebhookTokenHashes: outrigger install --print has the command.

To rotate a token without losing a notification: deploy NEW_HASH,OLD_HASH, apply the
webhook with the new token, deploy NEW_HASH alone.`;

/** `outrigger token`: a new token of the webhook, and its hash. */
export const tokenCommand = (): Command =>
  new Command('token')
    .description('Print a new token for the webhook, and its hash for the stack')
    .addOption(outputOption('output format'))
    .addHelpText('after', EXPLANATION)
    .action(({ output }: { readonly output: 'text' | 'json' }) => {
      const token = newToken();
      const hash = hashOfToken(token);
      process.stdout.write(output === 'json' ? jsonText({ token, hash }) : `token  ${token}\nhash   ${hash}\n`);
    });
