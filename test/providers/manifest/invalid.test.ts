import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { evaluateExpression } from '../../../providers/aws/launches/max-pods-expression.ts';
import { readUserData } from '../../../providers/aws/launches/user-data.ts';
import { parseTags } from '../../../providers/aws/groups/tags.ts';
import { keysOf } from '../../../providers/clusterapi/api/resources.ts';
import { optionsOf } from '../../../providers/clusterapi/groups/options.ts';
import { parseCapacity } from '../../../providers/clusterapi/templates/capacity.ts';
import { sectionOf } from '../../../providers/manifest/fields.ts';
import { statedPrice } from '../../../providers/node-groups/stated-price.ts';
import { GROUP_OPTIONS } from '../../../core/model/options.ts';
import { cases } from '../../cases.ts';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDERS = ['providers/schema', 'providers/manifest', 'config', 'core/model/values'];

type Call = (...given: readonly unknown[]) => unknown;

/** How a parser is asked that takes something else than one text, or one value with its place. */
const ASKED: Readonly<Record<string, (call: Call, input: unknown, text: string) => unknown>> = {
  controllerReader: (call, input) =>
    ['ReplicaSet', 'DaemonSet', 'Job'].map((kind) => (call(kind) as Call)(sectionOf(input, 'place', []))),
  podReader: (call, input) => (call() as Call)(sectionOf(input, 'place', [])),
  readPriorityTiers: (call, _, text) => call({ priorities: text }),
  readConfiguration: (call, _, text) => call(text, 'file'),
  readBy: () => null,
  // Reads values that Outrigger has stored, and throws if they are invalid.
  parseStoredScenario: () => null,
  parseInstanceEvent: (call, input) => call(input, 'eu-central-1', 0),
  parseWidgetCall: (call, input) => call(input),
  // Read settings that the deployment has written, and report all mistakes in one error.
  parseClusterApi: (call, input) => withErrors(() => call(JSON.stringify(input) ?? 'null', 'setting')),
  parseDiscovery: (call, input) => withErrors(() => call(JSON.stringify(input) ?? 'null', 'setting')),
};

function withErrors(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    if (error instanceof Error && error.constructor === Error) {
      return error.message;
    }
    throw error;
  }
}

const TEXTS = [
  '0 from 0 8 * * * for 10h in x+05',
  '10% of drifted from 0 0 * * 1 for 8h in UTC+01',
  '3 cpu from @daily for 1h in Europe/Berlin+01',
  '2500000000h',
  '9223372036854775808',
  '1e400',
  '-1',
  '100%',
  '1'.repeat(5_000),
  '2026-01-01T00:00:00Z',
  '+275760-09-13T00:00:00.001Z',
  '10: [a, b]',
  '&a [*a]',
  '1: &a [*a, *a]',
  '__proto__',
  'constructor',
  '\u0000\ud800',
  '{"a":1}',
  'v1',
] as const;

const scalar = (words: readonly string[]): fc.Arbitrary<unknown> =>
  fc.oneof(
    fc.constantFrom(...TEXTS, ...words),
    fc.constantFrom(null, undefined, true, 0, -1, 1.5, Number.NaN, 2 ** 63, Number.POSITIVE_INFINITY, [], {}),
    fc.string(),
    fc.integer(),
  );

/** Values that have the names that a parser looks for in all places, and anything as their contents. */
const values = (words: readonly string[]): fc.Arbitrary<unknown> =>
  fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', maxDepth: 5 },
      scalar(words),
      fc.dictionary(fc.constantFrom('__proto__', ...words), tie('value'), { maxKeys: 8, noNullPrototype: true }),
      fc.array(tie('value'), { maxLength: 3 }),
    ),
  })).value;

const texts = (words: readonly string[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...TEXTS),
    fc.string(),
    fc.string({ unit: 'binary' }),
    fc
      .array(fc.oneof(fc.constantFrom(...words, ...TEXTS), fc.string({ maxLength: 3 })), { maxLength: 8 })
      .map((parts) => parts.join(' ')),
  );

/** The words in a source, of which the fields that it reads are some. */
function wordsIn(file: string): readonly string[] {
  const fields = [...readFileSync(file, 'utf8').matchAll(/'([\w./-]{1,40})'|^\s+(\w+):/gm)];
  return ['metadata', 'spec', 'status', 'name', ...new Set(fields.map(([, quoted, field]) => quoted ?? field!))];
}

