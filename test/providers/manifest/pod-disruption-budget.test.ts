import { expect, it } from 'vitest';
import { readPodDisruptionBudget } from '../../manifest-readers.ts';

const metadata = { name: 'x' };

it('a PodDisruptionBudget without a status allows nothing yet', () => {
  expect(readPodDisruptionBudget({ metadata, spec: { selector: {}, minAvailable: 1 } }, '')).toMatchObject({
    value: {
      selector: { matchLabels: {}, matchExpressions: [] },
      disruptionsAllowed: 0,
      unhealthyPodEvictionPolicy: 'IfHealthyBudget',
      disruptedPods: {},
      generation: 0,
      observedGeneration: 0,
    },
  });
});

it('a PodDisruptionBudget says of which generation its numbers are, and which pods they leave out', () => {
  const status = { observedGeneration: 2, disruptedPods: { 'web-1': '2026-01-01T12:00:00Z', 'web-2': null } };
  expect(readPodDisruptionBudget({ metadata: { ...metadata, generation: 3 }, status }, '')).toMatchObject({
    value: {
      disruptedPods: { 'web-1': Date.parse('2026-01-01T12:00:00Z'), 'web-2': null },
      generation: 3,
      observedGeneration: 2,
    },
  });
});

it('a wrong time in a PodDisruptionBudget is reported with its place', () => {
  expect(readPodDisruptionBudget({ metadata, status: { disruptedPods: { 'web-1': 5 } } }, '')).toMatchObject({
    ok: false,
    error: { place: expect.stringContaining('status.disruptedPods.web-1') as string },
  });
});
