import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { SnapshotStore } from '../../../../core/ports/snapshot-store.ts';
import { s3Snapshots } from '../../../../providers/aws/snapshots/s3-snapshots.ts';
import { type Answer, type Call, startWireServer } from '../wire-server.ts';

beforeEach(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'test');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'test');
});
afterEach(() => vi.unstubAllEnvs());

const never = new AbortController().signal;

async function storeThat(
  answer: (call: Call) => Answer,
): Promise<{ readonly store: SnapshotStore; readonly calls: readonly Call[] }> {
  const { endpoint, calls } = await startWireServer(answer);
  return { store: s3Snapshots({ region: 'eu-central-1', bucket: 'snapshots', prefix: 'lists/web/', endpoint }), calls };
}

const refusal = (status: number, code: string): Answer => ({
  status,
  body: `<?xml version="1.0"?><Error><Code>${code}</Code><Message>because</Message></Error>`,
});

describe('snapshots in S3', () => {
  it('are objects under their prefix', async () => {
    const objects = new Map<string, string>();
    const { store, calls } = await storeThat(({ action, body }) => {
      const [method, url = ''] = action.split(' ');
      const key = url.split('?')[0]!;
      if (method === 'PUT') {
        objects.set(key, body);
        return { status: 200, body: '' };
      }
      return { status: 200, body: objects.get(key) ?? '', headers: { 'content-type': 'application/octet-stream' } };
    });
    await store.save('pods', Buffer.from('the list'), never);
    expect(Buffer.from((await store.load('pods', 8, never))!).toString()).toBe('the list');
    expect(calls.map(({ action }) => action.split('?')[0])).toEqual([
      'PUT /snapshots/lists/web/pods',
      'GET /snapshots/lists/web/pods',
    ]);
    expect(store.placeOf('pods')).toBe('s3://snapshots/lists/web/pods');
  });

  it('that are not there are none', async () => {
    const { store } = await storeThat(() => refusal(404, 'NoSuchKey'));
    expect(await store.load('pods', 100, never)).toBeNull();
  });

  it.each([refusal(403, 'AccessDenied'), refusal(404, 'NoSuchBucket')])(
    'that cannot be read say why: %j',
    async (answer) => {
      const { store } = await storeThat(() => answer);
      await expect(store.load('pods', 100, never)).rejects.toThrow('because');
    },
  );

  it('are not read where they are longer than what is read', async () => {
    const { store } = await storeThat(() => ({ status: 200, body: 'x'.repeat(101) }));
    await expect(store.load('pods', 100, never)).rejects.toThrow('it has 101 bytes, and at most 100 are read');
  });

  it('are not waited for longer than the caller does', async () => {
    const { store } = await storeThat(() => 'hang');
    await expect(store.load('pods', 100, AbortSignal.timeout(50))).rejects.toThrow(/abort/i);
    await expect(store.save('pods', new Uint8Array(), AbortSignal.timeout(50))).rejects.toThrow(/abort/i);
  });
});
