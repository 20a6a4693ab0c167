import { expect, it } from 'vitest';
import { watchApiServer } from '../../../cli/local/api-server-watch.ts';
import { createLog } from '../../../cli/local/log.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { ApiError, type ApiErrorKind } from '../../../providers/kubernetes/client/api-error.ts';
import { testWorld, WEB } from '../../functions/test-world.ts';

const START = Date.parse('2026-11-24T16:27:44.380Z');

/** The failure of one of several requests at a time: whichever fails first. */
const failureOf = (request: string, kind: ApiErrorKind = 'unreachable'): ApiError =>
  new ApiError(`"${request}" at https://api.example failed (connect ECONNREFUSED 10.0.0.1:443). (6 attempts)`, {
    kind,
    retryable: true,
    cause: new Error('connect ECONNREFUSED 10.0.0.1:443'),
  });

/** A watch whose reads fail as they are told, and take a while. */
function watched() {
  let now = START;
  const lines: string[] = [];
  const log = createLog(
    'text',
    'info',
    (line) => lines.push(line.slice('16:27:44.380 '.length).trimEnd()),
    () => new Date(now),
  );
  const { reader } = testWorld({}).cluster(WEB)!;
  let failure: ApiError | null = null;
  const read: typeof reader.read = async (...args) => {
    now += 11_700;
    return failure === null ? await reader.read(...args) : await Promise.reject(failure);
  };
  const watch = watchApiServer({ ...reader, read }, log, () => epochMs(now));
  return {
    watch,
    lines,
    /** Evaluates as the runtime does: an error is logged, and a later scan tries again. */
    evaluate: async (next: ApiError | null) => {
      failure = next;
      await watch.reader.read().catch((error: unknown) => {
        watch.log.error('Evaluating cluster web failed', { error: new Error('no observation', { cause: error }) });
      });
    },
  };
}

it('says once since when the API server does not answer, and when it answers again', async () => {
  const { watch, lines, evaluate } = watched();
  expect(watch.awaySince()).toBeNull();
  await evaluate(failureOf('list csinodes'));
  await evaluate(failureOf('list nodes', 'timeout'));
  await evaluate(failureOf('list storageclasses'));
  expect(watch.awaySince()).toBe(START);
  await evaluate(null);
  expect(watch.awaySince()).toBeNull();
  expect(lines).toEqual([
    'error The API server does not answer since 16:27:44; every scan tries again: connect ECONNREFUSED 10.0.0.1:443',
    'info  The API server answers again, after 47 s',
  ]);
});

it('leaves errors of an API server that answers as they are', async () => {
  const { watch, lines, evaluate } = watched();
  await evaluate(failureOf('list nodes', 'refused'));
  expect(watch.awaySince()).toBeNull();
  expect(lines).toEqual([expect.stringMatching(/^error Evaluating cluster web failed: .*"list nodes"/)]);
});
