import { stringify } from 'yaml';
import { MODES } from '../../config/schema.ts';
import { manifestsOf } from '../../providers/kubernetes/manifests/manifests.ts';
import type { KubernetesObject } from '../../providers/kubernetes/manifests/object.ts';

const SETTINGS = { cluster: 'CLUSTER', schedulerUsers: [], flowSchema: false };

/** The placeholders are replaced by hand, or by the chart. */
const URL = 'https://ADDRESS/TOKEN/CLUSTER';

/** The manifests of a release: those of `outrigger install --print` with the defaults, by name of the file. */
export function manifestFiles(): Readonly<Record<string, string>> {
  const rights = MODES.map((mode) => {
    const objects = manifestsOf({ ...SETTINGS, dryRun: mode === 'observe' }, null);
    return [`rbac-${mode}.yaml`, yamlOf(objects)] as const;
  });
  const [webhook] = manifestsOf(SETTINGS, URL).slice(-1);
  // Names of objects have no capitals: the placeholder came out in small letters.
  const named = { ...webhook!, metadata: { ...webhook!.metadata, name: 'outrigger-CLUSTER' } };
  return { ...Object.fromEntries(rights), 'webhook.yaml': yamlOf([named]) };
}

const yamlOf = (objects: readonly KubernetesObject[]): string =>
  objects.map((object) => stringify(object)).join('---\n');
