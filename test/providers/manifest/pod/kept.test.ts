import { expect, it } from 'vitest';
import { PLAIN_POD_SPEC, type Pod } from '../../../../core/model/cluster/pod.ts';
import { sectionOf } from '../../../../providers/manifest/fields.ts';
import type { Invalid } from '../../../../providers/manifest/invalid.ts';
import { podSpecs, writtenSpecs } from '../../../../providers/manifest/pod-specs.ts';
import { podReader } from '../../../../providers/manifest/pod.ts';
import { podDecoder } from '../../../../providers/kubernetes/protobuf/pod.ts';
import { cursorOver } from '../../../../providers/kubernetes/protobuf/wire.ts';
import { times } from '../../../scenario-builders.ts';
import { encodePod, type Json } from '../../kubernetes/protobuf/pod-encoder.ts';

const withAnnotations = (annotations: Readonly<Record<string, string>>): Json => ({
  metadata: { name: 'p', namespace: 'default', annotations },
  spec: { containers: [{ name: 'c' }] },
});

const READERS: readonly (readonly [string, (raw: Json) => Pod])[] = [
  ['JSON', (raw) => podReader()(sectionOf(structuredClone(raw), '', []))],
  ['protobuf', (raw) => podDecoder()(cursorOver(encodePod(raw)))!],
];

it.each(READERS)('of very long annotations in %s those are kept that decisions read', (_, read) => {
  const notes = Object.fromEntries(times(100, (i) => [`example.com/note-${i}`, 'x'.repeat(2_000)]));
  const { annotations } = read(
    withAnnotations({ ...notes, 'karpenter.sh/do-not-evict': 'true', 'kubernetes.io/config.mirror': '' }),
  );
  expect(annotations).toEqual({ 'karpenter.sh/do-not-evict': 'true', 'kubernetes.io/config.mirror': '' });
});

it.each(READERS)('annotations in %s as people write them are all kept', (_, read) => {
  const annotations = { 'example.com/note': 'x'.repeat(30_000), 'karpenter.sh/do-not-disrupt': 'true' };
  expect(read(withAnnotations(annotations)).annotations).toEqual(annotations);
});

it('annotations that are no texts are reported', () => {
  const problems: Invalid[] = [];
  podReader()(
    sectionOf({ ...withAnnotations({}), metadata: { name: 'p', annotations: { a: null, b: 1 } } }, '', problems),
  );
  expect(problems.map(({ place }) => place)).toEqual(['metadata.annotations.a', 'metadata.annotations.b']);
});

it('a written spec is remembered for the pods of its controller, unless it is long', () => {
  const specs = writtenSpecs();
  const short = { containers: [{ name: 'c' }] };
  const long = { containers: times(4_000, (i) => ({ name: `container-${i}` })) };
  specs.add('short', short, PLAIN_POD_SPEC);
  specs.add('long', long, PLAIN_POD_SPEC);
  specs.add('one text', { schedulerName: 'x'.repeat(100_000) }, PLAIN_POD_SPEC);
  expect(specs.find('short', structuredClone(short))).toBe(PLAIN_POD_SPEC);
  expect(specs.find('long', long)).toBeNull();
  expect(specs.find('one text', { schedulerName: 'x'.repeat(100_000) })).toBeNull();
});

it('equal specs are one object, unless they are too long to be followed', () => {
  const share = podSpecs();
  const long = { ...PLAIN_POD_SPEC, schedulerName: 'x'.repeat(100_000) };
  const first = { ...PLAIN_POD_SPEC };
  expect(share(first)).toBe(first);
  expect(share({ ...PLAIN_POD_SPEC })).toBe(first);
  share(long);
  const again = { ...long };
  expect(share(again)).toBe(again);
});

it('decodes long specs, labels and owners of many pods, each its own', () => {
  const decode = podDecoder();
  const named = (text: string): Json => ({
    metadata: { name: 'p', namespace: 'default', labels: { [text.repeat(70_000)]: text } },
    spec: { containers: [{ name: 'c' }], schedulerName: text.repeat(70_000) },
  });
  for (const text of ['a', 'b', 'a']) {
    const { labels, spec } = decode(cursorOver(encodePod(named(text))))!;
    expect(Object.values(labels)).toEqual([text]);
    expect(spec.schedulerName).toBe(text.repeat(70_000));
  }
});

it.each(['constructor', '__proto__', 'toString'])(
  'a phase called %s is left to the reader that says what is wrong',
  (phase) => {
    const raw = { ...withAnnotations({}), status: { phase } };
    expect(podDecoder()(cursorOver(encodePod(raw)))).toBeNull();
  },
);
