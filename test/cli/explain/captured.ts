import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { TerminalStreams } from '../../../cli/terminal/streams.ts';
import { withoutProgress } from './without-progress.ts';

/** The exit code of a command with an empty standard input, and its output without progress. */
export async function captured(run: (streams: TerminalStreams) => Promise<number>) {
  const stdin = new PassThrough();
  stdin.end();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await run({ stdin, stdout, stderr });
  stdout.end();
  stderr.end();
  return { code, stdout: await text(stdout), stderr: withoutProgress(await text(stderr)) };
}
