import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { observe } from '../../../../providers/aws/lambda/handler.ts';

const context = {
  functionName: 'scale-up',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:eu-central-1:123456789012:function:scale-up',
  memoryLimitInMB: '1769',
  awsRequestId: 'request-1',
  getRemainingTimeInMillis: () => 1_000,
} as Context;

/** Lines that a function writes: Powertools has a console of its own, on the process' streams, unless in development. */
let written: string[] = [];
beforeEach(() => {
  written = [];
  vi.stubEnv('POWERTOOLS_DEV', 'true');
  vi.stubEnv('POWERTOOLS_METRICS_DISABLED', 'false');
  for (const method of ['info', 'warn', 'error', 'log'] as const) {
    vi.spyOn(console, method).mockImplementation((line: unknown) => void written.push(String(line)));
  }
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const lines = () => written.map((line) => JSON.parse(line) as Record<string, unknown>);

describe('a standard function', () => {
  it('gives its work the event and a signal that fires at the end of its time', async () => {
    const { handler } = observe('scale-up', 'web');
    const work = vi.fn<(event: string, given: { signal: AbortSignal }) => Promise<string>>(
      async (event) => `${event}!`,
    );
    expect(await handler(work)('event', context)).toBe('event!');
    expect(work.mock.calls[0]![1].signal.aborted).toBe(false);
  });

  it('aborts the work shortly before its time is over', async () => {
    const { handler } = observe('scale-up', 'web');
    const short = { ...context, getRemainingTimeInMillis: () => 50 };
    const { promise: aborted, resolve } = Promise.withResolvers<void>();
    const work = (_: string, { signal }: { signal: AbortSignal }) =>
      new Promise<void>(() => signal.addEventListener('abort', () => resolve()));
    await expect(handler(work)('event', short)).rejects.toThrow('aborted');
    await aborted;
  });

  it('writes no characters that steer a terminal', async () => {
    const { handler, log } = observe('scale-up', 'web');
    const steering = '\u001B[2J\u009B2J\u202E';
    await handler(async () => log.error(steering, { reason: steering, error: new Error(steering) }))('event', context);
    expect(lines()[0]).toMatchObject({ message: '\uFFFD[2J\uFFFD2J\uFFFD' });
    expect(written.join('')).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
  });

  it('writes structured lines with the request and the cluster', async () => {
    const { handler, log } = observe('scale-up', 'web');
    await handler(async () => log.info('decided', { group: 'a' }))('event', context);
    expect(lines()).toMatchObject([
      {
        message: 'decided',
        level: 'INFO',
        service: 'scale-up',
        cluster: 'web',
        group: 'a',
        function_request_id: 'request-1',
      },
    ]);
  });

  it('publishes no count of zero', async () => {
    const { handler, metrics } = observe('scale-up', 'web');
    await handler(async () => metrics.count('PendingPods', 0))('event', context);
    expect(written).toEqual([]);
  });

  it('flushes metrics by cluster, also when the work fails', async () => {
    const { handler, metrics } = observe('scale-up', 'web');
    const failing = handler(async () => {
      metrics.count('PendingPods', 3);
      throw new Error('no');
    });
    await expect(failing('event', context)).rejects.toThrow('no');
    expect(lines().filter((line) => '_aws' in line)).toMatchObject([
      { PendingPods: 3, cluster: 'web', service: 'scale-up' },
    ]);
  });
});
