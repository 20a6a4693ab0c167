import { expect, it } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { minutes } from '../../../core/model/values/time.ts';
import { remembering } from '../../../functions/scale-up/sandbox-memory.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';
import { node } from '../../builders.ts';
import { throwingAt } from '../../core/model/isolation/poison.ts';
import { group, NOW } from '../../scenario-builders.ts';
import { invocation, sqsEvent, testWorld, scan } from '../test-world.ts';

it('a node whose readiness cannot be read keeps the time to capacity from being published, and nothing else', async () => {
  const fine = node('n1', { cpu: 4 });
  const world = testWorld({ groups: [group('web', { nodes: ['n1'] })], objects: { nodes: [fine] } });
  const remembered = remembering();
  // The evaluation itself has set the node aside.
  const handler = scaleUpHandler(
    world,
    (given) => evaluateScaleUp({ ...given, objects: { ...given.objects, nodes: [fine] } }),
    remembered,
  );
  await handler(sqsEvent(scan), invocation());
  world.objects = { nodes: [throwingAt(fine, 'conditions')] };
  world.time = NOW + minutes(10);
  expect(await handler(sqsEvent(scan), invocation())).toEqual({ batchItemFailures: [] });
  expect(world.lines.map(({ message }) => message)).toContain('web: how long pods have waited could not be determined');
});
