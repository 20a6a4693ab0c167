import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { HttpServer } from './aws.ts';
import type { Servers } from './cache.ts';
import { freePorts, ready, startProcess } from './server-process.ts';

/** Starts DynamoDB Local; data only in memory, one data set for all credentials and regions, log in `logs`. */
export async function startDynamoDb(
  servers: Pick<Servers, 'dynamodb'>,
  folder: string,
  logs: string,
): Promise<HttpServer> {
  await mkdir(folder, { recursive: true });
  const [port] = (await freePorts(1)) as [number];
  const endpoint = `http://127.0.0.1:${port}`;
  const server = startProcess({
    name: 'dynamodb-local',
    command: 'java',
    args: [
      `-Dsqlite4java.library.path=${servers.dynamodb}`,
      '-cp',
      path.join(servers.dynamodb, '*'),
      'com.amazonaws.services.dynamodbv2.local.main.ServerRunner',
      '-inMemory',
      '-sharedDb',
      '-disableTelemetry',
      '-port',
      String(port),
    ],
    cwd: folder,
    logs,
  });
  const stop = async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    // Unsigned requests are refused, by a server that is up.
    await ready(server, async () => (await fetch(endpoint)).status === 400);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
}
