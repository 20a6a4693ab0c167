import { describe, expect, it } from 'vitest';
import { clusterName } from '../../../core/model/values/names.ts';
import { epochMs } from '../../../core/model/values/time.ts';
import { createIngest } from '../../../functions/ingest/ingest.ts';
import { MAX_BODY_BYTES } from '../../../providers/kubernetes/admission-review.ts';
import { hashOfToken } from '../../../providers/kubernetes/webhook-token.ts';
import type { Ingress } from '../../../functions/shared/services.ts';
import { NOW } from '../../scenario-builders.ts';
import { functionUrlEvent, invocation, testWorld, WEB } from '../test-world.ts';

const TOKEN = 'a'.repeat(40);
const OLD_TOKEN = 'b'.repeat(40);
const PATH = `/${TOKEN}/web`;

const review = (extra: object = {}): string =>
  JSON.stringify({
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: { uid: 'uid-1', object: { reason: 'FailedScheduling' }, ...extra },
  });

function ingress(given: Partial<Ingress> = {}) {
  const world = testWorld();
  const call = createIngest({
    ...world,
    knows: (name) => name === WEB,
    tokenHashes: [TOKEN, OLD_TOKEN].map(hashOfToken),
    raiseAlarm: () => {},
    ...given,
  });
  return {
    world,
    call: async (path: string, body?: string, base64 = false) => {
      const result = await call(functionUrlEvent(path, body, base64), invocation());
      if (typeof result === 'string') {
        throw new Error('expected a structured answer');
      }
      return { ...result, body: JSON.parse(result.body ?? '') as unknown };
    },
  };
}

const allowed = (uid: string) => ({
  statusCode: 200,
  headers: { 'content-type': 'application/json' },
  body: { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, allowed: true } },
});

