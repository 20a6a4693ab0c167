import { fileURLToPath } from 'node:url';
import { App } from 'aws-cdk-lib';
import { OutriggerStack } from './cluster-stack.ts';
import { readClusters } from './settings.ts';

const app = new App();
for (const cluster of readClusters(app.node.tryGetContext('clusters'))) {
  new OutriggerStack(app, `Outrigger-${cluster.name.replaceAll('_', '-')}`, {
    cluster,
    bundles: fileURLToPath(new URL('../dist', import.meta.url)),
    description: `Outrigger: keeps EKS cluster ${cluster.name} the right size`,
    ...(cluster.region === undefined
      ? {}
      : { env: { region: cluster.region, ...(cluster.account === undefined ? {} : { account: cluster.account }) } }),
  });
}
app.synth();
