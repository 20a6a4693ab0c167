import { describe, expect, it } from 'vitest';
import type { NodeSelectorTerm } from '../../../../core/model/cluster/selectors.ts';
import { node, pod } from '../../../builders.ts';
import { fit, reason, verdicts } from '../fit.ts';

const NO = "node(s) didn't match Pod's node affinity/selector";
const expressions = (...rows: readonly (readonly [string, string, ...string[]])[]): NodeSelectorTerm => ({
  matchExpressions: rows.map(([key, operator, ...values]) => ({ key, operator, values })),
  matchFields: [],
});
const fields = (operator: string, ...values: readonly string[]): NodeSelectorTerm => ({
  matchExpressions: [],
  matchFields: [{ key: 'metadata.name', operator, values }],
});

describe('one node with zone=a, size=7, odd="3.5", huge=9223372036854775807', () => {
  const labels = { zone: 'a', size: '007', odd: '3.5', huge: '9223372036854775807', over: '9223372036854775808' };
  it.each<[string, readonly NodeSelectorTerm[], boolean]>([
    ['no term at all', [], false],
    ['an empty term', [expressions()], false],
    ['an empty term beside one that matches', [expressions(), expressions(['zone', 'Exists'])], true],
    ['In', [expressions(['zone', 'In', 'a', 'b'])], true],
    ['In others', [expressions(['zone', 'In', 'b', 'c'])], false],
    ['In, label missing', [expressions(['rack', 'In', 'a'])], false],
    ['In without values', [expressions(['zone', 'In'])], false],
    ['In with one value that no label can have', [expressions(['zone', 'In', 'a', 'not a value'])], false],
    ['NotIn', [expressions(['zone', 'NotIn', 'b'])], true],
    ['NotIn, label missing', [expressions(['rack', 'NotIn', 'a'])], true],
    ['NotIn its own', [expressions(['zone', 'NotIn', 'a', 'b'])], false],
    ['Exists', [expressions(['zone', 'Exists'])], true],
    ['Exists with values', [expressions(['zone', 'Exists', 'a'])], false],
    ['DoesNotExist', [expressions(['rack', 'DoesNotExist'])], true],
    ['DoesNotExist, but it does', [expressions(['zone', 'DoesNotExist'])], false],
    ['a label named as every object has a property', [expressions(['constructor', 'Exists'])], false],
    ['Gt reads 007 as 7', [expressions(['size', 'Gt', '6'])], true],
    ['Gt is strict', [expressions(['size', 'Gt', '7'])], false],
    ['Lt', [expressions(['size', 'Lt', '8'])], true],
    ['Gt on a fraction', [expressions(['odd', 'Gt', '1'])], false],
    ['Lt on a fraction', [expressions(['odd', 'Lt', '9'])], false],
    ['Gt beyond doubles', [expressions(['huge', 'Gt', '9223372036854775806'])], true],
    ['Lt beyond doubles', [expressions(['huge', 'Lt', '9223372036854775807'])], false],
    ['Gt on what no int64 holds', [expressions(['over', 'Gt', '1'])], false],
    ['Gt with a limit that no int64 holds', [expressions(['size', 'Gt', '-9223372036854775809'])], false],
    ['Gt, label missing', [expressions(['rack', 'Gt', '0'])], false],
    ['an unknown operator', [expressions(['zone', 'Like', 'a'])], false],
    [
      'an unknown operator, in another term',
      [expressions(['zone', 'Like', 'a']), expressions(['zone', 'Exists'])],
      true,
    ],
    ['requirements are ANDed', [expressions(['zone', 'In', 'a'], ['size', 'Lt', '1'])], false],
    ['terms are ORed', [expressions(['zone', 'In', 'b']), expressions(['size', 'Gt', '1'])], true],
    ['its name', [fields('In', 'n')], true],
    ['not its name', [fields('NotIn', 'n')], false],
    ['not another name', [fields('NotIn', 'm')], true],
    ['a field takes one value', [fields('NotIn', 'm', 'o')], false],
    [
      'another field is empty',
      [{ matchExpressions: [], matchFields: [{ key: 'metadata.uid', operator: 'NotIn', values: ['x'] }] }],
      true,
    ],
  ])('%s', (_, nodeAffinity, matches) => {
    const pending = pod('p', { spec: { nodeAffinity } });
    expect(reason(pending, { nodes: [node('n', {}, { labels })] })).toBe(matches ? 'ok' : NO);
  });
});

describe('nodeSelector', () => {
  const nodes = [node('n', {}, { labels: { disk: 'ssd' } })];
  it.each([
    [{ disk: 'ssd' }, 'ok'],
    [{ disk: 'hdd' }, NO],
    [{ disk: 'ssd', rack: 'r' }, NO],
    [{}, 'ok'],
  ])('%j', (nodeSelector, expected) => {
    expect(reason(pod('p', { spec: { nodeSelector } }), { nodes })).toBe(expected);
  });

  it('is asked besides the affinity', () => {
    const nodeAffinity = [expressions(['disk', 'Exists'])];
    expect(reason(pod('p', { spec: { nodeSelector: { disk: 'hdd' }, nodeAffinity } }), { nodes })).toBe(NO);
  });
});

describe('nodes named one by one', () => {
  const tainted = { taints: [{ key: 'k', value: '', effect: 'NoSchedule' }] };
  const nodes = [node('a'), node('b', {}, tainted), node('c', {}, { unschedulable: true })];

  it('narrow the search: the others say NodeAffinity whatever else is wrong with them', () => {
    expect(verdicts(pod('p', { spec: { nodeAffinity: [fields('In', 'a')] } }), { nodes })).toEqual({
      a: null,
      b: { plugin: 'NodeAffinity', reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"] },
      c: { plugin: 'NodeAffinity', reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"] },
    });
  });

  it('do not narrow it when one term names none', () => {
    const nodeAffinity = [fields('In', 'a'), expressions(['zone', 'Exists'])];
    expect(fit(pod('p', { spec: { nodeAffinity } }), { nodes })).toEqual({
      a: 'ok',
      b: 'TaintToleration',
      c: 'NodeUnschedulable',
    });
  });

  it('do not narrow it when they are excluded', () => {
    expect(fit(pod('p', { spec: { nodeAffinity: [fields('NotIn', 'a')] } }), { nodes })).toEqual({
      a: 'NodeAffinity',
      b: 'TaintToleration',
      c: 'NodeUnschedulable',
    });
  });

  it('contradict each other inside a term', () => {
    const both = {
      ...fields('In', 'a'),
      matchFields: [...fields('In', 'a').matchFields, ...fields('In', 'b').matchFields],
    };
    expect(verdicts(pod('p', { spec: { nodeAffinity: [both] } }), { nodes })['b']).toEqual({
      plugin: 'NodeAffinity',
      reasons: ['pod affinity terms conflict'],
    });
  });

  it('may not exist', () => {
    expect(fit(pod('p', { spec: { nodeAffinity: [fields('In', 'z')] } }), { nodes })).toEqual({
      a: 'NodeAffinity',
      b: 'NodeAffinity',
      c: 'NodeAffinity',
    });
  });
});
