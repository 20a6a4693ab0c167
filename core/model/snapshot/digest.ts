/** How far two streams of 53 bits have come with a text; texts that begin alike are read that far once. */
export type DigestStart = Int32Array;

/** Reads the beginning of a text. */
export function startDigest(text: string): DigestStart {
  const start = new Int32Array(4);
  start.set(SEEDS.flatMap((seed) => [0xdeadbeef ^ seed, 0x41c6ce57 ^ seed]));
  read(start, text);
  return start;
}

const SEEDS = [0x9e3779b9, 0x85ebca6b] as const;

/** 106 bits of a text, in base 36: two FNV-like streams with a final mix. Not for secrets. */
export function digest(start: DigestStart, rest: string): string {
  const streams = start.slice();
  read(streams, rest);
  return `${finish(streams[0]!, streams[1]!)}${finish(streams[2]!, streams[3]!)}`;
}

function read(streams: Int32Array, text: string): void {
  let [high1, low1, high2, low2] = streams as unknown as [number, number, number, number];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    high1 = Math.imul(high1 ^ code, 2_654_435_761);
    low1 = Math.imul(low1 ^ code, 1_597_334_677);
    high2 = Math.imul(high2 ^ code, 2_654_435_761);
    low2 = Math.imul(low2 ^ code, 1_597_334_677);
  }
  streams.set([high1, low1, high2, low2]);
}

/** Five digits in base 36. */
const HALF = 36 ** 5;

function finish(highStream: number, lowStream: number): string {
  let high = highStream;
  let low = lowStream;
  high = Math.imul(high ^ (high >>> 16), 2_246_822_507) ^ Math.imul(low ^ (low >>> 13), 3_266_489_909);
  low = Math.imul(low ^ (low >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  const value = 2 ** 32 * (2_097_151 & low) + (high >>> 0);
  // In two halves, for V8 prints 32 bits many times as fast as a double.
  const rest = value % HALF;
  return `${((value - rest) / HALF).toString(36).padStart(6, '0')}${rest.toString(36).padStart(5, '0')}`;
}
