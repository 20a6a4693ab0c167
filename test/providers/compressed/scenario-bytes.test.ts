import { brotliDecompressSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { evaluateScaleDown, evaluateScaleUp } from '../../../core/evaluate.ts';
import { recorded } from '../../../core/actuation/commit/recorded.ts';
import { readScenarioBytes, writeScenarioBytes } from '../../../providers/compressed/scenario-bytes.ts';
import { readScenario } from '../../../providers/scenario/scenario.ts';
import { pod } from '../../builders.ts';
import { scenario as scenarioOf, times } from '../../scenario-builders.ts';
import { scenario } from '../scenario/arbitraries.ts';
import { cases } from '../../cases.ts';

it('writes what JSON.stringify writes but for annotations, whatever the scenario', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const bytes = await writeScenarioBytes(given);
      const readable = (name: string, value: unknown) => (name === 'annotations' ? {} : value);
      const text = brotliDecompressSync(bytes!).toString();
      expect(JSON.stringify(JSON.parse(text), readable)).toBe(JSON.stringify(given, readable));
    }),
    { numRuns: cases(20) },
  );
});

it('reads a scenario from which the same is decided, byte for byte', async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async (given) => {
      const read = await readScenarioBytes((await writeScenarioBytes(given))!);
      for (const evaluate of [evaluateScaleUp, evaluateScaleDown]) {
        expect(JSON.stringify(recorded(evaluate(read), read))).toBe(JSON.stringify(recorded(evaluate(given), given)));
      }
    }),
    { numRuns: cases(20) },
  );
});

it('gives up a scenario that takes more bytes than it may', async () => {
  const given = scenarioOf({ objects: { pods: times(500, (n) => pod(`pod-${n}`)) } });
  const { byteLength } = (await writeScenarioBytes(given))!;
  expect(await writeScenarioBytes(given, byteLength)).not.toBeNull();
  expect(await writeScenarioBytes(given, byteLength - 1)).toBeNull();
});

it('has no value of an environment variable, and no annotation that no decision reads', async () => {
  const metadata = (name: string) => ({
    name,
    annotations: {
      'kubectl.kubernetes.io/last-applied-configuration': '{"env":[{"name":"PASSWORD","value":"hunter2"}]}',
      'vault.hashicorp.com/agent-inject-template': 'hunter2',
      'outrigger.dev/atomic': 'true',
      'cluster-autoscaler.kubernetes.io/safe-to-evict': 'false',
    },
  });
  const spec = {
    containers: [
      {
        name: 'web',
        command: ['sh', '-c', 'echo hunter2'],
        args: ['hunter2'],
        env: [{ name: 'PASSWORD', value: 'hunter2' }],
        resources: { requests: { cpu: '1' } },
      },
    ],
  };
  const status = { allocatable: { cpu: '4', memory: '16Gi', pods: '58' } };
  const read = readScenario(
    {
      apiVersion: 'outrigger.dev/v1alpha1',
      kind: 'Scenario',
      now: '2026-01-01T12:00:00Z',
      nodeGroups: [
        {
          name: 'a',
          minSize: 0,
          maxSize: 3,
          targetSize: 1,
          nodes: ['n1'],
          template: { metadata: { annotations: metadata('a').annotations }, status },
          templatePods: [{ kind: 'Pod', metadata: metadata('agent'), spec }],
        },
      ],
      objects: [
        { kind: 'Node', metadata: metadata('n1'), status },
        { kind: 'Pod', metadata: metadata('p1'), spec },
        { kind: 'DaemonSet', metadata: metadata('agent'), spec: { template: { metadata: metadata('agent'), spec } } },
        { kind: 'PersistentVolumeClaim', metadata: metadata('c1'), spec: {} },
      ],
    },
    'outrigger',
  );
  if (!read.ok) {
    throw new Error(JSON.stringify(read.error));
  }
  const text = brotliDecompressSync((await writeScenarioBytes(read.value))!).toString();
  expect(text).not.toContain('hunter2');
  expect(text.match(/"outrigger\.dev\/atomic":"true"/g)!.length).toBeGreaterThanOrEqual(4);
});
