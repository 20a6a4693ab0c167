import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { kubernetesFields, WRITTEN_TO } from '../../../scripts/kubernetes-fields/fields.ts';

it('the fields that scenarios are compared with are those of the Kubernetes client', async () => {
  expect(await readFile(WRITTEN_TO, 'utf8')).toBe(await kubernetesFields());
});
