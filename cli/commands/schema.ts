import { Argument, Command, Option } from 'commander';
import { jsonText } from '../terminal/json-text.ts';
import { configurationSchema } from '../../config/json-schema.ts';
import { printYaml } from '@outrigger/providers/scenario/documents.ts';
import { DOCUMENT_NAMES, documentSchema } from '@outrigger/providers/schema/documents.ts';
import type { JsonSchema } from '@outrigger/providers/schema/json-schema.ts';

const EXAMPLES = `
Examples:
  $ outrigger schema scenario > scenario.schema.json
  $ outrigger schema configuration > outrigger.schema.json
  $ outrigger schema options -o yaml

An editor with the YAML language server checks a file that starts with
  # yaml-language-server: $schema=scenario.schema.json`;

/** Documents with a JSON Schema. */
export const SCHEMA_NAMES = [...DOCUMENT_NAMES, 'configuration'] as const;

/** The JSON Schema of one of these documents. */
export const schemaNamed = (name: (typeof SCHEMA_NAMES)[number]): JsonSchema =>
  name === 'configuration' ? configurationSchema() : documentSchema(name);

/** `outrigger schema`: the JSON Schema of a document. */
export const schemaCommand = (): Command =>
  new Command('schema')
    .description('Print the JSON Schema of a document that Outrigger reads or writes')
    .addArgument(new Argument('<document>', 'document to describe').choices(SCHEMA_NAMES))
    .addOption(new Option('-o, --output <format>', 'output format').choices(['json', 'yaml']).default('json'))
    .addHelpText('after', EXAMPLES)
    .action((name: (typeof SCHEMA_NAMES)[number], { output }: { readonly output: 'json' | 'yaml' }) => {
      const schema = schemaNamed(name);
      process.stdout.write(output === 'json' ? jsonText(schema) : printYaml(schema));
    });
