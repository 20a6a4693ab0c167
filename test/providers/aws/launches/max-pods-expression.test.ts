import { describe, expect, test } from 'vitest';
import { nodeResources } from '../../../../providers/aws/templates/allocatable.ts';
import { evaluateExpression, expressionVariables } from '../../../../providers/aws/launches/max-pods-expression.ts';
import { readUserData } from '../../../../providers/aws/launches/user-data.ts';
import { instanceType } from '../builders.ts';

/** t3.medium: 3 interfaces of 6 addresses. */
const medium = instanceType('t3.medium', 2, { memoryMib: 4_096, network: { interfaces: 3, addressesPerInterface: 6 } });

describe('maxPodsExpression', () => {
  test.each([
    ['417', 417],
    ['max_pods', 17],
    ['max_pods + 2', 19],
    ['(default_enis * (ips_per_eni - 1)) + 2', 17],
    ['((default_enis - 1) * (ips_per_eni - 1)) + 2', 12],
    ['(default_enis * ((ips_per_eni - 1) * 16)) + 2', 242],
    ['((default_enis * ((ips_per_eni * 16) - 1)) + 2) < 30 ? ((default_enis * ((ips_per_eni * 16) - 1)) + 2) : 30', 30],
    ['max_pods < 30 ? max_pods : 30', 17],
    ['(vcpus * 10) < max_pods ? (vcpus * 10) : max_pods', 17],
    ['(physical_memory_mib / 1024) > 32 ? 110 : max_pods', 17],
    ['1 + 2 * 3 - 7 % 4', 4],
    ['10 - 3 - 2', 5],
    ['-7 / 2 + 10', 7],
    ['!(vcpus == 2) || max_pods != 17 && true ? 1 : 2', 2],
    ['!(vcpus == 2) || max_pods != 17 && vcpus >= 1 ? 1 : 2', 2],
    ['vcpus <= 1 ? 1 : vcpus <= 2 ? 20 : 30', 20],
  ])('%s is %s', (expression, expected) => {
    expect(evaluateExpression(expression, expressionVariables(medium))).toBe(expected);
  });

  test.each([
    '',
    '99 - fake_variable',
    'max_pods -',
    'max_pods max_pods',
    '(max_pods',
    'max_pods / 0',
    'vcpus > 1',
    'max_pods + (vcpus > 1)',
    'max_pods - 17',
    'max_pods - 99',
    'max_pods * 999999999',
    'max_pods.size()',
    '"17"',
    '[1, 2].size()',
    `${'[1,1,1,1,1,1,1,1,1,1].all(x, '.repeat(9)}vcpus > 0${')'.repeat(9)} ? 30 : 20`,
    'string(vcpus) .map (x, x)',
    '{1: 2}.size()',
    'constructor',
    `${'"a" + '.repeat(20)}"a".matches("(a+)+b") ? 1 : 2`,
    '1'.padEnd(1_001, '0'),
    '('.repeat(400),
    '-'.repeat(900) + '1',
    `${'('.repeat(60)}1${')'.repeat(60)}`,
  ])('%j is left to the addresses of the type', (expression) => {
    expect(evaluateExpression(expression, expressionVariables(medium))).toBeNull();
    expect(nodeResources(medium, { kind: 'expression', expression }, 2 ** 30).capacity['pods']).toBe(17);
  });
});

const config = (kubelet: string): string => `MIME-Version: 1.0
Content-Type: multipart/mixed; boundary="B"

--B
Content-Type: text/x-shellscript

#!/bin/bash
echo kind: NodeConfig
--B
Content-Type: application/node.eks.aws

---
apiVersion: node.eks.aws/v1alpha1
kind: NodeConfig
spec:
  kubelet:
${kubelet.replaceAll(/^/gm, '    ')}
--B--
`;
const read = (text: string) => readUserData(Buffer.from(text).toString('base64'));
const allocatable = (text: string) => {
  const { podLimit, kubelet } = read(text);
  return nodeResources(medium, podLimit, 20 * 2 ** 30, kubelet).allocatable;
};

describe('a NodeConfig', () => {
  const MIB = 2 ** 20;
  /** Memory of 4096 MiB, less 7.5 %. */
  const memory = 3_788;

  test('limits pods by its expression, and the memory that is reserved for them', () => {
    const text = config('maxPodsExpression: "((default_enis - 1) * (ips_per_eni - 1)) + 2"');
    expect(allocatable(text)).toMatchObject({ pods: 12, memory: (memory - 255 - 11 * 12 - 100) * MIB });
  });

  test('whose maxPods is set limits pods by that, and reserves memory by the expression', () => {
    const text = config('maxPodsExpression: max_pods + 10\nconfig:\n  maxPods: 58');
    expect(allocatable(text)).toMatchObject({ pods: 58, memory: (memory - 255 - 11 * 27 - 100) * MIB });
  });

  test('registers with its taints', () => {
    const taints =
      'config:\n  registerWithTaints:\n  - {key: dedicated, value: web, effect: NoSchedule}\n  - {key: odd, effect: Never}\n  - 7';
    expect(read(config(taints)).taints).toEqual([{ key: 'dedicated', value: 'web', effect: 'NoSchedule' }]);
  });

  test.each<readonly [string, string, { cpu: number; memory: number; gib: number }]>([
    ['nothing', 'config: {}', { cpu: 1_930, memory: memory - 442 - 100, gib: 17 }],
    [
      'kubeReserved, each resource by itself',
      'config:\n  kubeReserved: {memory: 1Gi}',
      { cpu: 1_930, memory: memory - 1_024 - 100, gib: 17 },
    ],
    [
      'systemReserved',
      'config:\n  systemReserved: {cpu: 100m, memory: 200Mi, ephemeral-storage: 1Gi}',
      { cpu: 1_830, memory: memory - 442 - 200 - 100, gib: 16 },
    ],
    [
      'evictionHard',
      'config:\n  evictionHard: {memory.available: 500Mi, nodefs.available: 20%}',
      { cpu: 1_930, memory: memory - 442 - 500, gib: 15 },
    ],
    [
      'flags, which replace the configuration',
      'config:\n  kubeReserved: {memory: 1Gi}\nflags: ["--kube-reserved=cpu=200m,memory=300Mi,ephemeral-storage=1Gi", "--eviction-hard=memory.available<50Mi,nodefs.available<10%"]',
      { cpu: 1_800, memory: memory - 300 - 50, gib: 17 },
    ],
    ['what cannot be read', 'config:\n  kubeReserved: {memory: much}', { cpu: 1_930, memory: memory - 542, gib: 17 }],
  ])('takes from what pods may use: %s', (_, kubelet, expected) => {
    expect(allocatable(config(kubelet))).toMatchObject({
      cpu: expected.cpu,
      memory: expected.memory * MIB,
      'ephemeral-storage': expected.gib * 2 ** 30,
    });
  });

  test.each([
    'kind: NodeConfig\nspec: [',
    'kind: NodeConfig\nspec: &a [*a]',
    '\u0000NodeConfig',
    'NodeConfig\n'.repeat(9_000),
  ])('that cannot be read says nothing: %#', (text) => {
    expect(read(text).kubelet.taints).toEqual([]);
  });
});
