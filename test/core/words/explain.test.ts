import { expect, test } from 'vitest';
import { evaluate } from '../../../core/evaluate.ts';
import { groupName, nodeName } from '../../../core/model/values/names.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { explain } from '../../../core/words/explain.ts';
import { pod } from '../../builders.ts';
import { backoffSince, group, NOW, scenario } from '../../scenario-builders.ts';

test('a log line says of every group that was left out why, and until when', () => {
  const decision = evaluate(
    scenario({
      groups: [group('failed'), group('full', { max: 0 }), group('wrong', { invalid: 'tag x: expected y' })],
      pods: [pod('p', { requests: { cpu: 1 } })],
      state: { backoff: { [groupName('failed')]: backoffSince(epochMs(NOW - minutes(1))) } },
    }),
  );
  expect(explain(decision).message).toContain(
    'skipped failed (in backoff after failed scale-up: Quota, until 2026-01-01T12:04:00Z), full (max node group size reached: maxSize 0), wrong (invalid node group: tag x: expected y)',
  );
});

test('a log line says which nodes leave for a notice, and whether AWS ends them', () => {
  const decision = evaluate(scenario({ groups: [group('spot')] }));
  const departure = { group: groupName('spot'), deadline: NOW };
  expect(
    explain({
      ...decision,
      departures: [
        { ...departure, node: nodeName('n1'), notice: 'SpotInterruption' },
        { ...departure, node: nodeName('n2'), notice: 'RebalanceRecommendation' },
      ],
    }),
  ).toMatchObject({
    message: expect.stringContaining('AWS ends n1 (Spot interruption); drains n2 (rebalance recommendation)'),
    remarkable: true,
  });
});
