import { Argument, Command } from 'commander';
import { systemClock } from '../../functions/shared/clock.ts';
import { type StoredFlags, withStoredFlags } from '../explain/flags.ts';
import { type Moment, momentOf } from '../history/period.ts';

const SUBJECTS = ['pod', 'node', 'group'] as const;

const NOTES = `
  pod    why it waits, group by group, or which group grows for it; which nodes it keeps
  node   whether it is needed, since when it is not, why it stays, and how its drain gets on
  group  sizes, template, backoff, why it cannot grow, and its last changes

With --since: what the decisions since then have said, each thing once, and when it changed.

It is read from the DynamoDB table of the stack, as outrigger status does. Nothing is read from the cluster, and nothing is
changed.

Examples:
  $ outrigger explain pod default/web-1 --cluster prod --region eu-west-1
  $ outrigger explain node ip-10-0-1-23.eu-west-1.compute.internal --cluster prod
  $ outrigger explain group web-a --cluster prod -o json
  $ outrigger explain pod default/web-1 --cluster prod --since 2h

Exit code:
  0  the explanation was printed
  1  nothing is known of the pod, node or group, or the state cannot be read
  2  the command line or the configuration is invalid`;

/** `outrigger explain`: why a pod waits, a node stays or a node group does not grow. */
export const explainCommand = (): Command =>
  withStoredFlags(
    new Command('explain').description('Explain a pod, a node or a node group by the last decisions. Changes nothing'),
  )
    .addArgument(new Argument('<subject>', 'what to explain').choices(SUBJECTS))
    .argument('<name>', 'NAMESPACE/NAME of a pod (without a namespace: default), or the name of a node or node group')
    .option('--since <time>', 'what was said since then: how long ago (2h, 7d), or a time in RFC 3339', momentOf)
    .addHelpText('after', NOTES)
    .action(
      async (subject: (typeof SUBJECTS)[number], name: string, flags: StoredFlags & { readonly since?: Moment }) => {
        const { since } = flags;
        if (since !== undefined) {
          const { answerFromStored } = await import('../explain/stored.ts');
          const { aboutSince } = await import('../explain/since.ts');
          const answer = aboutSince.bind(null, subject, name, since);
          process.exitCode = await answerFromStored({ flags, now: systemClock.now, answer }, process);
          return;
        }
        const { explainStored } = await import('../explain/run.ts');
        const { about } = await import('../explain/subjects.ts');
        const answer = about.bind(null, subject, name);
        process.exitCode = await explainStored({ flags, now: systemClock.now, answer }, process);
      },
    );
