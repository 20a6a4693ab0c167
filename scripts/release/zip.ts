import { crc32, deflateRawSync } from 'node:zlib';

/** Midnight of 1 January 1980, the first time of the format: the same file makes the same bytes, whenever it was written. */
const DATE = 0x21;

/** `-rw-r--r--`: Lambda reads the code as another user. */
const MODE = 0o100_644;

/** Makes a ZIP archive of files, in the order of their names (PKWARE's APPNOTE, 4.3). */
export function zipOf(files: Readonly<Record<string, Uint8Array>>): Buffer {
  const entries = Object.entries(files)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, data]) => ({ name: Buffer.from(name), data, packed: deflateRawSync(data, { level: 9 }) }));
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, data, packed } of entries) {
    // Version 2.0, names in UTF-8, deflated; then the time, and the sizes.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(0x800, 2);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt16LE(DATE, 8);
    shared.writeUInt32LE(crc32(data), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(data.length, 18);
    shared.writeUInt16LE(name.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(MODE * 0x1_0000, 6);
    rest.writeUInt32LE(offset, 10);
    const local = Buffer.concat([Buffer.from('PK\u0003\u0004'), shared, name, packed]);
    // Made on Unix, whose modes the external attributes are.
    central.push(Buffer.from('PK\u0001\u0002'), Buffer.from([20, 3]), shared, rest, name);
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\u0005\u0006'), end]);
}
