import { describe, expect, it } from 'vitest';
import { scaleUpHandler } from '../../../../functions/scale-up/scale-up.ts';
import { LONGEST_SPACE_MS } from '../../../../core/wakeups/spacing.ts';
import { dueMessage, wakeMessage } from '../../../../core/wakeups/message.ts';
import { parseWakeUp } from '../../../../providers/schema/wake-up.ts';
import { epochMs } from '../../../../core/model/values/time.ts';
import { createFifoQueue } from '../../../../providers/memory/fifo-queue.ts';
import { pod } from '../../../builders.ts';
import { group } from '../../../scenario-builders.ts';
import { invocation, sqsEvent, testWorld, scan, WEB } from '../../test-world.ts';

const hopeless = pod('hopeless', { requests: { cpu: 1_000 } });
const real = (name: string) => pod(name, { requests: { cpu: 1 }, owner: `ReplicaSet/${name}` });

/** A sandbox on the queue of a cluster with a pod that fits nowhere; time goes on as it is told. */
function sandbox() {
  const world = testWorld({ groups: [group('a', { max: 100 })], objects: { pods: [hopeless] } });
  const timers: { at: number; run: () => void }[] = [];
  const working: Promise<unknown>[] = [];
  const reads: number[] = [];
  let id = 0;
  const queue = createFifoQueue({
    time: {
      now: () => world.time,
      after: (ms, run) => {
        const timer = { at: world.time + ms, run };
        timers.push(timer);
        return { cancel: () => void timers.splice(timers.indexOf(timer), 1) };
      },
      attend: (work) => void working.push(work),
      delivery: () => 0,
      newId: () => `${(id += 1)}`,
    },
    consume: async (event) => await scaleUp(event, invocation()),
    visibilityTimeoutMs: 60_000,
    maxReceiveCount: 5,
    onGivenUp: (body) => {
      throw new Error(`given up: ${body}`);
    },
  });
  const scaleUp = scaleUpHandler({
    ...world,
    now: () => epochMs(world.time),
    cluster: (name) => {
      const cluster = world.cluster(name)!;
      return {
        ...cluster,
        reader: {
          ...cluster.reader,
          read: async (...args) => {
            reads.push(world.time);
            return await cluster.reader.read(...args);
          },
        },
      };
    },
    wake: async (cluster, attempt) => queue.send(wakeMessage(cluster, epochMs(world.time), attempt)),
    wakeAt: async (cluster, due, attempt) => queue.send(dueMessage(cluster, epochMs(world.time), due, attempt)),
    redeliverAfter: async (handle, seconds) => queue.changeVisibility(handle, seconds),
  });
  const settle = async (): Promise<void> => {
    while (working.length > 0) {
      await Promise.all(working.splice(0));
    }
  };
  return {
    world,
    reads,
    queue,
    notify: () => queue.send(wakeMessage(WEB, epochMs(world.time))),
    scan: () => queue.send({ body: JSON.stringify(scan), group: WEB, deduplicationId: `scan:${world.time}` }),
    /** Lets time pass, and everything happen that is due by then. */
    pass: async (ms: number): Promise<void> => {
      const end = world.time + ms;
      await settle();
      for (;;) {
        const [next] = timers.toSorted((a, b) => a.at - b.at);
        if (next === undefined || next.at > end) {
          break;
        }
        timers.splice(timers.indexOf(next), 1);
        world.time = Math.max(world.time, next.at);
        next.run();
        await settle();
      }
      world.time = Math.max(world.time, end);
    },
  };
}

type Sandbox = ReturnType<typeof sandbox>;

/** Sends ten notifications a second. */
async function notifyFor({ notify, pass }: Sandbox, seconds: number): Promise<void> {
  for (let call = 0; call < seconds * 10; call += 1) {
    notify();
    await pass(100);
  }
}

