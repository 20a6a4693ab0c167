import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Servers } from './cache.ts';
import { freePorts, ready, startProcess } from './server-process.ts';

/** A server that is reached over plain HTTP on loopback. */
export interface HttpServer {
  /** `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** Starts moto, which plays AWS; state only in memory, log in `logs`. */
export async function startAws(servers: Pick<Servers, 'moto'>, folder: string, logs: string): Promise<HttpServer> {
  await mkdir(folder, { recursive: true });
  const [port] = (await freePorts(1)) as [number];
  const endpoint = `http://127.0.0.1:${port}`;
  const server = startProcess({
    name: 'moto',
    command: path.join(servers.moto, 'bin/python'),
    args: ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)],
    // Launch templates name an image, and one must be there.
    environment: { MOTO_EC2_LOAD_DEFAULT_AMIS: 'true', PYTHONUNBUFFERED: '1' },
    cwd: folder,
    logs,
  });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await ready(server, async () => (await fetch(`${endpoint}/moto-api/config`)).ok);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
}
