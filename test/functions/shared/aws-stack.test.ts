import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { openStack } from '../../../functions/shared/aws-stack.ts';
import { ENVIRONMENT, set } from './stack.ts';

beforeEach(() => set(ENVIRONMENT));
afterEach(() => vi.unstubAllEnvs());

describe('the stack', () => {
  it.each([
    { starts: 'drains', variable: 'OUTRIGGER_DRAIN_QUEUE_URL' },
    { starts: 'scale-down', variable: 'OUTRIGGER_SCALE_DOWN_FUNCTION' },
  ] as const)('is none for a function that starts $starts and is not told how', ({ starts, variable }) => {
    expect(() => openStack('any', starts)).toThrow(variable);
  });
});
