import { describe, expect, test } from 'vitest';
import {
  type DiscoverySpec,
  parseDiscoverySpec,
  writeDiscoverySpec,
} from '../../../providers/schema/cluster-api-discovery.ts';

const spec = (given: Partial<DiscoverySpec>): DiscoverySpec => ({
  namespace: null,
  clusterName: null,
  labels: {},
  ...given,
});

describe('a discovery specification of Cluster API', () => {
  test.each([
    { text: 'clusterapi:', expected: spec({}) },
    { text: 'clusterapi:namespace=blue', expected: spec({ namespace: 'blue' }) },
    { text: 'clusterapi:clusterName=test1', expected: spec({ clusterName: 'test1' }) },
    { text: 'clusterapi:color=green', expected: spec({ labels: { color: 'green' } }) },
    { text: 'clusterapi:color=green,shape=square', expected: spec({ labels: { color: 'green', shape: 'square' } }) },
    {
      text: 'clusterapi:namespace=staging,clusterName=purple,owner=jim',
      expected: spec({ namespace: 'staging', clusterName: 'purple', labels: { owner: 'jim' } }),
    },
    {
      text: 'clusterapi:owner=jim,clusterName=purple,namespace=staging',
      expected: spec({ namespace: 'staging', clusterName: 'purple', labels: { owner: 'jim' } }),
    },
    { text: 'clusterapi:,namespace=blue,,', expected: spec({ namespace: 'blue' }) },
    { text: 'clusterapi:namespace=', expected: spec({}) },
    { text: 'clusterapi:namespace=blue,namespace=green', expected: spec({ namespace: 'green' }) },
    { text: 'clusterapi:color=', expected: spec({ labels: { color: '' } }) },
    { text: 'clusterapi:color=green,color=green', expected: spec({ labels: { color: 'green' } }) },
    {
      text: 'clusterapi:topology.cluster.x-k8s.io/owned=true',
      expected: spec({ labels: { 'topology.cluster.x-k8s.io/owned': 'true' } }),
    },
    { text: 'clusterapi:__proto__=x', expected: null },
    { text: 'clusterapi:constructor=x', expected: spec({ labels: { constructor: 'x' } }) },
  ])('$text is read as Cluster Autoscaler reads it', ({ text, expected }) => {
    expect(parseDiscoverySpec(text)).toEqual(expected);
  });

  test.each([
    ['', 'nothing'],
    ['asg:tag=a', 'another discoverer'],
    ['ClusterAPI:namespace=blue', 'the discoverer in other letters'],
    ['clusterapi', 'no colon'],
    ['clusterapi:namespace=blue:more', 'two colons'],
    ['clusterapi:namespace', 'no value'],
    ['clusterapi:a=b=c', 'two values'],
    ['clusterapi:namespace=Blue', 'no name of a namespace'],
    ['clusterapi:clusterName=-a', 'no name of a cluster'],
    ['clusterapi:a b=c', 'no label'],
    ['clusterapi:=c', 'no key'],
    ['clusterapi:color=über', 'no value of a label'],
    ['clusterapi: namespace=blue', 'a space'],
    ['clusterapi:color=green,color=blue', 'two values of one label'],
    [`clusterapi:${'a=b,'.repeat(600)}`, 'more than 2000 characters'],
  ])('%s is refused: %s', (text) => {
    expect(parseDiscoverySpec(text)).toBeNull();
  });

  test.each(['clusterapi:', 'clusterapi:namespace=a,clusterName=b,c=d,e=', 'clusterapi:clusterName=b'])(
    '%s is written as it was read',
    (text) => {
      expect(writeDiscoverySpec(parseDiscoverySpec(text)!)).toBe(text);
    },
  );
});
