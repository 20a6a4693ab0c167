import { describe, expect, it } from 'vitest';
import { evaluateScaleUp } from '../../../core/evaluate.ts';
import { announce } from '../../../functions/evaluate/announce.ts';
import { scaleUpHandler } from '../../../functions/scale-up/scale-up.ts';
import { pod } from '../../builders.ts';
import { buffer, template } from '../../core/headroom/given.ts';
import { atomic } from '../../core/headroom/requests/given.ts';
import { group, scenario } from '../../scenario-builders.ts';
import { clusterRun, invocation, notification, sqsEvent, testWorld, scan, WEB } from '../test-world.ts';

const given = {
  groups: [group('a')],
  objects: {
    pods: [
      pod('web-1', { requests: { cpu: 3 }, owner: 'ReplicaSet/web' }),
      pod('big-1', { requests: { cpu: 500 }, owner: 'ReplicaSet/big' }),
    ],
  },
};

describe('what is said in the cluster', () => {
  it('is said of each waiting pod when the decision is stored', async () => {
    const world = testWorld(given);
    await scaleUpHandler(world)(sqsEvent(notification), invocation());
    expect(world.statuses).toMatchObject([{ nodeGroups: [{ name: 'a', scaleUp: { status: 'InProgress' } }] }]);
    expect(world.events).toMatchObject([
      { about: { kind: 'Status' }, reason: 'ScaledUpGroup', occurrence: '1 a' },
      { about: { name: 'web-1' }, reason: 'TriggeredScaleUp', occurrence: 'a 0' },
      { about: { name: 'big-1' }, reason: 'NotTriggerScaleUp' },
    ]);
  });

  it('is written into the status of each CapacityBuffer, but not in a dry run', async () => {
    const objects = {
      capacityBuffers: [buffer('spare', { replicas: 2 })],
      podTemplates: [template('chunk', { cpu: 1 })],
    };
    for (const dryRun of [false, true]) {
      const world = testWorld({ groups: [group('a')], objects, options: { capacityBuffers: true }, dryRun });
      await scaleUpHandler(world)(sqsEvent(scan), invocation());
      expect(world.bufferStatuses.map(({ name, replicas }) => [name, replicas])).toEqual(dryRun ? [] : [['spare', 2]]);
    }
  });

  it('is written into the status of each ProvisioningRequest, but not in a dry run', async () => {
    const objects = { provisioningRequests: [atomic('run')], podTemplates: [template('chunk', { cpu: 1 })] };
    for (const dryRun of [false, true]) {
      const world = testWorld({ groups: [group('a')], objects, options: { provisioningRequests: true }, dryRun });
      await scaleUpHandler(world)(sqsEvent(scan), invocation());
      expect(world.requestStatuses.map(({ name, conditions }) => [name, conditions.at(-1)!.reason])).toEqual(
        dryRun ? [] : [['run', 'CapacityIsProvisioned']],
      );
    }
  });

  it('is sent to the event bus, once for a decision that is committed', async () => {
    const world = testWorld(given);
    await scaleUpHandler(world)(sqsEvent(notification), invocation());
    await scaleUpHandler(world)(sqsEvent(notification), invocation());
    expect(world.sent.map(({ id }) => id)).toEqual(['web/1/ScaleUp/a']);
  });

  it('is not sent to the event bus where nothing was committed', async () => {
    const world = testWorld(given);
    const of = scenario({ groups: given.groups, pods: given.objects.pods });
    const decided = { scenario: of, decision: evaluateScaleUp(of), settled: [] };
    const known = await world.store.load(WEB);
    for (const outcome of ['unchanged', 'committed'] as const) {
      await announce(clusterRun(world), known, decided, outcome);
      expect(world.sent).toHaveLength(outcome === 'committed' ? 1 : 0);
    }
  });

  it('fails no evaluation where the event bus refuses it', async () => {
    const refusing = { send: async () => Promise.reject(new Error('AccessDeniedException')) };
    const world = { ...testWorld(given), messages: refusing };
    const { batchItemFailures } = await scaleUpHandler(world)(sqsEvent(notification), invocation());
    expect(batchItemFailures).toEqual([]);
    expect(world.store.snapshot().get(WEB)?.intents).toHaveLength(1);
    expect(world.lines.filter(({ level }) => level === 'warn').map(({ message }) => message)).toEqual([
      'web: messages could not be sent to the event bus',
    ]);
  });

  it('is nothing in a dry run', async () => {
    const world = testWorld({ ...given, dryRun: true });
    await scaleUpHandler(world)(sqsEvent(scan), invocation());
    expect(world.lines.some(({ message }) => message.includes('scale up a 0 → 1'))).toBe(true);
    expect([world.events, world.statuses, world.sent]).toEqual([[], [], []]);
  });

  it('fails no evaluation', async () => {
    const world = testWorld(given);
    const { writer } = world.cluster(WEB)!;
    writer.recordEvents = async () => {
      throw new Error('a mistake of the program');
    };
    const { batchItemFailures } = await scaleUpHandler(world)(sqsEvent(notification), invocation());
    expect(batchItemFailures).toEqual([]);
    expect(world.store.snapshot().get(WEB)?.intents).toHaveLength(1);
    expect(world.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('is nothing of a decision that another one came before', async () => {
    const world = testWorld(given);
    world.store.commit = async () => ({ kind: 'conflict' });
    await scaleUpHandler(world)(sqsEvent(notification), invocation());
    expect([world.events, world.sent]).toEqual([[], []]);
  });
});
