import { firstItem } from '@outrigger/core/model/values/existing.ts';
import { mapOptional, presentItems } from '@outrigger/core/model/values/optional.ts';
import { present } from '@outrigger/core/model/values/present.ts';
import './compile-cache.ts';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { App, type StackProps } from 'aws-cdk-lib';
import { OutriggerStack } from './cluster-stack.ts';
import { FleetStack } from './fleet-stack.ts';
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

/** The stack of the dashboard for all clusters: stacks of clusters begin with `Outrigger-`. */
const FLEET = 'OutriggerFleet';

/**
 * Synthesis of 30 clusters takes 3 s of CPU time, and 12 s with the validation, the tree and the stack traces of the CDK.
 * A test lints the templates for every region.
 */
const app = new App({
  postCliContext: Object.fromEntries(flags),
  builtinCloudFormationValidation: false,
  treeMetadata: false,
  stackTraces: false,
});
try {
  const context = { config: app.node.tryGetContext('config'), clusters: app.node.tryGetContext('clusters') };
  const { clusters, fleetDashboard, warnings } = readSettings(context, process.cwd());
  for (const warning of warnings) {
    process.stderr.write(`Warning: ${warning}\n`);
  }
  const only: unknown = app.node.tryGetContext('only');
  if (fleetDashboard && only === undefined) {
    createFleetStacks(clusters);
  }
  for (const cluster of clusters.filter(isWanted(only))) {
    new OutriggerStack(app, stackId(cluster, clusters), {
      stackName: stackName(cluster),
      cluster,
      bundles: beside('../dist/functions', '../functions'),
      description: `Outrigger: keeps EKS cluster ${cluster.name} the right size`,
      ...environmentOf(cluster),
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

/** Creates one stack for each account and region of the clusters. */
function createFleetStacks(of: readonly ClusterSettings[]): void {
  const places = Map.groupBy(of, ({ account, region }) => presentItems([account, region]).join('-'));
  for (const [place, clusters] of places) {
    new FleetStack(app, presentItems([FLEET, places.size > 1 && place !== '' && place]).join('-'), {
      stackName: FLEET,
      description: 'Outrigger: the dashboard of all clusters of an account and a region',
      ...environmentOf(firstItem(clusters)),
    });
  }
}

function environmentOf({ account, region }: ClusterSettings): Pick<StackProps, 'env'> {
  return present({ env: mapOptional(region, (known) => ({ region: known, ...present({ account }) })) });
}

/** Clusters that `-c only=NAME@REGION` names; without it all. One without a region is wherever it is deployed. */
function isWanted(only: unknown): (cluster: ClusterSettings) => boolean {
  if (typeof only !== 'string') {
    return () => true;
  }
  const [name, region] = only.split('@', 2);
  return (cluster) => cluster.name === name && (cluster.region === undefined || cluster.region === region);
}
