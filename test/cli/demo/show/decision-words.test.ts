import { expect, test } from 'vitest';
import { decisionNews } from '../../../../cli/demo/show/decision-words.ts';
import { styleOf } from '../../../../cli/terminal/style.ts';

const style = styleOf({ isTTY: false } as NodeJS.WriteStream, 80);

test.each([
  [{ Ignored: 2 }, 'Nothing to add for 2 ignored pods'],
  [{ Ignored: 2, Fits: 1 }, 'Nothing to add: the pending pods fit on existing nodes'],
])('a decision about pods with the outcomes %j says %s', (outcomes, text) => {
  const nothing = { increases: [], considered: [], skippedGroups: [], upcoming: 0, unschedulable: [], waited: null };
  expect(decisionNews({ kind: 'Decision', result: 'NotNeeded', outcomes, ...nothing }, style).text).toBe(text);
});
