/**
 * `npm run bench:cold [-- --contents]`: builds the functions' bundles as they are deployed, and starts each in processes of
 * its own: its size, the time that import and initialization take, and of ingest the first call. Ends with exit code 1
 * where a bundle is too large; times depend on the machine and are printed beside their goals.
 */
import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import Table from 'cli-table3';
import type { Metafile } from 'esbuild';
import { buildFunctions } from '../../../scripts/build/functions.ts';
import { toolCommand } from '../../tool-command.ts';
import { FIRST_CALL_MS, type FunctionName, INIT_MS, maxBundleBytes } from './goals.ts';
import { listen } from '../../listening.ts';

const RUNS = 9;
const TOKEN = 'token';
const CALL = JSON.stringify({ rawPath: `/${TOKEN}/web`, body: '{}', isBase64Encoded: false });

interface Times {
  readonly initMs: number;
  readonly initCpuMs: number;
  readonly firstCallMs: number | null;
}

await toolCommand('bench:cold', 'Measure size and cold start of the functions')
  .option('--contents', 'print what the bundles consist of', false)
  .action(async ({ contents }: { readonly contents: boolean }) => {
    const folder = await mkdtemp(path.join(tmpdir(), 'outrigger-cold-'));
    const queue = await startQueue();
    try {
      const outputs = Object.entries((await buildFunctions(folder)).outputs);
      const table = new Table({
        head: ['function', 'KB', 'limit', 'init ms', `goal ${INIT_MS}`, 'CPU ms', 'first call ms'],
      });
      let isOver = false;
      for (const [file, { bytes, inputs }] of outputs) {
        const name = path.basename(path.dirname(file)) as FunctionName;
        const limit = maxBundleBytes(name);
        isOver ||= bytes > limit;
        const times = await timesOf(path.join(folder, 'functions', name, 'index.mjs'), name, queue);
        const { initMs, initCpuMs, firstCallMs } = times;
        const first =
          firstCallMs === null
            ? ''
            : `${Math.round(firstCallMs)} ${verdict(firstCallMs, FIRST_CALL_MS)} of ${FIRST_CALL_MS}`;
        table.push([
          name,
          Math.round(bytes / 1_000),
          `${verdict(bytes, limit)} of ${limit / 1_000}`,
          Math.round(initMs),
          verdict(initMs, INIT_MS),
          Math.round(initCpuMs),
          first,
        ]);
        if (contents) {
          process.stdout.write(`${name}: ${contentsOf(inputs)}\n`);
        }
      }
      process.stdout.write(`${table.toString()}\n`);
      process.exitCode = isOver ? 1 : 0;
    } finally {
      queue.close();
      await rm(folder, { recursive: true, force: true });
    }
  })
  .parseAsync();

function verdict(value: number, goal: number): string {
  return value <= goal ? 'within' : 'OVER';
}

/** Medians of each time, over processes of their own. */
async function timesOf(file: string, name: string, queue: Server): Promise<Times> {
  const endpoint = `http://127.0.0.1:${(queue.address() as AddressInfo).port}`;
  const env = {
    PATH: process.env['PATH'],
    AWS_REGION: 'eu-central-1',
    AWS_ENDPOINT_URL: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    OUTRIGGER_CLUSTER: 'web',
    OUTRIGGER_QUEUE_URL: `${endpoint}/123456789012/wake-ups.fifo`,
    OUTRIGGER_TABLE: 'outrigger',
    OUTRIGGER_OPTIONS: '{}',
    OUTRIGGER_DRY_RUN: 'false',
    OUTRIGGER_DRAIN_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/123456789012/drains',
    OUTRIGGER_SCALE_DOWN_FUNCTION: 'arn:aws:lambda:eu-central-1:123456789012:function:scale-down',
    OUTRIGGER_TOKEN_HASHES: hash('sha256', TOKEN),
    OUTRIGGER_STACK: 'arn:aws:cloudformation:eu-central-1:123456789012:stack/Outrigger-web/1',
    OUTRIGGER_MANIFESTS: hash('sha256', 'manifests'),
    POWERTOOLS_TRACE_ENABLED: 'false',
  };
  const child = path.join(import.meta.dirname, 'child.ts');
  const args = [child, file, ...(name === 'ingest' ? [CALL] : [])];
  const runs: Times[] = [];
  for (let run = 0; run < RUNS; run += 1) {
    const { stdout } = await promisify(execFile)(process.execPath, args, { env });
    runs.push(JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as Times);
  }
  return {
    initMs: median(runs.map(({ initMs }) => initMs)),
    initCpuMs: median(runs.map(({ initCpuMs }) => initCpuMs)),
    firstCallMs: name === 'ingest' ? median(runs.map(({ firstCallMs }) => firstCallMs!)) : null,
  };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;
}

/** SQS, as far as it answers a message that is sent. */
async function startQueue(): Promise<Server> {
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const { MessageBody } = JSON.parse(await text(request)) as { readonly MessageBody: string };
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify({ MessageId: '1', MD5OfMessageBody: hash('md5', MessageBody) }));
    };
    answer().catch((error: unknown) => response.destroy(error as Error));
  });
  await listen(server);
  return server;
}

/** The ten packages or folders that take most of a bundle, in KB. */
function contentsOf(inputs: Metafile['outputs'][string]['inputs']): string {
  const sizes = new Map<string, number>();
  for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
    const name = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? input.split('/').slice(0, 2).join('/');
    sizes.set(name, (sizes.get(name) ?? 0) + bytesInOutput);
  }
  return [...sizes]
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 10)
    .map(([name, bytes]) => `${name} ${Math.round(bytes / 1_000)}`)
    .join(', ');
}