const isParser = (name: string, value: unknown): value is Call =>
  typeof value === 'function' && (/^(?:parse|read)[A-Z]/.test(name) || name.endsWith('Reader'));

const found: {
  readonly name: string;
  readonly file: string;
  readonly ask: (input: unknown, text: string) => unknown;
}[] = [];
for (const folder of FOLDERS) {
  for (const entry of readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })) {
    if (!entry.endsWith('.ts')) {
      continue;
    }
    const file = join(ROOT, folder, entry);
    const module = (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
    for (const [name, value] of Object.entries(module)) {
      if (value instanceof z.ZodType) {
        found.push({ name, file, ask: (input) => value.safeParse(input) });
      } else if (isParser(name, value)) {
        const asked = Object.hasOwn(ASKED, name) ? ASKED[name] : undefined;
        const takesText = name.startsWith('parse');
        const takesSection = folder === 'providers/manifest';
        found.push({
          name,
          file,
          ask: (input, text) =>
            asked?.(value, input, text) ??
            (asked
              ? null
              : value(...(takesSection ? [sectionOf(input, 'place', [])] : [takesText ? text : input, 'place', []]))),
        });
      }
    }
  }
}

describe('a parser returns a value, whatever it is given:', () => {
  it('all of them are found', () => {
    expect(found.length).toBeGreaterThan(100);
    const names = new Set(found.map(({ name }) => name));
    expect(Object.keys(ASKED).filter((name) => !names.has(name))).toEqual([]);
  });

  it.each(found.map((one) => [`${one.file.slice(ROOT.length + 1)} ${one.name}`, one] as const))('%s', (_, one) => {
    const words = wordsIn(one.file);
    fc.assert(
      fc.property(values(words), texts(words), (input, text) => {
        expect(() => one.ask(input, text)).not.toThrow();
      }),
      { numRuns: cases(100) },
    );
  });

  const options = Object.keys(GROUP_OPTIONS).map((name) => name.toLowerCase());
  const entries = (prefix: string, names: readonly string[]): fc.Arbitrary<Readonly<Record<string, string>>> =>
    fc.dictionary(
      fc.constantFrom('__proto__', ...names).map((name) => `${prefix}${name}`),
      texts(options),
      { maxKeys: 5, noNullPrototype: true },
    );

  it('tags of Auto Scaling groups', () => {
    const kinds = [
      ...options.map((name) => `autoscaling-options/${name}`),
      'label/a',
      'label/',
      'taint/a',
      'resources/cpu',
      'resources/__proto__',
      'constructor/a',
    ];
    fc.assert(
      fc.property(entries('k8s.io/cluster-autoscaler/node-template/', kinds), (tags) => {
        expect(() => parseTags(tags)).not.toThrow();
      }),
      { numRuns: cases(500) },
    );
  });

  it('annotations of Cluster API', () => {
    const names = [
      ...options.map((name) => `autoscaling-options-${name}`),
      'cpu',
      'memory',
      'gpu-type',
      'gpu-count',
      'maxPods',
      'labels',
      'taints',
      'csi-driver',
    ].flatMap((name) => [`cluster.x-k8s.io/${name}`, `capacity.cluster-autoscaler.kubernetes.io/${name}`]);
    fc.assert(
      fc.property(entries('', names), (annotations) => {
        expect(() => optionsOf(annotations, keysOf('cluster.x-k8s.io'))).not.toThrow();
        expect(() => parseCapacity(annotations)).not.toThrow();
      }),
      { numRuns: cases(500) },
    );
  });

  it('user data, expressions and prices', () => {
    const words = [
      '[settings.kubernetes.node-labels]',
      '--max-pods=',
      'maxPods:',
      'kind: NodeConfig',
      '\n',
      '{',
      '---',
    ];
    fc.assert(
      fc.property(texts(words), (text) => {
        expect(() => {
          readUserData(Buffer.from(text).toString('base64'));
          readUserData(text);
          evaluateExpression(text, { vcpus: 2, max_pods: 17 });
          statedPrice(text, 'tag');
        }).not.toThrow();
      }),
      { numRuns: cases(500) },
    );
  });
});
