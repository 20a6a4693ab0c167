import { describe, expect, it } from 'vitest';
import { after, inPhase, oneNodeWorld, step } from '../one-node-world.ts';

describe('the end of an instance', () => {
  it('that was agreed to is done when the cloud says so, or has said nothing for long', () => {
    const world = oneNodeWorld();
    const drain = { ...inPhase('AwaitingTermination', world), terminateAskedAt: after(0) };
    world.cloudAnswers = false;
    expect(step(drain, world, 0).drain.phase).toBe('AwaitingTermination');
    expect(step(drain, world, 299).drain.phase).toBe('AwaitingTermination');
    expect(step(drain, world, 300).drain.phase).toBe('Removed');
    world.cloudAnswers = true;
    world.instance = 'ending';
    expect(step(drain, world, 1).drain.phase).toBe('Removed');
  });

  it.each(['in group', 'aside'] as const)(
    'that was agreed to and never comes (%s) leaves the node in service',
    (state) => {
      const world = oneNodeWorld();
      world.instance = state;
      const drain = inPhase('AwaitingTermination', world, { terminateAskedAt: after(0) });
      expect(step(drain, world, 299).drain.phase).toBe('AwaitingTermination');
      expect(step(drain, world, 300)).toMatchObject({
        does: ['take marks off'],
        drain: { outcome: { failure: 'FailedToDelete' } },
      });
    },
  );
});