describe('the webhook', () => {
  it('wakes the cluster in the path and allows the event', async () => {
    const { call, world } = ingress();
    expect(await call(PATH, review())).toEqual(allowed('uid-1'));
    expect(world.wakes).toEqual([{ cluster: 'web', attempt: 0 }]);
  });

  it('wakes the cluster for a node, however large its review is, otherwise than for an event', async () => {
    const kind = { group: '', version: 'v1', kind: 'Node' };
    const about = (size: number) =>
      JSON.stringify({
        kind: 'AdmissionReview',
        apiVersion: 'admission.k8s.io/v1',
        request: { uid: 'uid-1', kind, object: { kind: 'Node', images: 'x'.repeat(size) } },
      });
    for (const [body, base64] of [
      [about(0), false],
      [about(2 * MAX_BODY_BYTES), false],
      [Buffer.from(about(0)).toString('base64'), true],
    ] as const) {
      const { call, world } = ingress();
      expect(await call(PATH, body, base64)).toEqual(allowed('uid-1'));
      expect(world.wakes).toEqual([{ cluster: 'web', attempt: 0, readyNode: true }]);
    }
    const { call, world } = ingress();
    await call(PATH, review({ object: { involvedObject: { kind: 'Node' } } }));
    expect(world.wakes).toEqual([{ cluster: 'web', attempt: 0 }]);
  });

  it('reads bodies that are encoded as base64', async () => {
    const { call, world } = ingress();
    expect(await call(PATH, Buffer.from(review()).toString('base64'), true)).toEqual(allowed('uid-1'));
    expect(world.wakes).toHaveLength(1);
  });

  it('takes both tokens while one is being rotated', async () => {
    const { call, world } = ingress();
    await call(`/${OLD_TOKEN}/web`, review());
    expect(world.wakes).toHaveLength(1);
  });

  const harmless: readonly { readonly name: string; readonly path?: string; readonly body?: string; uid: string }[] = [
    { name: 'a wrong token', path: `/${'c'.repeat(40)}/web`, body: review(), uid: 'uid-1' },
    { name: 'a token that is the beginning of the right one', path: '/a/web', body: review(), uid: 'uid-1' },
    { name: 'no token', path: '/web', body: review(), uid: 'uid-1' },
    { name: 'an empty token', path: '//web', body: review(), uid: 'uid-1' },
    { name: 'no path', path: '/', body: review(), uid: 'uid-1' },
    { name: 'a cluster that is not configured', path: `/${TOKEN}/other`, body: review(), uid: 'uid-1' },
    { name: 'a cluster name that is none', path: `/${TOKEN}/%2e%2e`, body: review(), uid: 'uid-1' },
    { name: 'a dry run', path: PATH, body: review({ dryRun: true }), uid: 'uid-1' },
  ];
  it.each(harmless)('allows and does not wake on $name', async ({ path = PATH, body, uid }) => {
    const { call, world } = ingress();
    expect(await call(path, body)).toEqual(allowed(uid));
    expect(world.wakes).toEqual([]);
  });

  it.each(['', `/${TOKEN}`, PATH, `//web`, '/%00/web'])('lets no call in while no hash is known: %j', async (path) => {
    const { call, world } = ingress({ tokenHashes: [] });
    await call(path, review());
    expect(world.wakes).toEqual([]);
  });

  it('checks the token first: the body of a call without a valid one is not parsed', async () => {
    const { call, world } = ingress();
    expect(await call('/x/web', '{"kind": "Admiss')).toEqual(allowed(''));
    expect([...world.counts]).toEqual([['RejectedCalls', 1]]);
  });

  it('reports calls without a valid token once a minute, and raises the alarm when they are many', async () => {
    let now = NOW;
    let alarms = 0;
    const { call, world } = ingress({ now: () => now, raiseAlarm: () => void (alarms += 1) });
    const flood = async (calls: number) => {
      for (let made = 0; made < calls; made += 1) await call('/x/web', review());
    };
    const minute = () => void (now = epochMs(now + 60_000));
    const reported = () => [world.counts.get('RejectedCalls'), world.lines.length, alarms];

    await flood(300);
    expect(reported()).toEqual([1, 1, 0]);
    minute();
    await flood(599);
    expect(reported()).toEqual([301, 2, 0]);
    minute();
    await flood(1);
    expect(reported()).toEqual([900, 3, 0]);
    await flood(599);
    minute();
    await flood(1);
    expect(reported()).toEqual([1_500, 4, 1]);
    expect(world.wakes).toEqual([]);
  });

  const unreadable: readonly {
    readonly name: string;
    readonly body?: string;
    readonly base64?: boolean;
    readonly uid?: string;
  }[] = [
    { name: 'no body' },
    { name: 'something that is not JSON', body: '{"kind": "Admiss' },
    { name: 'base64 of something else', body: '////', base64: true },
    { name: 'JSON that is no review', body: '[]' },
    {
      name: 'a review without uid',
      body: '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}}',
    },
    {
      name: 'a review of a version unknown',
      body: review().replace('admission.k8s.io/v1', 'admission.k8s.io/v1beta1'),
      uid: 'uid-1',
    },
    { name: 'a body that is too large', body: review({ padding: 'x'.repeat(MAX_BODY_BYTES) }), uid: 'uid-1' },
    {
      name: 'a body that is too large once decoded',
      body: Buffer.from(review({ padding: 'x'.repeat(MAX_BODY_BYTES) })).toString('base64'),
      base64: true,
      uid: 'uid-1',
    },
  ];
  it.each(unreadable)(
    'allows $name, reports it, and still sends a wake-up',
    async ({ body, base64 = false, uid = '' }) => {
      const { call, world } = ingress();
      expect(await call(PATH, body, base64)).toEqual(allowed(uid));
      expect(world.wakes).toHaveLength(1);
      expect(world.counts.get('UnreadableReviews')).toBe(1);
    },
  );

  it('reads the review of the largest event that a scheduler writes, as an update', async () => {
    const event = {
      metadata: { name: 'p'.repeat(253), namespace: 'n'.repeat(63), managedFields: [{ fieldsV1: 'f'.repeat(2_048) }] },
      reason: 'FailedScheduling',
      note: 'n'.repeat(1_024),
      regarding: { name: 'p'.repeat(253), namespace: 'n'.repeat(63) },
    };
    const { call, world } = ingress();
    expect(await call(PATH, review({ object: event, oldObject: event }))).toEqual(allowed('uid-1'));
    expect(world.counts.get('UnreadableReviews')).toBeUndefined();
  });

  it('takes a base64 body just under the limit, although its encoding is longer', async () => {
    const body = review({ padding: 'x'.repeat(MAX_BODY_BYTES - 400) });
    const { call } = ingress();
    expect(await call(PATH, Buffer.from(body).toString('base64'), true)).toEqual(allowed('uid-1'));
  });

  describe('called again within a minute', () => {
    /** The wake-ups of these calls, each a second after the one before. */
    const wakesOf = async (...bodies: readonly string[]): Promise<number> => {
      let now: number = NOW;
      const { call, world } = ingress({ now: () => epochMs(now) });
      for (const body of bodies) {
        await call(PATH, body);
        now += 1_000;
      }
      return world.wakes.length;
    };

    it('with the same review wakes once, and answers each call', async () => {
      const { call, world } = ingress();
      for (const _again of [1, 2, 3]) {
        expect(await call(PATH, review())).toEqual(allowed('uid-1'));
      }
      expect(world.wakes).toHaveLength(1);
      expect(world.counts.get('RepeatedCalls')).toBe(2);
    });

    it('with another review wakes again', async () => {
      expect(await wakesOf(review(), review({ uid: 'uid-2' }), review(), review({ uid: 'uid-3' }))).toBe(3);
    });

    it('with what cannot be read wakes once, and for each review that has at least a uid', async () => {
      const other = (uid: string) => review({ uid, padding: 'x'.repeat(MAX_BODY_BYTES) });
      expect(await wakesOf('junk', 'other junk', '', other('a'), other('a'), other('b'))).toBe(3);
    });

    it('wakes once for each minute that it goes on', async () => {
      expect(await wakesOf(...Array.from({ length: 121 }, () => review()))).toBe(3);
    });

    it('wakes after a call that could not, and after a dry run', async () => {
      const world: { fails: boolean; wakes: number } = { fails: true, wakes: 0 };
      const { call } = ingress({
        wake: async () => {
          if (world.fails) {
            throw new Error('queue away');
          }
          world.wakes += 1;
        },
      });
      await call(PATH, review());
      await call(PATH, review({ dryRun: true }));
      world.fails = false;
      await call(PATH, review());
      expect(world.wakes).toBe(1);
    });

    it('without a valid token takes nothing from those that have one', async () => {
      const { call, world } = ingress();
      await call('/x/web', review());
      await call(PATH, review());
      expect(world.wakes).toHaveLength(1);
    });
  });

  it('lets no call in that shows a hash rather than its token', async () => {
    const { call, world } = ingress();
    await call(`/${hashOfToken(TOKEN)}/web`, review());
    expect(world.wakes).toEqual([]);
  });

  it('allows when the queue cannot be reached, and reports it', async () => {
    const { call, world } = ingress({ wake: () => Promise.reject(new Error('queue away')) });
    expect(await call(PATH, review())).toEqual(allowed('uid-1'));
    expect(world.counts.get('FailedWakeUps')).toBe(1);
    expect(world.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  });

  it('never writes a token into the log', async () => {
    const { call, world } = ingress({ knows: (name) => name === clusterName('none') });
    await call(`/${'secret'.repeat(5)}/web`, 'nonsense');
    await call(PATH, 'nonsense');
    expect(JSON.stringify(world.lines)).not.toMatch(/secretsecret|aaaaaa/);
  });
});
