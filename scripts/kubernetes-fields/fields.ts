import { readdir } from 'node:fs/promises';
import { KINDS } from '../../providers/manifest/objects.ts';

export const WRITTEN_TO = new URL('../../providers/scenario/kubernetes-fields.json', import.meta.url);

const MODELS = new URL('dist/gen/models/', import.meta.resolve('@kubernetes/client-node/package.json'));

interface Model {
  readonly attributeTypeMap?: readonly { readonly baseName: string; readonly type: string }[];
}

/**
 * The types that objects of the kinds that decisions depend on are made of, and the names of all kinds, from the models of
 * the Kubernetes client: for each type its fields, as `name` or `name:type`.
 */
export async function kubernetesFields(): Promise<string> {
  const names = (await readdir(MODELS))
    .filter((file) => /^(?:Core)?V1[A-Z]\w*\.js$/.test(file))
    .map((file) => file.slice(0, -3));
  const known = new Set(names);
  const types = new Map<string, string>();
  // The client has no models of custom resources.
  const open = Object.keys(KINDS)
    .map((kind) => `V1${kind}`)
    .filter((type) => known.has(type));
  for (let type = open.pop(); type !== undefined; type = open.pop()) {
    if (types.has(type)) {
      continue;
    }
    const fields = (await attributesOf(type)).map(({ baseName, type: of }) => {
      const inner = /(?:CoreV1|V1)\w+/.exec(of)?.[0];
      if (inner === undefined || !known.has(inner)) {
        return baseName;
      }
      open.push(inner);
      return `${baseName}:${inner}`;
    });
    types.set(type, fields.join(' '));
  }
  const kinds: string[] = [];
  for (const name of names) {
    const fields = new Set((await attributesOf(name)).map(({ baseName }) => baseName));
    if (fields.has('kind') && fields.has('apiVersion') && fields.has('metadata') && !name.endsWith('List')) {
      kinds.push(name.replace(/^(?:Core)?V1/, ''));
    }
  }
  const sorted = Object.fromEntries([...types].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return `${JSON.stringify({ kinds: kinds.toSorted().join(' '), types: sorted }, null, 2)}\n`;
}

async function attributesOf(type: string): Promise<NonNullable<Model['attributeTypeMap']>> {
  const models = (await import(new URL(`${type}.js`, MODELS).href)) as Record<string, Model>;
  return models[type]?.attributeTypeMap ?? [];
}
