import { describe, expect, it } from 'vitest';
import { evaluateScaleDown } from '../../../../core/evaluate.ts';
import { EMPTY_STATE } from '../../../../core/model/state.ts';
import { nodeName } from '../../../../core/model/values/names.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { whatToWrite } from '../../../../core/actuation/commit/worth-writing.ts';
import { node } from '../../../builders.ts';
import { group, NOW, scenario } from '../../../scenario-builders.ts';

const ago = (seconds: number) => epochMs(NOW - seconds * 1_000);

/** An empty node, unneeded for an hour, of a group that may shrink to `min`. */
const idle = (min: number) => {
  const state = { ...EMPTY_STATE, unneededSince: { [nodeName('n1')]: ago(3_600) } };
  return scenario({
    groups: [group('a', { min, nodes: ['n1'] })],
    nodes: [node('n1', { cpu: 4, memory: '9Gi' })],
    state,
  });
};

describe('an evaluation of an unchanged cluster is written', () => {
  it.each([
    ['with its content when it removes a node, as a dry run does without an intent', 0, 30, 'content'],
    ['not at all within a minute', 1, 30, 'nothing'],
    ['with its time alone after a minute', 1, 61, 'time'],
  ] as const)('%s', (_, min, secondsAgo, expected) => {
    const given = idle(min);
    const state = { ...EMPTY_STATE, lastEvaluation: ago(secondsAgo) };
    const commit = { before: state, after: state, intents: [], settled: [] };
    expect(whatToWrite(commit, evaluateScaleDown(given), given)).toBe(expected);
  });
});
