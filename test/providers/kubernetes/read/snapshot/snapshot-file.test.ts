import { hash } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { POD_LISTS } from '../../../../../providers/kubernetes/read/kinds.ts';
import {
  readSnapshot,
  type SnapshotOf,
  writeSnapshot,
} from '../../../../../providers/kubernetes/read/snapshot/snapshot-file.ts';
import { pageOfEntries, viewOf } from '../../../../../providers/kubernetes/read/view/entries.ts';
import { entryReader } from '../../../../../providers/kubernetes/read/view/entry-reader.ts';

const OF: SnapshotOf = {
  projection: 'p',
  cluster: 'web',
  clusterUid: 'uid',
  resource: 'pods',
  query: { fieldSelector: 'status.phase!=Failed' },
};
const WRITTEN = 1_000_000;

const reader = entryReader(POD_LISTS);
const entries = ['a', 'b', 'c'].map((name) =>
  reader.entry({ type: 'ADDED', object: { json: { metadata: { name, namespace: 'x' }, spec: { containers: [] } } } }),
);
const list = { view: viewOf(entries, pageOfEntries(entries), 1234)!, watched: 17 };
const written = await writeSnapshot(OF, list, WRITTEN);

const read = (bytes: Uint8Array, of: SnapshotOf = OF, oldest = 0, newest = WRITTEN) =>
  readSnapshot(bytes, of, oldest, newest);

/** A snapshot with other contents, whose checksum is right. */
function forged(header: object, body: Uint8Array): Uint8Array {
  const checked = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
  return Buffer.concat([Buffer.from(`outrigger snapshot 1 ${hash('sha256', checked, 'hex')}\n`), checked]);
}

const [, headerLine = ''] = Buffer.from(written).toString('latin1').split('\n');
const header = JSON.parse(headerLine) as Readonly<Record<string, unknown>>;
const bodyOf = (text: string) => ({
  body: zstdCompressSync(Buffer.from(text)),
  expandedBytes: Buffer.byteLength(text),
});

function forgedWith(text: string): Uint8Array {
  const { body, expandedBytes } = bodyOf(text);
  return forged({ ...header, expandedBytes }, body);
}

describe('a snapshot', () => {
  it('is the list that was written', async () => {
    expect(await read(written)).toEqual({ kind: 'read', list, writtenAt: WRITTEN });
  });

  it.each(Object.keys(OF).filter((name) => name !== 'projection' && name !== 'query'))(
    'is not read where its %s is another one',
    async (name) => {
      expect(await read(written, { ...OF, [name]: 'other' })).toMatchObject({ kind: 'wrong' });
    },
  );

  it('is not read where it selects other objects', async () => {
    expect(await read(written, { ...OF, query: {} })).toMatchObject({ kind: 'wrong' });
  });

  it('of another projection or format is usual, and not read', async () => {
    const other = Buffer.from(Buffer.from(written).toString('latin1').replace('snapshot 1', 'snapshot 2'), 'latin1');
    expect(await read(written, { ...OF, projection: 'q' })).toMatchObject({ kind: 'outdated' });
    expect(await read(other)).toEqual({ kind: 'outdated', use: 'OtherVersion' });
  });

  it('is read within its time only', async () => {
    expect(await read(written, OF, WRITTEN)).toMatchObject({ kind: 'read' });
    expect(await read(written, OF, WRITTEN + 1)).toMatchObject({ kind: 'outdated', use: 'TooOld' });
    expect(await read(written, OF, 0, WRITTEN - 1)).toMatchObject({ kind: 'wrong' });
  });

  it('with any byte changed, or cut anywhere, is not read', async () => {
    for (let at = 0; at < written.length; at += 1) {
      const changed = Uint8Array.from(written);
      changed[at]! ^= 1;
      expect((await read(changed)).kind, `byte ${at}`).not.toBe('read');
      expect((await read(written.subarray(0, at))).kind, `${at} bytes`).not.toBe('read');
    }
    expect((await read(Buffer.concat([written, Buffer.from('x')]))).kind).not.toBe('read');
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['another file', Buffer.from('<?xml version="1.0"?>\n<Error/>')],
    ['a long first line', Buffer.alloc(100_000, 'a')],
    ['a long header', forged({ ...header, cluster: 'x'.repeat(10_000) }, Buffer.alloc(0))],
    ['a header of something else', forged({ ...header, more: true }, Buffer.alloc(0))],
    ['a version that is none', forged({ ...header, resourceVersion: 0 }, Buffer.alloc(0))],
    ['no contents', forged(header, Buffer.alloc(0))],
    ['contents that are not compressed', forged(header, Buffer.from('{"blocks":[],"shared":[]}'))],
    ['other contents', forgedWith('null')],
    ['fewer objects', forgedWith('{"blocks":[],"shared":[]}')],
    ['more bytes than are allowed', forged({ ...header, expandedBytes: 2 ** 40 }, Buffer.alloc(0))],
  ])('that is %s is wrong, and says so', async (_, bytes) => {
    expect(await read(bytes)).toMatchObject({ kind: 'wrong', why: expect.stringMatching(/./) as string });
  });

  it('whose objects are out of order, or there twice, is wrong', async () => {
    for (const order of [
      [1, 0, 2],
      [0, 1, 1],
    ]) {
      const view = { ...list.view, entries: order.map((at) => entries[at]!) };
      expect(await read(await writeSnapshot(OF, { ...list, view }, WRITTEN))).toEqual({
        kind: 'wrong',
        use: 'Damaged',
        why: 'its objects are not in order',
      });
    }
  });

  it('is expanded no further than it says: a bomb takes no memory', async () => {
    const bomb = zstdCompressSync(Buffer.alloc(200 * 1024 * 1024));
    expect(bomb.length).toBeLessThan(100_000);
    const before = process.memoryUsage().arrayBuffers;
    expect(await read(forged({ ...header, expandedBytes: 1_000 }, bomb))).toMatchObject({ kind: 'wrong' });
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20 * 1024 * 1024);
  });
});
