import { deepStrictEqual } from 'node:assert/strict';
import { afterAll, vi } from 'vitest';

/** Variables that Powertools sets when it is loaded. */
const OF_LIBRARIES = { AWS_SDK_UA_APP_ID: undefined, AWS_XRAY_CONTEXT_MISSING: undefined };

/** Parts of the process that a test file may change, and that files after it in the same process would see. */
const traces = (): object => ({
  environment: { ...process.env, ...OF_LIBRARIES },
  folder: process.cwd(),
  exitCode: process.exitCode,
  hasFakeTimers: vi.isFakeTimers(),
  isSpiedOn: [
    [process.stdout, 'write'],
    [process.stderr, 'write'],
    [process, 'exit'],
    [console, 'log'],
  ].map(([owner, name]) => vi.isMockFunction(Reflect.get(owner as object, name as string))),
  signals: process.listenerCount('SIGINT') + process.listenerCount('SIGTERM'),
});

const before = traces();

afterAll(() => deepStrictEqual(traces(), before));
