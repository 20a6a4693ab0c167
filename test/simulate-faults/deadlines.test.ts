import { expect, test } from 'vitest';
import { isToBeReplaced } from './deadlines.ts';

type Call = Parameters<typeof isToBeReplaced>;

const isReplaced = (what: string, rebalanceRecommendation: string): boolean =>
  isToBeReplaced(
    {
      announcements: { of: (instance: string) => (instance === 'i-1' ? [{ what }] : []) },
      scenario: { options: { rebalanceRecommendation } },
    } as unknown as Call[0],
    'i-1' as Call[1],
  );

test('an instance is to be replaced that the cloud recommends to replace, where the options want it', () => {
  expect(isReplaced('RebalanceRecommendation', 'replace')).toBe(true);
  expect(isReplaced('RebalanceRecommendation', 'cordon')).toBe(false);
  expect(isReplaced('SpotInterruption', 'replace')).toBe(false);
});
