import { expect, test } from 'vitest';
import { drainsUnderWay } from '../../../core/explanation/drain.ts';
import { drainLines } from '../../../core/explanation/sentences.ts';
import { NOW } from '../../scenario-builders.ts';
import { inPhase, oneNodeWorld, step, webPod } from '../drain/one-node-world.ts';

test('the refusal of an eviction is told once, while it is tried again and when it has been given up', () => {
  const world = oneNodeWorld([webPod('web-1')]);
  const refusal = { kind: 'refused', retryAfterSeconds: null, message: 'no disruption' } as const;
  const asked = step(inPhase('Evicting', world), world, 0).drain;
  const tried = step(asked, world, 60, { evictions: { 'uid-default-web-1': refusal } }).drain;
  for (const drain of [tried, step(tried, world, 180).drain]) {
    const [told] = drainsUnderWay({ drains: [{ drain, revision: 1, attempt: 1, drivenUntil: NOW }] });
    expect(drainLines(told!, NOW).join().split('no disruption')).toHaveLength(2);
  }
});
