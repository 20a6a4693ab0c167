import { RECOMMENDED } from './recommended.ts';
import * as z from 'zod';
import { CONFIG_FILE } from '../../config/read.ts';
import { clusterSettings, configuration } from '../../config/schema.ts';
import { clusterApi, managementCluster } from '../../providers/schema/cluster-api.ts';
import { head, row } from './marked-tables.ts';

type Shape = Readonly<Record<string, z.core.$ZodType>>;

/** `docs/configuration.md`: every setting as the schema has it. */
export const configurationPage = (): string => `<!-- Written by \`npm run docs\` from config/schema.ts. -->

# Configuration

The clusters and their settings are in one file, \`${CONFIG_FILE}\` next to \`cdk.json\`, or in another one:
\`npx cdk deploy -c config=FILE\`. It is YAML or JSON. Each cluster has a stack of its own.

\`\`\`yaml
${EXAMPLE}\`\`\`

The file is checked as a whole at \`cdk synth\`: each mistake is reported with its line and place, the expected value and the
found value. \`npx outrigger migrate FILE…\` writes the file from a deployment of Cluster Autoscaler ([flags.md](flags.md)).

## Of all clusters

${settings(Object.fromEntries(Object.entries(configuration.shape).filter(([name]) => name !== 'clusters')))}

[many-clusters.md](many-clusters.md) has an example.

## Of a cluster

${settings(clusterSettings.shape)}

The same name may be given twice in different regions or accounts. \`outrigger schema configuration\` prints the JSON Schema
of the file, for editors. Editors with the YAML language server check a file that begins with the line that \`migrate\` writes:

\`\`\`yaml
# yaml-language-server: $schema=https://unpkg.com/outrigger/dist/schemas/configuration.json
clusters:
  - name: production
\`\`\`

What \`vpc\`, \`role\` and \`discovery\` need in addition is in [network-and-accounts.md](network-and-accounts.md).

### \`vpc\`

${settings(shapeOf(clusterSettings.shape.vpc))}

### \`discovery\`

${settings(shapeOf(clusterSettings.shape.discovery))}

### \`clusterApi\`

${settings(clusterApi.shape)}

### \`clusterApi.managementCluster\`

${settings(managementCluster.shape)}

## In the context of the CDK

The list may also be the context value \`clusters\`, in \`cdk.json\` or as JSON on the command line, and comes before the file
then.

\`\`\`sh account
npx cdk deploy -c 'clusters=[{"name":"NAME","mode":"observe"}]'
\`\`\`
`;

export const EXAMPLE = `clusters:
  - name: production
    region: eu-west-1
    mode: act
    options:
      expander: [price, least-waste]
${Object.entries(RECOMMENDED)
  .map(([name, value]) => `      ${name}: ${value}\n`)
  .join('')}      max-nodes-total: 200
    alarmTopicArn: arn:aws:sns:eu-west-1:123456789012:alarms
  - name: staging
    region: eu-west-1
    mode: observe
    defaults: cluster-autoscaler
`;

const settings = (shape: Shape): string =>
  [
    ...head('Setting', 'Value', 'Default', 'Meaning'),
    ...Object.entries(shape).map(([name, schema]) =>
      row(`\`${name}\``, expectedBy(schema), defaultOf(schema), z.globalRegistry.get(schema)?.description ?? ''),
    ),
  ].join('\n');

/** The values that the schema takes. */
function expectedBy(schema: z.core.$ZodType): string {
  const read = z.core.safeDecode(schema, Symbol('nothing that a document holds'));
  return (read.error?.issues[0]?.message ?? '').replaceAll('<', '&lt;');
}

function defaultOf(schema: z.core.$ZodType): string {
  const { absent } = z.globalRegistry.get(schema) ?? {};
  if (typeof absent === 'string') {
    return absent;
  }
  const read = z.core.safeDecode(schema, undefined);
  if (!read.success) {
    return '**required**';
  }
  const value: unknown = read.data;
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0) ? '' : printed(value);
}

function shapeOf(schema: z.core.$ZodType): Shape {
  const inner: unknown = schema instanceof z.ZodOptional ? schema.unwrap() : schema;
  return (inner as z.ZodObject).shape;
}

const printed = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
