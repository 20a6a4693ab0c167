import { type JsonSchema, jsonSchemaOf } from '../providers/schema/json-schema.ts';
import { configuration } from './schema.ts';

/** The JSON Schema of the configuration file, for editors. */
export const configurationSchema = (): JsonSchema => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Configuration: the clusters and their settings',
  ...jsonSchemaOf(configuration),
});
