import { describe, expect, it } from 'vitest';
import { judgeDeletion } from '../../../core/actuation/judge-deletion.ts';

const size = (target: number) => ({ min: 1, max: 10, target, held: target });

describe('an instance to be deleted', () => {
  it('takes the target down with it above the minimum', () => {
    expect(judgeDeletion({ force: false }, size(2))).toEqual({ kind: 'terminate', lowersTarget: true });
  });

  it('is left alone at the minimum, and replaced where the intent says so', () => {
    expect(judgeDeletion({ force: false }, size(1))).toMatchObject({ kind: 'refused' });
    expect(judgeDeletion({ force: true }, size(1))).toEqual({ kind: 'terminate', lowersTarget: false });
  });

  it('is left alone without its group, whatever the intent says', () => {
    expect(judgeDeletion({ force: true }, null)).toMatchObject({ kind: 'refused' });
  });
});
