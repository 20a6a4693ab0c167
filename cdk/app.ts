import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { OutriggerStack } from './cluster-stack.ts';
import { type ClusterSettings, readSettings, SettingsError, stackId, stackName } from './settings.ts';

/** A path of a clone, or of the package, which has this file in dist/cdk. */
const beside = (ofClone: string, ofPackage: string): string =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? ofClone : ofPackage, import.meta.url));

/**
 * The feature flags, which decide on what is in the template: the flags of this app, in whatever project the app is
 * run.
 */
const { context: own } = JSON.parse(readFileSync(beside('../cdk.json', 'cdk.json'), 'utf8')) as {
  readonly context: Readonly<Record<string, unknown>>;
};
const flags = Object.entries(own).filter(([key]) => key.startsWith('@aws-cdk'));

const app = new App({ postCliContext: Object.fromEntries(flags) });
try {
  const context = { config: app.node.tryGetContext('config'), clusters: app.node.tryGetContext('clusters') };
  const { clusters, warnings } = readSettings(context, process.cwd());
  for (const warning of warnings) {
    process.stderr.write(`Warning: ${warning}\n`);
  }
  for (const cluster of clusters.filter(isWanted(app.node.tryGetContext('only')))) {
    const account = cluster.account === undefined ? {} : { account: cluster.account };
    new OutriggerStack(app, stackId(cluster, clusters), {
      stackName: stackName(cluster),
      cluster,
      bundles: beside('../dist/functions', '../functions'),
      description: `Outrigger: keeps EKS cluster ${cluster.name} the right size`,
      ...(cluster.region === undefined ? {} : { env: { region: cluster.region, ...account } }),
    });
  }
  app.synth();
} catch (error) {
  if (!(error instanceof SettingsError)) {
    throw error;
  }
  // The message about the settings says all; a stack trace of this program says nothing.
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** Clusters that `-c only=NAME@REGION` names; without it all. One without a region is wherever it is deployed. */
function isWanted(only: unknown): (cluster: ClusterSettings) => boolean {
  if (typeof only !== 'string') {
    return () => true;
  }
  const [name, region] = only.split('@', 2);
  return (cluster) => cluster.name === name && (cluster.region === undefined || cluster.region === region);
}
