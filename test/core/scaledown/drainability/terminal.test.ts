import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../core/model/cluster/pod.ts';
import { terminal } from '../../../../core/scaledown/drainability/terminal.ts';
import { ago, asked, barePod } from '../given.ts';

describe('rule 6, terminal: pods that have ended', () => {
  it.each<[string, Pod, string]>([
    ['succeeded', barePod({ phase: 'Succeeded' }), 'DrainOk'],
    ['failed', barePod({ phase: 'Failed' }), 'DrainOk'],
    ['succeeded, of a Job', barePod({ phase: 'Succeeded', owner: 'Job/once' }), 'DrainOk'],
    ['running', barePod({ phase: 'Running' }), '-'],
    ['pending', barePod({ phase: 'Pending' }), '-'],
    ['unknown', barePod({ phase: 'Unknown' }), '-'],
    ['running, being deleted', barePod({ deletedAt: ago(-5) }), '-'],
  ])('%s', (_, pod, expected) => {
    expect(asked(terminal, pod)).toBe(expected);
  });
});
