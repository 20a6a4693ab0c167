import { describe, expect, test } from 'vitest';
import { writeConfigMap } from '../../../providers/manifest/config-map.ts';
import { readConfigMap } from '../../manifest-readers.ts';

function priorities(text: string | null, of: { readonly namespace?: string; readonly name?: string } = {}): unknown {
  const { namespace = 'kube-system', name = 'cluster-autoscaler-priority-expander' } = of;
  const read = readConfigMap(
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name },
      data: text === null ? {} : { priorities: text },
    },
    'here',
  );
  if (!read.ok) {
    throw new Error(JSON.stringify(read.error));
  }
  const again = readConfigMap(writeConfigMap(read.value), 'here');
  expect(again).toEqual(read);
  return read.value.priorities;
}

const tiers = (...value: readonly (readonly [number, ...string[]])[]): unknown => ({
  ok: true,
  value: value.map(([priority, ...patterns]) => ({ priority, patterns })),
});
const mistake = (error: string): unknown => ({ ok: false, error });

describe('the ConfigMap of the priority expander', () => {
  test.each([
    {
      what: 'tiers, the highest first',
      text: '10:\n  - .*t2\\.large.*\n  - .*t3\\.large.*\n50:\n  - .*m4\\.4xlarge.*\n',
      read: tiers([50, '.*m4\\.4xlarge.*'], [10, '.*t2\\.large.*', '.*t3\\.large.*']),
    },
    { what: 'flow style', text: '{1: [a, "b.c"], -5: [d]}', read: tiers([1, 'a', 'b.c'], [-5, 'd']) },
    { what: 'patterns that look like numbers', text: '1: [1.10, 010, true]', read: tiers([1, '1.10', '010', 'true']) },
    { what: 'anchors', text: '1: &all [a, b]\n2: *all', read: tiers([2, 'a', 'b'], [1, 'a', 'b']) },
    { what: 'the latter of a key twice', text: '1: [a]\n1: [b]', read: tiers([1, 'b']) },
    { what: 'a tier without patterns', text: '1:\n2: []', read: tiers([2], [1]) },
    { what: 'an item that is nothing', text: '1:\n  -\n', read: tiers([1, '']) },
    { what: 'nothing but a comment', text: '# none yet\n', read: tiers() },
  ])('reads $what', ({ text, read }) => {
    expect(priorities(text)).toEqual(read);
  });

  test.each([
    { text: null, error: 'the key priorities is missing' },
    { text: '', error: 'priorities is empty' },
    { text: '10: [a', error: expect.stringMatching(/^priorities is not YAML: Flow sequence/) as string },
    { text: '[a, b]', error: 'priorities must be a map such as "10: [.*spot.*]"' },
    { text: 'high: [a]', error: 'priorities: high is not an integer' },
    { text: '"10": [a]', error: 'priorities: 10 is not an integer' },
    { text: '1.5: [a]', error: 'priorities: 1.5 is not an integer' },
    { text: '[1]: [a]', error: 'priorities: a list or map is not an integer' },
    { text: '10: a', error: 'priorities: 10 must have a list of regular expressions' },
    { text: '10: [[a]]', error: 'priorities: 10 must have a list of regular expressions' },
    {
      text: '10: [a]\n20: ["*spot*"]',
      error: 'priorities: 20: "*spot*" is not a Go regular expression: missing argument to repetition operator: `*`',
    },
    {
      text: `0: &many [${Array.from({ length: 600 }, () => 'a').join()}]\n1: *many`,
      error: 'priorities has more than 1000 regular expressions',
    },
    {
      text: `1: [${Array.from({ length: 11 }, () => '".{999}.{999}.{999}.{999}.{999}.{999}.{999}.{999}.{999}.{900}"').join()}]`,
      error: 'priorities has regular expressions that are too large together',
    },
  ])('$error', ({ text, error }) => {
    expect(priorities(text)).toEqual(mistake(error));
  });

  test('is told by its name, in whichever namespace', () => {
    expect(priorities('10: [a]', { namespace: 'autoscaling' })).toEqual(tiers([10, 'a']));
    expect(priorities('10: [a]', { name: 'priorities' })).toBeNull();
  });
});
