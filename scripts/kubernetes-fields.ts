import { writeFile } from 'node:fs/promises';
import { kubernetesFields, WRITTEN_TO } from './kubernetes-fields/fields.ts';

// Writes the fields of Kubernetes' objects, as the client library of the installed version knows them.
await writeFile(WRITTEN_TO, await kubernetesFields());
