import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import * as z from 'zod';

const root = path.join(import.meta.dirname, '../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json')) as {
  readonly version: string;
  readonly repository: { readonly url: string };
};
const repository = manifest.repository.url.replace(/^git\+/, '');

/** Values that the chart accepts. */
const values = z.fromJSONSchema(
  JSON.parse(read('deploy/helm/outrigger/values.schema.json')) as Parameters<typeof z.fromJSONSchema>[0],
);

interface Application {
  readonly source: {
    readonly repoURL: string;
    readonly targetRevision: string;
    readonly path: string;
    readonly helm: { readonly valuesObject: object };
  };
}

interface HelmRelease {
  readonly values: { readonly webhook: object };
  readonly valuesFrom: readonly { readonly targetPath: string }[];
  readonly chart: { readonly spec: { readonly chart: string } };
}

const specsIn = (file: string): readonly unknown[] =>
  parseAllDocuments(read(file)).map((document) => (document.toJS() as { readonly spec: unknown }).spec);

describe('the example for Argo CD', () => {
  it('has the chart of this version with values that it accepts', () => {
    const [{ source }] = specsIn('deploy/gitops/argo-cd.yaml') as readonly [Application];
    expect(source).toMatchObject({ repoURL: repository, targetRevision: `v${manifest.version}` });
    expect(existsSync(path.join(root, source.path, 'Chart.yaml'))).toBe(true);
    expect(values.safeParse(source.helm.valuesObject).error).toBeUndefined();
  });
});

describe('the example for Flux', () => {
  it('has the chart of this version with values that it accepts, the token among them', () => {
    const [source, release] = specsIn('deploy/gitops/flux.yaml') as readonly [object, HelmRelease];
    expect(source).toMatchObject({ url: repository, ref: { tag: `v${manifest.version}` } });
    expect(existsSync(path.join(root, release.chart.spec.chart, 'Chart.yaml'))).toBe(true);
    expect(release.valuesFrom.map(({ targetPath }) => targetPath)).toEqual(['webhook.token']);
    const webhook = { ...release.values.webhook, token: 'TOKEN' };
    expect(values.safeParse({ ...release.values, webhook }).error).toBeUndefined();
  });
});

it('the chart and its page name the repository of the package', () => {
  const home = repository.replace(/\.git$/, '');
  expect(parse(read('deploy/helm/outrigger/Chart.yaml'))).toMatchObject({ home, sources: [home] });
  const addresses = globSync('deploy/**/*.{md,yaml,tf}', { cwd: root }).flatMap((file) => [
    ...read(file).matchAll(/https:\/\/github\.com\/[\w-]+\/[\w-]+/g),
  ]);
  expect(new Set(addresses.map(([address]) => address))).toEqual(new Set([home]));
});
