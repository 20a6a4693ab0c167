import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { CONFIG_MAPS, NODES, OTHERS, POD_LISTS } from '../../../../providers/kubernetes/read/kinds.ts';
import { pageReader } from '../../../../providers/kubernetes/read/page.ts';
import { PROTOBUF, openEnvelope } from '../../../../providers/kubernetes/protobuf/envelope.ts';
import {
  type Cursor,
  cursorOver,
  readLength,
  readVarint,
  skip,
} from '../../../../providers/kubernetes/protobuf/wire.ts';
import { envelope, map, message, time } from '../wire-encoder.ts';

const recorded = (file: string): Buffer => readFileSync(new URL(`../recorded/${file}`, import.meta.url));

const answer = (contentType: string, body: Buffer) => ({ status: 200, headers: {}, contentType, body });

/** The message at the cursor with one length-delimited field changed. */
function replaced(cursor: Cursor, number: number, change: (value: Cursor) => Buffer): Buffer {
  const parts: Buffer[] = [];
  while (cursor.position < cursor.end) {
    const before = cursor.position;
    const tag = readVarint(cursor);
    if (tag >>> 3 === number) {
      const end = readLength(cursor);
      parts.push(message([number, change(cursorOver(cursor.bytes, cursor.position, end))]));
      cursor.position = end;
    } else {
      skip(cursor, tag & 7);
      parts.push(cursor.bytes.subarray(before, cursor.position));
    }
  }
  return Buffer.concat(parts);
}

describe('objects with every field set', () => {
  it.each([NODES, CONFIG_MAPS, ...OTHERS])('$kind: protobuf says what JSON says', (kind) => {
    const file = `${kind.resource.group || 'core'}.v1.${kind.kind}`;
    const fromJson = pageReader(kind).single(answer('application/json', recorded(`${file}.json`)));
    const fromProtobuf = pageReader(kind).single(answer(PROTOBUF, recorded(`${file}.pb`)));
    expect(fromJson.rejected).toEqual([]);
    expect(fromJson.items).toHaveLength(1);
    expect(fromProtobuf).toEqual(fromJson);
  });

  it('PodDisruptionBudget: the time of an eviction comes through', () => {
    const budget = message(
      [1, message([1, 'web'], [3, 'default'], [7, 2])],
      [3, message([1, 2], ...map(2, { 'web-1': time('2026-01-01T12:00:00Z'), 'web-2': message() }))],
    );
    const kind = OTHERS.find((one) => one.kind === 'PodDisruptionBudget')!;
    expect(
      pageReader(kind).single(answer(PROTOBUF, envelope('policy/v1', 'PodDisruptionBudget', budget))),
    ).toMatchObject({
      items: [
        {
          disruptedPods: { 'web-1': Date.parse('2026-01-01T12:00:00Z'), 'web-2': null },
          generation: 2,
          observedGeneration: 2,
        },
      ],
      rejected: [],
    });
  });

  it('Pod: protobuf says what JSON says', () => {
    // The recorded phase is "phaseValue", which no server sends.
    const inJson = Buffer.from(recorded('core.v1.Pod.json').toString('utf8').replace('phaseValue', 'Running'));
    const pod = openEnvelope(recorded('core.v1.Pod.pb')).content;
    const inProtobuf = replaced(pod, 3, (status) => replaced(status, 1, () => Buffer.from('Running')));
    const fromJson = pageReader(POD_LISTS).single(answer('application/json', inJson));
    expect(fromJson.rejected).toEqual([]);
    expect(fromJson.items).toMatchObject([
      { name: 'nameValue', phase: 'Running', spec: { schedulerName: 'schedulerNameValue' } },
    ]);
    expect(pageReader(POD_LISTS).single(answer(PROTOBUF, envelope('v1', 'Pod', inProtobuf)))).toEqual(fromJson);
  });

  it('Pod: an unknown phase is reported in the same words', () => {
    const fromJson = pageReader(POD_LISTS).single(answer('application/json', recorded('core.v1.Pod.json')));
    const fromProtobuf = pageReader(POD_LISTS).single(answer(PROTOBUF, recorded('core.v1.Pod.pb')));
    expect(fromProtobuf).toEqual(fromJson);
    expect(fromProtobuf.rejected).toEqual([
      {
        place: 'Pod namespaceValue/nameValue: status.phase',
        expected: 'one of Pending, Running, Succeeded, Failed, Unknown',
        found: '"phaseValue"',
        excludes: { node: 'nodeNameValue', reason: 'UnreadablePod' },
      },
    ]);
  });
});
