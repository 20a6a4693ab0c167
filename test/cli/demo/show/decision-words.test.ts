import { expect, test } from 'vitest';
import { decisionNews } from '../../../../cli/demo/show/decision-words.ts';

test('a decision about ignored pods says that it adds nothing for them', () => {
  const nothing = { increases: [], considered: [], skippedGroups: [], upcoming: 0, unschedulable: [], waited: null };
  const style = { colors: {} as never, width: 80 };
  const told = decisionNews({ kind: 'Decision', result: 'NotNeeded', outcomes: { Ignored: 2 }, ...nothing }, style);
  expect(told.text).toBe('Nothing to add for 2 ignored pods');
});
