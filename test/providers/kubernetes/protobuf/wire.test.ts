import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { openEnvelope } from '../../../../providers/kubernetes/protobuf/envelope.ts';
import { splitList } from '../../../../providers/kubernetes/protobuf/list.ts';
import {
  decodeMessage,
  int,
  listField,
  message as table,
  text,
  textList,
  timeField,
} from '../../../../providers/kubernetes/protobuf/message.ts';
import { WireError, cursorOver, readVarint, skip } from '../../../../providers/kubernetes/protobuf/wire.ts';
import { type FieldValue, envelope, listOf, message } from '../wire-encoder.ts';
import { cases } from '../../../cases.ts';

const ITEM = table({ name: text(1), size: int(2), tags: textList(5), parts: listField(3, table({ name: text(1) })) });

const decode = (...fields: readonly FieldValue[]) => decodeMessage(ITEM, cursorOver(message(...fields)));

const namesIn = (bytes: Buffer): readonly unknown[] =>
  splitList(bytes, 'Pod').items.map((item) => decodeMessage(ITEM, item)['name']);

/** The result of a function, or the error that it throws. */
function attempt(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    return error;
  }
}

describe('varints', () => {
  it.each([0, 1, 127, 128, 300, 2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 35, 2 ** 53 - 1, -1, -300, -(2 ** 31)])(
    '%i',
    (value) => {
      expect(decode([2, value])).toEqual({ size: value });
    },
  );

  it('are exact for every safe integer', () => {
    fc.assert(
      fc.property(fc.maxSafeInteger(), (value) => {
        expect(decode([2, value])['size']).toBe(value);
      }),
    );
  });

  it.each([
    ['cut short', Buffer.from([0x80, 0x80])],
    ['longer than ten bytes', Buffer.alloc(11, 0x80)],
    ['missing', Buffer.alloc(0)],
  ])('%s are no numbers', (_, bytes) => {
    expect(() => readVarint(cursorOver(bytes))).toThrow(WireError);
  });
});

describe('messages', () => {
  it('leave out fields that are not read, whatever their type', () => {
    const fixed = Buffer.concat([
      Buffer.from([(9 << 3) | 1]),
      Buffer.alloc(8),
      Buffer.from([(10 << 3) | 5]),
      Buffer.alloc(4),
    ]);
    const bytes = Buffer.concat([message([7, 'x'], [1, 'a'], [8, 3]), fixed, message([2, 4])]);
    expect(decodeMessage(ITEM, cursorOver(bytes))).toEqual({ name: 'a', size: 4 });
  });

  it('keep lists in order, and empty entries in them', () => {
    expect(decode([5, 'b'], [5, ''], [3, message([1, 'p'])], [3, message()], [5, 'a'])).toEqual({
      tags: ['b', '', 'a'],
      parts: [{ name: 'p' }, {}],
    });
  });

  it('leave out empty strings, as JSON does', () => {
    expect(decode([1, ''])).toEqual({});
  });

  it('refuse a field of another type', () => {
    expect(() => decode([1, 5])).toThrow('name has wire type 0');
  });

  it.each([3, 4, 6, 7])('refuse wire type %i', (wireType) => {
    expect(() => skip(cursorOver(Buffer.from([0])), wireType)).toThrow(`wire type ${wireType} is not known`);
  });

  it('never take a cut for the whole', () => {
    const whole = listOf('v1', 'Pod', [message([1, 'a']), message([1, 'b'], [2, 300])], 'token');
    expect(namesIn(whole)).toEqual(['a', 'b']);
    for (let length = 0; length < whole.length; length++) {
      const outcome = attempt(() => namesIn(whole.subarray(0, length)));
      // Only the empty fields after the list can be missing without loss.
      expect(outcome instanceof WireError ? ['a', 'b'] : outcome).toEqual(['a', 'b']);
    }
    expect(attempt(() => namesIn(whole.subarray(0, -10)))).toBeInstanceOf(WireError);
  });

  it('end in an error, not in a crash, when the bytes are noise', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (noise) => {
        const outcome = attempt(() => decodeMessage(ITEM, cursorOver(Buffer.from(noise))));
        expect(outcome instanceof Error ? outcome.name : 'WireError').toBe('WireError');
      }),
      { numRuns: cases(2_000) },
    );
  });
});

describe('envelopes', () => {
  it('say what they hold', () => {
    const { kind, content } = openEnvelope(envelope('v1', 'Node', message([1, 'n'])));
    expect(kind).toBe('Node');
    expect(decodeMessage(ITEM, content)).toEqual({ name: 'n' });
  });

  it.each([
    ['without magic', Buffer.from('{"kind":"PodList"}'), 'magic bytes'],
    ['of nothing', Buffer.from('k8s\0'), 'holds no object'],
    ['with an encoding of its own', Buffer.concat([Buffer.from('k8s\0'), message([2, ''], [3, 'gzip'])]), '"gzip"'],
  ])('%s are refused', (_, bytes, problem) => {
    expect(() => openEnvelope(bytes)).toThrow(problem);
  });

  it('of another list are refused', () => {
    expect(() => splitList(listOf('v1', 'Node', []), 'Pod')).toThrow('expected a PodList, found "NodeList"');
  });
});

describe('times', () => {
  const OBJECT = table({ at: timeField(1) });
  const read = (seconds: number) => decodeMessage(OBJECT, cursorOver(message([1, message([1, seconds])])));

  it('are written as in JSON', () => {
    expect(read(1_767_268_800)).toEqual({ at: '2026-01-01T12:00:00Z' });
  });

  it.each([253_402_300_800, -62_167_219_201, Number.MAX_SAFE_INTEGER])(
    '%i seconds from 1970 are no time',
    (seconds) => {
      expect(() => read(seconds)).toThrow(WireError);
    },
  );
});
