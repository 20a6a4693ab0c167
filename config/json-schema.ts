import { documentSchemaOf, type JsonSchema } from '@outrigger/providers/schema/json-schema.ts';
import { configuration } from './schema.ts';

/** The JSON Schema of the configuration file, for editors. */
export const configurationSchema = (): JsonSchema =>
  documentSchemaOf('configuration', 'Configuration: the clusters and their settings', configuration);
