import { Argument, Command, Option } from 'commander';
import { type StoredFlags, withStoredFlags } from '../explain/flags.ts';
import { type Subject, SUBJECTS } from '@outrigger/core/explanation/pages/page.ts';
import { type Moment, momentOf } from '../history/period.ts';

const NOTES = `
  pod    why it is pending, group by group, or which group grows for it; which nodes it keeps
  node   whether it is needed, since when it is not, why it is kept, and the progress of its drain
  group  sizes, template, backoff, why it cannot grow, and its last changes

With --since: what the decisions since then have said, each thing once, and when it changed.

It is read from the DynamoDB table of the stack, as outrigger status does. Nothing is read from the cluster, and nothing is
changed. With --scenario, the scenario of a file is evaluated as outrigger simulate does: without AWS and without a cluster.

Examples:
  $ outrigger explain pod default/web-1 --cluster prod --region eu-west-1
  $ outrigger explain node ip-10-0-1-23.eu-west-1.compute.internal --cluster prod
  $ outrigger explain group web-a --cluster prod -o json
  $ outrigger explain pod default/web-1 --cluster prod --since 2h
  $ outrigger explain pod default/web-1 --scenario cluster.yaml

Exit code:
  0  the explanation was printed
  1  nothing is known of the pod, node or group, or the state cannot be read
  2  the command line, the configuration or the scenario is invalid`;

interface ExplainFlags extends Omit<StoredFlags, 'cluster'> {
  readonly cluster?: string;
  readonly since?: Moment;
  readonly scenario?: string;
}

/** Options that say where the state of a deployment is, or since when. */
const OF_A_DEPLOYMENT = ['cluster', 'region', 'config', 'profile', 'table', 'awsEndpoint', 'dynamodbEndpoint', 'since'];

/** `outrigger explain`: why a pod waits, a node stays or a node group does not grow. */
export const explainCommand = (): Command =>
  withStoredFlags(
    new Command('explain').description('Explain a pod, a node or a node group by the last decisions. Changes nothing'),
    { needsCluster: false },
  )
    .addArgument(new Argument('<subject>', 'what to explain').choices(SUBJECTS))
    .argument('<name>', 'NAMESPACE/NAME of a pod (without a namespace: default), or the name of a node or node group')
    .option('--since <time>', 'what was said since then: how long ago (2h, 7d), or a time in RFC 3339', momentOf)
    .addOption(
      new Option(
        '--scenario <file>',
        'evaluate the scenario of this file instead of reading what is stored; - reads standard input',
      ).conflicts(OF_A_DEPLOYMENT),
    )
    .addHelpText('after', NOTES)
    .action(async (subject: Subject, name: string, flags: ExplainFlags, command: Command) => {
      const { cluster, since, scenario, ...others } = flags;
      if (scenario !== undefined) {
        const { explainScenario } = await import('../explain/scenario.ts');
        process.exitCode = await explainScenario(subject, name, { scenario, output: flags.output }, process);
        return;
      }
      if (cluster === undefined) {
        command.error("error: required option '--cluster <name>' not specified, and no --scenario <file> either");
      }
      const { answerFromStored } = await import('../explain/stored.ts');
      const { aboutSince, aboutSubject } = await import('../explain/since.ts');
      const answer =
        since === undefined ? aboutSubject.bind(null, subject, name) : aboutSince.bind(null, subject, name, since);
      process.exitCode = await answerFromStored({ flags: { ...others, cluster }, answer }, process);
    });
