import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { OutriggerStack } from './cluster-stack.ts';
import { readSettings, SettingsError, stackId, stackName } from './settings.ts';

const app = new App();
try {
  const context = { config: app.node.tryGetContext('config'), clusters: app.node.tryGetContext('clusters') };
  const { clusters, warnings } = readSettings(context, process.cwd());
  for (const warning of warnings) {
    process.stderr.write(`Warning: ${warning}\n`);
  }
  for (const cluster of clusters) {
    new OutriggerStack(app, stackId(cluster, clusters), {
      stackName: stackName(cluster),
      cluster,
      bundles: fileURLToPath(new URL('../dist/functions', import.meta.url)),
      description: `Outrigger: keeps EKS cluster ${cluster.name} the right size`,
      ...(cluster.region === undefined
        ? {}
        : { env: { region: cluster.region, ...(cluster.account === undefined ? {} : { account: cluster.account }) } }),
    });
  }
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) {
    throw error;
  }
  // What is wrong with the settings says all; where in this program it was found says nothing.
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
