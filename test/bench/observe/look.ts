/**
 * A process that reads a cluster for each line of its standard input, and writes a line of JSON about each read. Its
 * arguments: a kubeconfig, and whether lists are kept (`kept`) or read in full (`full`).
 */
import { createInterface } from 'node:readline';
import { connectionOfKubeconfig } from '../../../providers/kubernetes/auth/kubeconfig.ts';
import { createTransport, type Line, type Transport } from '../../../providers/kubernetes/client/transport.ts';
import { clusterReader, DEFAULT_READER } from '../../../providers/kubernetes/read/reader.ts';

/** One read, in ms of the clock and of the processor, and the bytes of all responses, unpacked. */
export interface Look {
  readonly wallMs: number;
  readonly cpuMs: number;
  readonly bytes: number;
  readonly peakMb: number;
  readonly nodes: number;
  readonly pods: number;
  /** How the pods were read. */
  readonly how: string;
}

const [kubeconfig = '', mode = 'kept'] = process.argv.slice(2);
let bytes = 0;
let how = 'listed';
const reader = clusterReader(
  counted(createTransport(await connectionOfKubeconfig({ file: kubeconfig, context: null }))),
  {
    ...DEFAULT_READER,
    kept:
      mode === 'kept'
        ? {
            report: ({ resource, how: { kind, ...of } }) => {
              how =
                resource === 'pods'
                  ? `${kind} ${'why' in of ? of.why : 'events' in of ? `${of.events} events` : ''}`
                  : how;
            },
          }
        : null,
  },
);

for await (const _line of createInterface({ input: process.stdin })) {
  bytes = 0;
  const started = performance.now();
  const before = process.cpuUsage();
  const { objects } = await reader.read();
  const { user, system } = process.cpuUsage(before);
  const look: Look = {
    wallMs: Math.round(performance.now() - started),
    cpuMs: Math.round((user + system) / 1_000),
    bytes,
    peakMb: Math.round(process.resourceUsage().maxRSS / 1_024),
    nodes: objects.nodes.length,
    pods: objects.pods.length,
    how,
  };
  process.stdout.write(`${JSON.stringify(look)}\n`);
}
process.exit();

/** Counts the bytes of responses. */
function counted(transport: Transport): Transport {
  const lineOf = (line: Line): Line => ({
    ...line,
    send: (request, read, signal) =>
      line.send(request, (answer) => ((bytes += answer.body.length), read(answer)), signal),
    stream: (request, take, signal) =>
      line.stream(request, (chunk, type) => ((bytes += chunk.length), take(chunk, type)), signal),
  });
  return {
    ...transport,
    send: (request, read, signal) =>
      transport.send(request, (answer) => ((bytes += answer.body.length), read(answer)), signal),
    line: async () => lineOf(await transport.line!()),
  };
}
