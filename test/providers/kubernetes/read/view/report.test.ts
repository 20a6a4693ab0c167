import { expect, it } from 'vitest';
import type { ListReport } from '../../../../../providers/kubernetes/read/view/cached-lists.ts';
import { reportTo } from '../../../../../providers/kubernetes/read/view/report.ts';

function warningsOf(...how: readonly ListReport['how'][]): readonly string[] {
  const warnings: string[] = [];
  const report = reportTo((message) => warnings.push(message));
  how.forEach((each) => report({ resource: 'pods', how: each }));
  return warnings;
}

it('a watch that fails is told of once for each reason, with what to do', () => {
  const forbidden = { kind: 'listed again', why: 'forbidden', error: new Error('HTTP 403') } as const;
  expect(warningsOf(forbidden, forbidden, { kind: 'listed again', why: 'not proven' })).toEqual([
    'Watching pods failed (forbidden: HTTP 403), and it was listed in full. The ClusterRole lacks the verb watch: apply the manifests again.',
    'Watching pods failed (not proven), and it was listed in full. Nothing showed in time that it was complete; check what is between this process and the API server.',
  ]);
});

it('each difference from a full list is told of, with the first objects', () => {
  const differing = ['a/1', 'a/2', 'a/3', 'a/4', 'a/5', 'a/6'];
  const checked = { kind: 'checked', differing } as const;
  const said =
    'The cached list of pods differed from the full one in 6 objects (a/1, a/2, a/3, a/4, a/5); it has been replaced';
  expect(warningsOf(checked, checked)).toEqual([said, said]);
});

it('one different object is told of', () => {
  expect(warningsOf({ kind: 'checked', differing: ['a/1'] })).toEqual([
    'The cached list of pods differed from the full one in 1 object (a/1); it has been replaced',
  ]);
});

it('what is usual is not told of', () => {
  expect(
    warningsOf(
      { kind: 'listed' },
      { kind: 'watched', events: 3, bytes: 100 },
      { kind: 'checked', differing: [] },
      { kind: 'listed again', why: 'expired' },
      { kind: 'listed again', why: 'too many changes' },
    ),
  ).toEqual([]);
});
