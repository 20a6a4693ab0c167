import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsOf, PACKAGES, ROOT } from './imported-files.ts';

/** Rooms that a room may import from, beside itself and (but for the core) packages. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  providers: ['core'],
  functions: ['core', 'providers'],
  runtime: ['core', 'providers', 'functions'],
  simulation: ['core', 'providers', 'functions', 'runtime'],
  config: ['core', 'providers'],
  cli: ['core', 'config', 'providers', 'functions', 'runtime', 'simulation'],
  cdk: ['core', 'config', 'providers'],
};

/** Manifests, which load nothing else, are all that the stack has of the providers: a template contains them. */
const MANIFESTS = 'providers/kubernetes/manifests/';

/** Sources of the configuration's readers and writers: no client of AWS or Kubernetes, and no decision. */
const CONFIG_IS_MADE_OF = /^(?:config|core\/(?:model|ports|words)|providers\/(?:schema|manifest|scenario))\//;
const CONFIG_LIBRARIES: ReadonlySet<string> = new Set([
  'zod',
  'yaml',
  'fastest-levenshtein',
  're2js',
  'croner',
  '@date-fns/tz/tzOffset',
]);

/** Inside the core, from the vocabulary upwards. */
const CORE_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  model: [],
  ports: ['model'],
  words: ['model'],
  scheduling: ['model'],
  registry: ['model'],
  estimator: ['model', 'scheduling'],
  nodegroups: ['model', 'scheduling', 'registry', 'estimator'],
  headroom: ['model', 'words'],
  placement: ['model', 'scheduling', 'registry', 'estimator', 'nodegroups'],
  scaleup: ['model', 'words', 'headroom', 'scheduling', 'registry', 'estimator', 'nodegroups', 'placement'],
  scaledown: ['model', 'words', 'scheduling', 'registry', 'estimator'],
  disruption: [
    'model',
    'words',
    'headroom',
    'scheduling',
    'registry',
    'estimator',
    'nodegroups',
    'scaleup',
    'scaledown',
  ],
  drain: ['model', 'words', 'scheduling', 'scaledown'],
  actuation: ['model', 'notices', 'registry', 'drain'],
  notices: ['model', 'registry', 'scaledown'],
  wakeups: ['model', 'headroom', 'drain', 'placement'],
  explanation: ['model', 'ports', 'words', 'registry', 'wakeups', 'notices'],
};

/** Packages that `core/` may import: libraries that compute, and do nothing else. */
const PURE_LIBRARIES: ReadonlySet<string> = new Set(['re2js', 'croner', '@date-fns/tz/tzOffset']);

const filesIn = (folder: string): readonly string[] => globSync(`${folder}/**/*.ts`, { cwd: ROOT });

describe('imports point one way', () => {
  test.each(Object.entries(MAY_IMPORT))('%s/ imports from itself and %j alone', (room, allowed) => {
    const files = filesIn(room);
    expect(files.length).toBeGreaterThan(0);
    const wrong = files.flatMap((file) =>
      importsOf(file)
        .flatMap((imported) => imported.file ?? [])
        .filter((target) => target.includes('/') && ![room, ...allowed].includes(target.split('/')[0]!))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });

  test.each(PACKAGES)('%s/ is imported by its name, and by paths only within itself', (name) => {
    const wrong = Object.keys(MAY_IMPORT).flatMap((folder) =>
      filesIn(folder).flatMap((file) =>
        importsOf(file)
          .filter(({ file: target }) => target?.startsWith(`${name}/`))
          .filter(({ specifier }) => specifier.startsWith('.') !== (folder === name))
          .map(({ specifier }) => `${file} → ${specifier}`),
      ),
    );
    expect(wrong).toEqual([]);
  });

  test.each(PACKAGES)('%s/ exports nothing that no other folder imports', (name) => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, name, 'package.json'), 'utf8')) as {
      readonly exports: Readonly<Record<string, string>>;
    };
    const imported = Object.keys(MAY_IMPORT)
      .filter((folder) => folder !== name)
      .flatMap((folder) => filesIn(folder).flatMap((file) => importsOf(file)))
      .flatMap(({ file }) => (file?.startsWith(`${name}/`) === true ? `.${file.slice(name.length)}` : []));
    const isUsed = (entry: string): boolean =>
      imported.some((file) => (entry.endsWith('/*') ? file.startsWith(entry.slice(0, -1)) : file === entry));
    expect(Object.keys(exports).filter((entry) => !isUsed(entry))).toEqual([]);
  });

  test('core/ imports pure libraries alone, and nothing of Node', () => {
    const wrong = filesIn('core').flatMap((file) =>
      importsOf(file)
        .filter((imported) => imported.file === null && !PURE_LIBRARIES.has(imported.specifier))
        .map(({ specifier }) => `${file} → ${specifier}`),
    );
    expect(wrong).toEqual([]);
  });

  test('the stack has the manifests and schemas of the providers alone; manifests load each other and values alone', () => {
    const importsFrom = (folder: string) =>
      filesIn(folder).flatMap((file) =>
        importsOf(file).map((imported) => ({ file, target: imported.file ?? imported.specifier })),
      );
    const ofStack = importsFrom('cdk').filter(({ target }) => target.startsWith('providers/'));
    const ofManifests = importsFrom(MANIFESTS.slice(0, -1));
    expect(ofStack.length).toBeGreaterThan(0);
    expect(ofManifests.length).toBeGreaterThan(0);
    expect(
      ofStack.filter(({ target }) => !target.startsWith(MANIFESTS) && !target.startsWith('providers/schema/')),
    ).toEqual([]);
    expect(
      ofManifests.filter(({ target }) => !target.startsWith(MANIFESTS) && !target.startsWith('core/model/values/')),
    ).toEqual([]);
  });

  test('what reads the configuration loads schemas alone: the stack reads it too', () => {
    const seen = new Set(filesIn('config'));
    const wrong: string[] = [];
    for (const file of seen) {
      for (const { specifier, file: target } of importsOf(file)) {
        if (target === null ? !CONFIG_LIBRARIES.has(specifier) : !CONFIG_IS_MADE_OF.test(target)) {
          wrong.push(`${file} → ${specifier}`);
        } else if (target !== null) {
          seen.add(target);
        }
      }
    }
    expect(wrong).toEqual([]);
  });

  test('every folder of core/ is one of those below', () => {
    const folders = readdirSync(join(ROOT, 'core'), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map(({ name }) => name).toSorted()).toEqual(Object.keys(CORE_MAY_IMPORT).toSorted());
  });

  test.each(Object.entries(CORE_MAY_IMPORT))('core/%s/ imports from itself and %j alone', (room, allowed) => {
    const wrong = filesIn(`core/${room}`).flatMap((file) =>
      importsOf(file)
        .flatMap((imported) => imported.file ?? [])
        .filter((target) => ![room, ...allowed].includes(target.split('/')[1]!))
        .map((target) => `${file} → ${target}`),
    );
    expect(wrong).toEqual([]);
  });
});
