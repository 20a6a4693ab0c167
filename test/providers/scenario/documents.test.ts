import { describe, expect, it } from 'vitest';
import { parseDocuments, printYaml } from '../../../providers/scenario/documents.ts';

const values = (text: string): unknown[] =>
  parseDocuments(text).map(({ content }) => (content.kind === 'value' ? content.value : content.errors));

describe('a file', () => {
  it.each([
    ['one YAML document', 'a: 1', [{ a: 1 }]],
    ['several', 'a: 1\n---\nb: 2\n', [{ a: 1 }, { b: 2 }]],
    ['several, the first after a marker', '---\na: 1\n---\nb: 2\n...\n', [{ a: 1 }, { b: 2 }]],
    ['empty documents between them', '---\n---\na: 1\n---\n# nothing\n---\nb: 2', [{ a: 1 }, { b: 2 }]],
    ['merged maps', 'base: &b {x: 1}\nmore: {<<: *b, y: 2}', [{ base: { x: 1 }, more: { x: 1, y: 2 } }]],
    ['times, which stay strings', 'now: 2026-01-01T12:00:00Z', [{ now: '2026-01-01T12:00:00Z' }]],
    ['one JSON object', '{"a": 1}', [{ a: 1 }]],
    ['one JSON object on several lines', '\n{\n "a":\n 1}\n', [{ a: 1 }]],
    ['one JSON object per line', '{"a":1}\n\n{"b":2}\r\n', [{ a: 1 }, { b: 2 }]],
    ['a JSON object and YAML', '{"a": 1}\n---\nb: 2', [{ a: 1 }, { b: 2 }]],
    ['a map in one line of YAML', '{a: 1}', [{ a: 1 }]],
    ['nothing', '', []],
    ['nothing but a comment', '# nothing\n', []],
    ['nothing but markers', '---\n---\n', []],
  ])('of %s', (_what, text, expected) => {
    expect(values(text)).toEqual(expected);
  });

  it('counts its documents from 1, those left out that hold nothing', () => {
    expect(parseDocuments('---\n---\na: 1\n---\nb: 2').map(({ number }) => number)).toEqual([1, 2]);
  });

  it('with a malformed document gives the others all the same', () => {
    expect(values('a: 1\n---\nb: [\n---\nc: 3')).toEqual([
      { a: 1 },
      [expect.objectContaining({ message: expect.any(String) as string })],
      { c: 3 },
    ]);
  });

  it.each([
    ['a tab for an indent', 'a:\n\tb: 1', 2],
    ['a field given twice', 'a: 1\nb: 2\na: 3', 3],
    ['a string that never ends', 'a: 1\nb: "x', 2],
    ['a line of JSON that is cut off', '{"a":1}\n{"b":', 2],
  ])('gives the line of %s', (_what, text, line) => {
    expect(values(text).flat()).toContainEqual({ line, message: expect.any(String) as string });
  });

  it('that is made to expand without end is refused at once', () => {
    const levels = ['a: &a [x, x, x, x, x, x, x, x, x, x]'];
    for (const [below, above] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh', 'hi']) {
      levels.push(`${above}: &${above} [${Array.from({ length: 10 }, () => `*${below}`).join(', ')}]`);
    }
    expect(values(levels.join('\n'))).toEqual([
      [{ line: 1, message: expect.stringContaining('more than 10000 aliases') as string }],
    ]);
  });

  it('may use one anchor for all nodes of a large cluster', () => {
    const text = `node: &n {cpu: 4}\nall:\n${'- *n\n'.repeat(5_000)}`;
    expect(values(text)).toMatchObject([{ node: { cpu: 4 } }]);
  });

  it('with thousands of aliases is refused before each is looked up in it', () => {
    const text = `a: [&a x${', *a'.repeat(5_001)}]`;
    expect(parseDocuments(text)).toEqual([
      {
        number: 1,
        content: { kind: 'malformed', errors: [{ line: 1, message: 'the document has more than 5000 aliases' }] },
      },
    ]);
  });

  it('with an alias of nothing is refused', () => {
    expect(values('a: *b')).toEqual([
      [{ line: expect.any(Number) as number, message: expect.stringContaining('b') as string }],
    ]);
  });

  it.each(['[', '{"a":', '- '])('that nests %s without end is refused', (opening) => {
    const expected = { line: expect.any(Number) as number, message: 'the document is nested too deeply' };
    expect(values(opening.repeat(20_000))).toEqual([[expected]]);
  });

  it.each([
    ['nodeGroups[1].name', 6],
    ['nodeGroups[1].maxSize', 6],
    ['nodeGroups[0].options["a.b"]', 4],
    ['nodeGroups[7]', 3],
    ['seed', 1],
    ['', 1],
  ])('finds the line of %s', (place, line) => {
    const text = 'kind: Scenario\nnodeGroups:\n- name: a\n  options: {"a.b": 1}\n\n- name: b\n';
    const [{ content }] = parseDocuments(text) as [ReturnType<typeof parseDocuments>[number]];
    expect(content.kind === 'value' && content.lineOf(place)).toBe(line);
  });
});

describe('YAML', () => {
  it('is printed with small things on one line, and large ones not', () => {
    const text = printYaml({
      kind: 'Decision',
      scaleUp: {
        increases: [{ group: 'a', from: 1, to: 2 }],
        considered: Array.from({ length: 3 }, (_, index) => ({ winner: `group-${index}`, why: 'x'.repeat(40) })),
      },
    });
    expect(text).toBe(`kind: Decision
scaleUp:
  increases: [{group: a, from: 1, to: 2}]
  considered:
    - {winner: group-0, why: ${'x'.repeat(40)}}
    - {winner: group-1, why: ${'x'.repeat(40)}}
    - {winner: group-2, why: ${'x'.repeat(40)}}
`);
  });

  it.each(['2026-01-01T12:00:00Z', 'yes', '007', '1e3', 'null', '~', '', '0x10', '1:30', 'no', '<<'])(
    'quotes %j, which some reader takes for something else than a string',
    (value) => {
      expect(printYaml({ value })).toMatch(/^value: ["']/);
    },
  );
});
