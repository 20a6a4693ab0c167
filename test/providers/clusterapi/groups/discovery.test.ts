import { describe, expect, it } from 'vitest';
import { isDiscovered, onlyNamespace } from '../../../../providers/clusterapi/groups/discovery.ts';
import { parseDiscoverySpec } from '../../../../providers/schema/cluster-api-discovery.ts';
import { scalable } from '../builders.ts';

const specs = (texts: readonly string[]) => texts.map((text) => parseDiscoverySpec(`clusterapi:${text}`)!);

const resource = scalable('MachineDeployment', 'a', {
  namespace: 'blue',
  labels: { color: 'green', shape: 'square' },
  spec: { clusterName: 'c1' },
});

describe('a resource in namespace blue, of cluster c1, green and square', () => {
  it.each<[readonly string[], boolean]>([
    [[], true],
    [[''], true],
    [['namespace=blue'], true],
    [['namespace=red'], false],
    [['clusterName=c1'], true],
    [['clusterName=c2'], false],
    [['color=green'], true],
    [['color=green,shape=square'], true],
    [['color=green,shape=round'], false],
    [['namespace=blue,clusterName=c1,color=green'], true],
    [['namespace=blue,clusterName=c2,color=green'], false],
    [['size='], false],
    [['constructor=x'], false],
    [['namespace=red', 'color=green'], true],
    [['namespace=red', 'color=red'], false],
  ])('is discovered by %j: %s', (texts, discovered) => {
    expect(isDiscovered(resource, specs(texts))).toBe(discovered);
  });
});

describe('the only namespace', () => {
  it.each<[readonly string[], string | null]>([
    [[], null],
    [['clusterName=c1'], null],
    [['namespace=blue'], 'blue'],
    [['namespace=blue,color=green', 'namespace=blue'], 'blue'],
    [['namespace=blue', 'namespace=red'], null],
    [['namespace=blue', 'color=green'], null],
  ])('of %j is %j', (texts, namespace) => {
    expect(onlyNamespace(specs(texts))).toBe(namespace);
  });
});
