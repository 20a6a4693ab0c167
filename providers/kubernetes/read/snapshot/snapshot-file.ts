import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import zlib, { constants } from 'node:zlib';
import * as z from 'zod';
import type { SnapshotUse } from '@outrigger/core/model/snapshot-use.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { type ListEntry, pageOfEntries, type ListView, viewOf } from '../view/entries.ts';
import { readEntries, writeEntries } from './entry-columns.ts';

// Looked up when they are called: Node 20 does not have them, and snapshots are for functions alone.
const compress = (bytes: Uint8Array, options: zlib.ZstdOptions): Promise<Buffer> =>
  promisify(zlib.zstdCompress)(bytes, options);
const expand = (bytes: Uint8Array, options: zlib.ZstdOptions): Promise<Buffer> =>
  promisify(zlib.zstdDecompress)(bytes, options);

/** Written at the beginning; another number is another arrangement of what follows. */
const FORMAT = 1;
/** Compressed: that of 150 000 pods has 4 to 15 MB. */
export const MOST_BYTES = 64 * 1024 * 1024;
/** Limit on the expanded snapshot: some 1 000 000 pods, and below the length of V8's longest string. */
const MOST_EXPANDED_BYTES = 256 * 1024 * 1024;
/** A header has a few hundred bytes. */
const MOST_HEADER_BYTES = 4_096;

/** The identity of a list, and the code that made it: a snapshot is read if all fields are the same. */
export interface SnapshotOf {
  /** The way in which objects are read (`projection.ts`). */
  readonly projection: string;
  readonly cluster: string;
  /** UID of the namespace kube-system: a cluster that was created again under its name has another. */
  readonly clusterUid: string;
  readonly resource: string;
  readonly query: Readonly<Record<string, string>>;
}

export interface StoredList {
  readonly view: ListView;
  /** Number of times that the list was watched since it was read in full. */
  readonly watched: number;
}

const count = z.int().min(0);
const HEADER = z.strictObject({
  projection: z.string(),
  cluster: z.string(),
  clusterUid: z.string(),
  resource: z.string(),
  query: z.record(z.string(), z.string()),
  resourceVersion: z.int().min(1),
  objects: count,
  watched: count,
  /** In milliseconds since 1970. */
  writtenAt: z.int(),
  expandedBytes: count.max(MOST_EXPANDED_BYTES),
});
type Header = z.infer<typeof HEADER>;

/**
 * A list as bytes: a line with the format and the SHA-256 of what follows, a line of JSON that says what it is, and its objects,
 * compressed with zstd.
 *
 * @throws Error where it would be too large to be read
 */
export async function writeSnapshot(
  of: SnapshotOf,
  { view, watched }: StoredList,
  writtenAt: number,
): Promise<Uint8Array> {
  const { entries, resourceVersion } = view;
  const expanded = Buffer.from(writeEntries(entries));
  if (expanded.length > MOST_EXPANDED_BYTES) {
    throw new Error(`it would have ${expanded.length} bytes, and at most ${MOST_EXPANDED_BYTES} are read`);
  }
  const body = await compress(expanded, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });
  const header: Header = {
    ...of,
    resourceVersion,
    objects: entries.length,
    watched,
    writtenAt,
    expandedBytes: expanded.length,
  };
  const checked = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), body]);
  return Buffer.concat([Buffer.from(`${firstLine(FORMAT, checked)}\n`), checked]);
}

const firstLine = (format: number, checked: Buffer): string =>
  `outrigger snapshot ${format} ${hash('sha256', checked, 'hex')}`;

export type ReadSnapshot =
  | { readonly kind: 'read'; readonly list: StoredList; readonly writtenAt: number }
  /** As it was made by another version, or is too old: usual. */
  | { readonly kind: 'outdated'; readonly use: SnapshotUse }
  /** As nothing explains but damage, or a bucket that others write to. */
  | { readonly kind: 'wrong'; readonly use: SnapshotUse; readonly why: string };

const wrong = (why: string, use: SnapshotUse = 'Damaged'): ReadSnapshot => ({ kind: 'wrong', use, why });
const outdated = (use: SnapshotUse): ReadSnapshot => ({ kind: 'outdated', use });

/**
 * Reads a list. Whatever the bytes are, no more memory is taken than what the largest snapshot takes.
 *
 * @param oldest when it must have been written at the earliest, and @param newest at the latest
 */
export async function readSnapshot(
  bytes: Uint8Array,
  of: SnapshotOf,
  oldest: number,
  newest: number,
): Promise<ReadSnapshot> {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const lineEnd = buffer.subarray(0, MOST_HEADER_BYTES).indexOf('\n');
  const [, format] = /^outrigger snapshot (\d{1,9}) [0-9a-f]{64}$/.exec(buffer.toString('latin1', 0, lineEnd)) ?? [];
  if (lineEnd < 0 || format === undefined) {
    return wrong('it is none');
  }
  if (Number(format) !== FORMAT) {
    return outdated('OtherVersion');
  }
  const checked = buffer.subarray(lineEnd + 1);
  if (buffer.toString('latin1', 0, lineEnd) !== firstLine(FORMAT, checked)) {
    return wrong('its checksum is another one');
  }
  const headerEnd = checked.subarray(0, MOST_HEADER_BYTES).indexOf('\n');
  const header = headerIn(checked, headerEnd);
  if (header === null) {
    return wrong('its header cannot be read');
  }
  const other = differenceOf(header, of);
  if (other !== null) {
    return other;
  }
  if (header.writtenAt < oldest) {
    return outdated('TooOld');
  }
  if (header.writtenAt > newest) {
    return wrong('it was written in the future');
  }
  const view = await viewIn(checked.subarray(headerEnd + 1), header);
  if (typeof view === 'string') {
    return wrong(view);
  }
  return { kind: 'read', list: { view, watched: header.watched }, writtenAt: header.writtenAt };
}

function headerIn(checked: Buffer, end: number): Header | null {
  if (end < 0) {
    return null;
  }
  try {
    return HEADER.parse(JSON.parse(checked.toString('utf8', 0, end)));
  } catch {
    return null;
  }
}

/** How it is not the list that is wanted; `null`: it is. */
function differenceOf(header: Header, of: SnapshotOf): ReadSnapshot | null {
  if (header.projection !== of.projection) {
    return outdated('OtherVersion');
  }
  if (header.cluster !== of.cluster || header.clusterUid !== of.clusterUid) {
    return wrong(`it is of another cluster (${header.cluster}, UID ${header.clusterUid})`, 'OtherCluster');
  }
  if (header.resource !== of.resource || JSON.stringify(header.query) !== JSON.stringify(of.query)) {
    return wrong(`it is a list of ${header.resource}`);
  }
  return null;
}

/** The list in a body; or what is wrong with it. */
async function viewIn(body: Buffer, header: Header): Promise<ListView | string> {
  try {
    const expanded = await expand(body, { maxOutputLength: header.expandedBytes });
    if (expanded.length !== header.expandedBytes) {
      return `it has ${expanded.length} bytes instead of ${header.expandedBytes}`;
    }
    const entries: readonly ListEntry[] = readEntries(expanded.toString('utf8'));
    if (entries.length !== header.objects) {
      return `it has ${entries.length} objects instead of ${header.objects}`;
    }
    return viewOf(entries, pageOfEntries(entries), header.resourceVersion) ?? 'its objects are not in order';
  } catch (error) {
    return `it cannot be read: ${messageOf(error)}`;
  }
}
