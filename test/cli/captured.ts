import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TerminalStreams } from '../../cli/terminal/streams.ts';
import { withoutProgress } from './explain/without-progress.ts';

/** The exit code of a command that reads this input, and its output without progress. */
export async function captured(run: (streams: TerminalStreams) => Promise<number>, input = '') {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  stdin.end(input);
  const texts = Promise.all([text(stdout), text(stderr)]);
  const code = await run({ stdin, stdout, stderr });
  stdout.end();
  stderr.end();
  const [printed, told] = await texts;
  return { code, stdout: printed, stderr: withoutProgress(told) };
}
