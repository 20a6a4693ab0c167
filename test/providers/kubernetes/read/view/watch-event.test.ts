import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROTOBUF } from '../../../../../providers/kubernetes/protobuf/envelope.ts';
import { eventSplitter, type WatchEvent } from '../../../../../providers/kubernetes/read/view/watch-event.ts';
import { message } from '../../wire-encoder.ts';

const framed = (...bytes: readonly Buffer[]): Buffer =>
  Buffer.concat(
    bytes.flatMap((each) => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(each.length);
      return [length, each];
    }),
  );
const event = (type: string, raw: string): Buffer => message([1, type], [2, message([1, raw])]);
const IN_PROTOBUF = framed(event('ADDED', 'one'), event('BOOKMARK', ''), event('DELETED', 'x'.repeat(300)));
const IN_JSON = Buffer.from('{"type":"ADDED","object":{"a":1}}\n\n{"type":"DELETED","object":"é"}\n');

/** The events of a watch whose bytes come in chunks of these sizes. */
function splitIn(bytes: Buffer, contentType: string, sizes: readonly number[]): readonly WatchEvent[] {
  const split = eventSplitter(1_000);
  const events: WatchEvent[] = [];
  let at = 0;
  for (const size of [...sizes, bytes.length]) {
    events.push(...split(bytes.subarray(at, at + size), contentType));
    at += size;
  }
  return events;
}

describe('the events of a watch', () => {
  it.each([
    [
      PROTOBUF,
      IN_PROTOBUF,
      [
        { type: 'ADDED', object: { protobuf: Buffer.from('one') } },
        { type: 'BOOKMARK', object: { protobuf: Buffer.from('') } },
        { type: 'DELETED', object: { protobuf: Buffer.from('x'.repeat(300)) } },
      ],
    ],
    [
      'application/json',
      IN_JSON,
      [
        { type: 'ADDED', object: { json: { a: 1 } } },
        { type: 'DELETED', object: { json: 'é' } },
      ],
    ],
  ])('in %s are the same, however their bytes come', (contentType, bytes, events) => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 20 }), (sizes) => {
        expect(splitIn(bytes, contentType, sizes)).toEqual(events);
      }),
    );
  });

  it('are read in spite of fields that a later version may add', () => {
    const later = message([3, 'more'], [1, 'ADDED'], [4, 7], [2, message([1, 'one'], [5, 'more'])]);
    expect(splitIn(framed(later), PROTOBUF, [])).toEqual([{ type: 'ADDED', object: { protobuf: Buffer.from('one') } }]);
  });

  it.each([
    ['an event that is too large', PROTOBUF, framed(Buffer.alloc(1_001)), 'an event has 1001 bytes'],
    ['a line that is too large', 'application/json', Buffer.from('x'.repeat(1_001)), 'an event is too large'],
    ['an event without an object', PROTOBUF, framed(message([1, 'ADDED'])), 'has no object'],
    ['an event without a type', 'application/json', Buffer.from('{"object":{}}\n'), 'has no type'],
    ['a page of a proxy', 'text/html', Buffer.from('<html>'), 'the content type of a watch is "text/html"'],
  ])('do not begin with %s', (_what, contentType, bytes, message) => {
    expect(() => splitIn(bytes, contentType, [])).toThrow(message);
  });
});
