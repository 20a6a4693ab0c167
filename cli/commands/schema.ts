import { Argument, Command, Option } from 'commander';
import { configurationSchema } from '../../config/json-schema.ts';
import { printYaml } from '../../providers/scenario/documents.ts';
import { DOCUMENT_NAMES, documentSchema } from '../../providers/schema/documents.ts';

const EXAMPLES = `
Examples:
  $ outrigger schema scenario > scenario.schema.json
  $ outrigger schema configuration > outrigger.schema.json
  $ outrigger schema options -o yaml

An editor with the YAML language server checks a file that starts with
  # yaml-language-server: $schema=scenario.schema.json`;

const NAMES = [...DOCUMENT_NAMES, 'configuration'] as const;

/** `outrigger schema`: the JSON Schema of a document. */
export const schemaCommand = (): Command =>
  new Command('schema')
    .description('Print the JSON Schema of a document that Outrigger reads or writes')
    .addArgument(new Argument('<document>', 'document to describe').choices(NAMES))
    .addOption(new Option('-o, --output <format>', 'output format').choices(['json', 'yaml']).default('json'))
    .addHelpText('after', EXAMPLES)
    .action((name: (typeof NAMES)[number], { output }: { readonly output: 'json' | 'yaml' }) => {
      const schema = name === 'configuration' ? configurationSchema() : documentSchema(name);
      process.stdout.write(output === 'json' ? `${JSON.stringify(schema, null, 2)}\n` : printYaml(schema));
    });
