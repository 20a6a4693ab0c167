import { expect, test } from 'vitest';
import { createHealth } from '../../../../cli/local/endpoint/health.ts';

const LIMITS = { maxInactivityMs: 600_000, maxFailingMs: 900_000 };
const START = 1_000_000;

test('a process that has just started is healthy, and no more when nothing is evaluated', () => {
  const health = createHealth(LIMITS, START);
  expect(health.trouble(START + 600_000)).toBeNull();
  expect(health.trouble(START + 600_001)).toBe('no evaluation began for 600 s; the limit is 600 s');
});

test('evaluations that succeed keep it healthy', () => {
  const health = createHealth(LIMITS, START);
  for (let now = START; now < START + 7_200_000; now += 60_000) {
    expect(health.trouble(now)).toBeNull();
    health.begins(now);
    health.succeeds(now + 1_000);
  }
});

test('evaluations that all fail do not, though they begin; the first that succeeds makes it healthy again', () => {
  const health = createHealth(LIMITS, START);
  for (let now = START; now <= START + 900_000; now += 60_000) {
    health.begins(now);
    expect(health.trouble(now)).toBeNull();
  }
  health.begins(START + 960_000);
  expect(health.trouble(START + 960_000)).toBe('no evaluation succeeded for 960 s; the limit is 900 s');
  health.succeeds(START + 961_000);
  expect(health.trouble(START + 961_000)).toBeNull();
});
