import { describe, expect, it } from 'vitest';
import { createTransport } from '../../../../providers/kubernetes/client/transport.ts';
import { createEventRecorder } from '../../../../providers/kubernetes/events.ts';
import { createStatusWriter } from '../../../../providers/kubernetes/status-config-map.ts';
import { apiServer, json, refuse } from '../../../providers/kubernetes/api-server.ts';
import { agent, deployment, scalingGroup, testWorld } from '../../builders.ts';
import { startRuntime } from '../start-runtime.ts';

const MINUTE = 60;
const PLACE = { namespace: 'kube-system', name: 'cluster-autoscaler-status' };

interface EventBody {
  readonly metadata: { readonly name: string };
  readonly involvedObject: { readonly name: string };
  readonly reason: string;
}

/** An API server that keeps the status, and events as long as a real one; what is written to it is counted. */
async function keeping(now: () => number) {
  let status: object | null = null;
  const events = new Map<string, number>();
  const writes: string[] = [];
  /** Pods with a TriggeredScaleUp, once for each of these events. */
  const triggered: string[] = [];
  const server = await apiServer(({ method, body }, response) => {
    if (method === 'PATCH') {
      status = { ...(JSON.parse(body) as object) };
      Object.assign((status as { metadata: object }).metadata, { uid: 'u1' });
      writes.push('status');
      json(response, 200, status);
    } else if (method === 'POST') {
      const { metadata, involvedObject, reason } = JSON.parse(body) as EventBody;
      if (now() - (events.get(metadata.name) ?? -Infinity) < 60 * MINUTE * 1_000) {
        refuse(response, 409, 'AlreadyExists', 'it is there');
      } else {
        events.set(metadata.name, now());
        writes.push(reason);
        if (reason === 'TriggeredScaleUp') {
          triggered.push(involvedObject.name);
        }
        json(response, 201, {});
      }
    } else if (status === null) {
      refuse(response, 404, 'NotFound', 'not found');
    } else {
      json(response, 200, status);
    }
  });
  return { server, writes, triggered };
}

/** Outrigger beside a simulated cluster, with the status and the events that it writes to an API server. */
async function running() {
  const simulated = testWorld([scalingGroup('a', { desiredSize: 3, minSize: 3, maxSize: 10 })], {
    daemonSets: [agent],
  });
  const now = () => simulated.clock.now();
  const { server, writes, triggered } = await keeping(now);
  const transport = createTransport(server.connection);
  const unwanted = { now, warn: (message: string) => expect.unreachable(message) };
  const status = createStatusWriter(transport, PLACE, unwanted);
  const recorder = createEventRecorder(transport, { ...unwanted, statusObject: status.object });
  const { writeStatus } = status;
  const world = { ...simulated, writer: { ...simulated.writer, ...recorder, writeStatus } };
  const runtime = startRuntime({ world });
  world.controllers.apply(deployment('web', 9, { cpu: 0.9 }));
  await world.pass(30 * MINUTE);
  return {
    ...world,
    triggered,
    /** Writes within this many minutes from now on. */
    writtenIn: async (minutes: number): Promise<readonly string[]> => {
      writes.length = 0;
      await world.pass(minutes * MINUTE);
      return [...writes];
    },
    [Symbol.asyncDispose]: async () => {
      runtime.stop();
      transport.close();
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('what is written to the cluster', () => {
  it('is nothing within an hour in which nothing changes, and something once a pod needs a node', async () => {
    await using cluster = await running();
    expect(await cluster.writtenIn(60)).toEqual([]);
    cluster.controllers.apply(deployment('more', 9, { cpu: 0.9 }));
    const written = await cluster.writtenIn(30);
    expect(new Set(written)).toEqual(new Set(['status', 'ScaledUpGroup', 'TriggeredScaleUp']));
    // The group grows, its instances come, register and get ready: no more than that, in some sixty evaluations.
    expect(written.filter((one) => one === 'status').length).toBeLessThanOrEqual(6);
    expect(await cluster.writtenIn(60)).toEqual([]);
  });

  it('is one TriggeredScaleUp for each pod of a burst that several decisions add nodes for', async () => {
    await using cluster = await running();
    for (const [i, cpu] of [0.4, 1.2, 0.7, 2.3, 0.3, 3.1].entries()) {
      cluster.controllers.apply(deployment(`burst-${i}`, 5, { cpu }));
      await cluster.pass(1);
    }
    await cluster.pass(30);
    expect(cluster.triggered.length).toBeGreaterThan(5);
    expect(cluster.triggered).toEqual([...new Set(cluster.triggered)]);
  });

  it('is one event an hour about a pod that no group can hold', async () => {
    await using cluster = await running();
    cluster.controllers.apply(deployment('huge', 1, { cpu: 500 }));
    expect(await cluster.writtenIn(59)).toEqual(['NotTriggerScaleUp']);
    expect(await cluster.writtenIn(60)).toEqual(['NotTriggerScaleUp']);
  });
});
