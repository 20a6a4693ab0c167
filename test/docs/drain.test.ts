import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import {
  DECISION_LIMIT,
  DETACH_LIMIT,
  VALIDATING_LIMIT,
  TAINTING_LIMIT,
  TERMINATING_LIMIT,
  THROTTLE_ALLOWANCE,
  AWAITING_TERMINATION_LIMIT,
} from '../../core/drain/limits.ts';
import { CORDONED_ANNOTATION, EXCLUDE_LABEL, REMOVAL_ANNOTATION } from '../../core/drain/removal-markers.ts';
import { TRANSITIONS } from '../../core/drain/transitions.ts';
import { formatDuration } from '../../core/model/values/time.ts';

const page = await readFile(new URL('../../docs/drain.md', import.meta.url), 'utf8');

describe('docs/drain.md', () => {
  it('shows the ways that a drain may go, and no other', () => {
    const arrows = [...page.matchAll(/^ {4}(\w+) --> (\w+): (.+)$/gm)].map(([, from, to, when]) => ({
      from,
      to,
      when,
    }));
    expect(arrows).toEqual(TRANSITIONS);
  });

  it('begins and ends where drains do', () => {
    const ends = TRANSITIONS.map(({ to }) => to).filter((phase) => !TRANSITIONS.some(({ from }) => from === phase));
    expect([...page.matchAll(/^ {4}(\S+) --> (\S+)$/gm)].map(([arrow]) => arrow.trim())).toEqual([
      `[*] --> ${TRANSITIONS[0]!.from}`,
      ...ends.map((phase) => `${phase} --> [*]`),
    ]);
  });

  it.each([
    ['Tainting', TAINTING_LIMIT],
    ['Validating', VALIDATING_LIMIT],
    ['Terminating', TERMINATING_LIMIT],
    ['AwaitingTermination', AWAITING_TERMINATION_LIMIT],
  ])('states how long %s may take', (phase, limit) => {
    const row = page.split('\n').find((line) => line.startsWith(`| \`${phase}\` |`));
    expect(row).toContain(formatDuration(limit));
  });

  it('states how old a decision may be', () => {
    expect(page).toContain(`nothing is evicted later than ${formatDuration(DECISION_LIMIT)} after the decision`);
    expect(page).toContain(`the decision is more than ${formatDuration(DECISION_LIMIT)} old`);
  });

  it('states how long volumes are waited for, and what throttling may cost', () => {
    expect(page).toContain(`Volumes are waited for ${DETACH_LIMIT / 60_000} minutes.`);
    expect(page.replaceAll(/\s+/g, ' ')).toContain(`put off by them, ${THROTTLE_ALLOWANCE / 60_000} minutes at most`);
  });

  it.each([CORDONED_ANNOTATION, EXCLUDE_LABEL, REMOVAL_ANNOTATION])('names the mark %s', (mark) => {
    expect(page).toContain(mark);
  });
});
