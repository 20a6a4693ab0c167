import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { buildFunctions } from '../../scripts/build/functions.ts';
import { isKubernetesVersion } from './servers/kubernetes.ts';
import { startServerSet } from './servers/server-set.ts';
import { listen } from '../listening.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** `http://127.0.0.1:PORT`: `/NAME` gives what files have in common; see `shared.ts`. */
    shared: string;
  }
}

/** A resource that a file has asked for: the answer, and its end after all files. */
interface Made {
  readonly answer: unknown;
  readonly end: () => Promise<void>;
}

/** Makes what files have in common when the first asks for it, and ends it after all of them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const made = new Map<string, Promise<Made>>();
  const makeOnce = (name: string): Promise<Made> => {
    const known = made.get(name) ?? make(name);
    made.set(name, known);
    return known;
  };
  const server = createServer(({ url = '' }, response) => {
    makeOnce(url.slice(1)).then(
      ({ answer }) => respond(response, 200, JSON.stringify(answer)),
      (error: unknown) => respond(response, 500, error instanceof Error ? error.message : String(error)),
    );
  });
  const port = await listen(server);
  project.provide('shared', `http://127.0.0.1:${port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    const results = await Promise.allSettled(made.values());
    const all = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    await Promise.all(all.map(({ end }) => end()));
  };
}

async function make(name: string): Promise<Made> {
  if (name === 'bundles') return bundles();
  const [, version = ''] = /^servers\/([\d.]+)\/\d+$/.exec(name) ?? [];
  if (!isKubernetesVersion(version)) throw new Error('Nothing of this name is shared');
  const running = await startServerSet(version);
  return { answer: running.set, end: () => running.stop() };
}

/** The folder of the bundles that the stack deploys. */
async function bundles(): Promise<Made> {
  const folder = await mkdtemp(path.join(tmpdir(), 'outrigger-bundles-'));
  await buildFunctions(folder);
  return { answer: path.join(folder, 'functions'), end: () => rm(folder, { recursive: true, force: true }) };
}

function respond(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(body);
}