describe('wake-ups that bring nothing new', () => {
  it('are spaced out, up to ten seconds', async () => {
    const box = sandbox();
    await notifyFor(box, 10);
    expect(box.reads.length).toBeLessThan(12);
    await notifyFor(box, 30);
    const before = box.reads.length;
    await notifyFor(box, 300);
    expect(box.reads.length - before).toBeGreaterThanOrEqual(28);
    expect(box.reads.length - before).toBeLessThanOrEqual(40);
    // Nothing piles up behind them.
    expect(box.queue.size()).toBeLessThan(5);
  });

  it('are evaluated in the end: the last notification is answered within ten seconds or so', async () => {
    const box = sandbox();
    await notifyFor(box, 60);
    box.world.objects = { pods: [hopeless, real('late')] };
    box.notify();
    await box.pass(LONGEST_SPACE_MS + 1_250);
    expect((await box.world.store.load(WEB)).intents).toMatchObject([{ group: 'a', to: 1 }]);
  });

  it('do not hold up a scan', async () => {
    const box = sandbox();
    await notifyFor(box, 60);
    const before = box.reads.length;
    const { time } = box.world;
    box.scan();
    await box.pass(1);
    expect(box.reads.slice(before)).toEqual([time]);
  });

  it('cost a pod nothing that comes when it has been quiet', async () => {
    const box = sandbox();
    await notifyFor(box, 60);
    await box.pass(2 * LONGEST_SPACE_MS);
    const { time } = box.world;
    const before = box.reads.length;
    box.world.objects = { pods: [hopeless, real('new')] };
    box.notify();
    await box.pass(500);
    expect(box.reads.length).toBe(before + 1);
    expect(box.reads.at(-1)! - time).toBeLessThanOrEqual(250);
    expect((await box.world.store.load(WEB)).intents).toMatchObject([{ group: 'a', to: 1 }]);
  });

  it('are forgotten when one brings something new', async () => {
    const box = sandbox();
    await notifyFor(box, 60);
    box.world.objects = { pods: [hopeless, real('one')] };
    await notifyFor(box, 15);
    box.world.objects = { pods: [hopeless, real('one'), real('two')] };
    await box.pass(2 * LONGEST_SPACE_MS);
    const before = box.reads.length;
    box.notify();
    await box.pass(300);
    box.world.objects = { pods: [hopeless, real('one'), real('two'), real('three')] };
    box.notify();
    await box.pass(500);
    expect(box.reads.length).toBe(before + 2);
  });

  it('are not those of a burst of pods, each of which needs room', async () => {
    const box = sandbox();
    const pods = [hopeless];
    for (let count = 0; count < 100; count += 1) {
      pods.push(real(`p${count}`));
      box.world.objects = { pods: [...pods] };
      box.notify();
      await box.pass(100);
    }
    // Evaluations come in each window, all the time.
    expect(Math.max(...box.reads.slice(1).map((at, index) => at - box.reads[index]!))).toBeLessThanOrEqual(500);
  });

  it('are not those that cost no evaluation, as no pod is waiting', async () => {
    const box = sandbox();
    box.world.objects = { pods: [] };
    await notifyFor(box, 60);
    expect([box.reads, box.world.counts.get('FailedEvaluations')]).toEqual([[], undefined]);
    const { time } = box.world;
    box.world.objects = { pods: [real('new')] };
    box.notify();
    await box.pass(500);
    expect(box.reads.map((at) => at - time <= 500)).toContain(true);
  });

  it('keep the rechecks that they have a right to', () => {
    const due = dueMessage(WEB, epochMs(0), epochMs(5_000), 2);
    expect(parseWakeUp(due.body)).toMatchObject({ ok: true, value: { wakeUp: { attempt: 2, due: 5_000 } } });
    expect(due.deduplicationId).not.toBe(dueMessage(WEB, epochMs(0), epochMs(5_000)).deduplicationId);
    expect(due.group).not.toBe(dueMessage(WEB, epochMs(0), epochMs(5_000)).group);
  });
});

describe('a wake-up that an evaluation has answered', () => {
  const run = async (...bodies: readonly object[]) => {
    const world = testWorld({ groups: [group('a')], objects: { pods: [hopeless] } });
    let evaluations = 0;
    const scaleUp = scaleUpHandler(world);
    const at = (ago: number) => new Date(world.time - ago).toISOString();
    await scaleUp(sqsEvent(scan), invocation());
    for (const body of bodies) {
      const lines = world.lines.length;
      await scaleUp(sqsEvent({ cluster: WEB, at: at(60_000), ...body }), invocation());
      evaluations += world.lines.slice(lines).some(({ fields }) => 'evaluationMs' in fields) ? 1 : 0;
    }
    return evaluations;
  };

  it('costs no other one', async () => {
    expect(await run({}, {}, {})).toBe(1);
  });

  it('costs one where its rechecks would not follow', async () => {
    // A scan is followed by none.
    expect(await run({ attempt: 3 })).toBe(0);
    expect(await run({ attempt: 2 })).toBe(1);
    expect(await run({ attempt: 1 }, {}, { attempt: 1 })).toBe(2);
  });
});
