import { Command, Option } from 'commander';
import { systemClock } from '../../functions/shared/clock.ts';
import { type TableFlags, withTableFlags } from '../explain/flags.ts';
import { waitForEnd } from '../local/end.ts';
import { addressOf } from '../terminal/flag-values.ts';
import type { Address } from '../local/listening.ts';
import { failLive } from '../live/fail.ts';
import { createLog } from '../local/log.ts';

const NOTES = `
It reads the DynamoDB table of the stack when it is scraped, at most once in 15 seconds. Nothing is read from the cluster, and
nothing is changed. docs/prometheus.md has a configuration of Prometheus, alert rules and a dashboard.

Examples:
  $ outrigger exporter --cluster prod --region eu-west-1
  $ outrigger exporter --cluster prod --address 0.0.0.0:8085

Exit code:
  0  ended by a signal
  1  there is no table, or it cannot listen on the address
  2  the command line or the configuration is invalid`;

interface ExporterFlags extends TableFlags {
  readonly address: Address;
}

/** `outrigger exporter`: serves the last decisions of a deployed Outrigger as metrics for Prometheus. */
export const exporterCommand = (): Command =>
  withTableFlags(
    new Command('exporter').description('Serve the latest decisions as metrics for Prometheus. Changes nothing'),
    true,
  )
    .addOption(
      new Option('--address <host:port>', 'address to serve /metrics on; :8085 is that port of this computer alone')
        .argParser(addressOf)
        .default({ host: '127.0.0.1', port: 8085 }, '127.0.0.1:8085'),
    )
    .addHelpText('after', NOTES)
    .action(run);

async function run(flags: ExporterFlags, command: Command): Promise<never> {
  // Loaded when they are needed: help does not wait for the AWS clients.
  const [{ openStores }, { configuredCluster }, { serveExporter }] = await Promise.all([
    import('../explain/stored.ts'),
    import('../live/configured.ts'),
    import('../exporter/serve.ts'),
  ]);
  const found = configuredCluster(flags);
  if (!found.ok) {
    return command.error(found.error.join('\n'));
  }
  const log = createLog('text', 'info', (line) => process.stderr.write(line));
  const end = waitForEnd(log);
  try {
    const opened = await openStores(flags, found.value?.cluster ?? null, systemClock.now, (line) => log.warn(line));
    if (!opened.ok) {
      throw new Error(opened.error);
    }
    const server = await serveExporter({ address: flags.address, stores: opened.value, now: systemClock.now });
    log.info(`Serving /metrics of cluster ${flags.cluster} on ${flags.address.host}:${server.port}`);
    const code = await end.exitCode;
    await server.close();
    opened.value.close();
    process.exit(code);
  } catch (error) {
    end.forget();
    return failLive(command, error);
  }
}
