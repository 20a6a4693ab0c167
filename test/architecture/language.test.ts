import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const FOLDERS = ['core', 'config', 'providers', 'functions', 'runtime', 'cli', 'cdk'];

/** A comment is about the things in the code: it names the function, the pod, the request, or the commit. */
const PERSONS = /\b(?:nobody|somebody|whoever|so many)\b/i;
/** EC2 has instances. A state machine is one of Step Functions, and MachineDeployments are a kind of Cluster API. */
const MACHINE = /(?<!state)machines?(?!deployments)(?=[A-Z_]|\b)/i;
/** Machine is the name of a kind of Cluster API. */
const CLUSTER_API = /cluster-?api/;

/** Words that stand for a thing without naming it. */
const POINTING = new Set(
  'it its they them their those that this these one ones such what which where who whose other others there'.split(' '),
);
const MOST_POINTING = 0.25;
/** Shorter sentences are read at a glance. */
const FEWEST_WORDS = 10;
interface Line {
  readonly code: string;
  readonly comment: string;
}

/** The lines of a source: what is in comments, and the code around them without the content of its strings. */
function linesOf(source: string): readonly Line[] {
  let inComment = false;
  return source.split('\n').map((line) => {
    if (inComment || /^\s*\/\*/.test(line)) {
      inComment = !line.includes('*/');
      return { code: '', comment: line };
    }
    const code = line.replace(/'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`/g, "''");
    const start = code.search(/(?:^|\s)\/\/\s/);
    return start < 0 ? { code, comment: '' } : { code: code.slice(0, start), comment: code.slice(start) };
  });
}

/** `file:line: word` of each match. */
function found(source: string, file: string, part: keyof Line, words: RegExp): readonly string[] {
  return linesOf(source).flatMap((line, index) => {
    const match = words.exec(line[part]);
    return match === null ? [] : [`${file}:${index + 1}: ${match[0]}`];
  });
}

/** The text of each comment, without its marks; code in it is a word. */
const commentsOf = (source: string): readonly string[] =>
  [...source.matchAll(/\/\*\*?([\s\S]*?)\*\/|(?:^[ \t]*\/\/.*\n)+/gm)].map(([whole, block]) =>
    (block ?? whole)
      .replaceAll(/^[ \t]*(?:\*|\/\/) ?/gm, ' ')
      .replaceAll(/@\w+/g, '')
      .replaceAll(/`[^`]*`/g, 'X')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

/** Sentences of comments of which more than a quarter are words that point. */
const pointing = (source: string): readonly string[] =>
  commentsOf(source)
    .flatMap((comment) => comment.split(/(?<=[.:;!?])\s+/))
    .filter((sentence) => {
      const words = sentence.toLowerCase().match(/[a-z']+/g) ?? [];
      return (
        words.length >= FEWEST_WORDS && words.filter((word) => POINTING.has(word)).length > words.length * MOST_POINTING
      );
    });

const inProduct = (part: keyof Line, words: RegExp, exempt?: RegExp): readonly string[] =>
  FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
    .filter((file) => exempt?.test(file) !== true)
    .flatMap((file) => found(readFileSync(join(root, file), 'utf8'), file, part, words));

describe('the language of the product code', () => {
  test('comments are about the things in the code, not about persons', () => {
    expect(inProduct('comment', PERSONS)).toEqual([]);
  });

  test('identifiers say instance, not machine, except for Cluster API', () => {
    expect(inProduct('code', MACHINE, CLUSTER_API)).toEqual([]);
  });
});

test('sentences of comments name the things that they are about', () => {
  const sources = FOLDERS.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  const found = sources.flatMap((file) =>
    pointing(readFileSync(join(root, file), 'utf8')).map((sentence) => `${file}: ${sentence}`),
  );
  expect(found).toEqual([]);
});

describe('the check', () => {
  const source = [
    '/** Nobody holds it. */',
    "const a = 'nobody'; // so many pods",
    '/**',
    ' * Whoever commits.',
    ' */',
    'const machinesOf = stateMachine;',
  ].join('\n');

  test('finds the words in comments of each form, with their lines', () => {
    expect(found(source, 'a.ts', 'comment', PERSONS)).toEqual(['a.ts:1: Nobody', 'a.ts:2: so many', 'a.ts:4: Whoever']);
  });

  test('finds sentences that name nothing, in comments of each form', () => {
    const sentence = 'One that has those of the others is what it is for them.';
    expect(pointing(`/** Pods wait. ${sentence} */\nconst a = '${sentence}';\n`)).toEqual([sentence]);
    expect(pointing(`// ${sentence}\nconst a = 1;\n`)).toEqual([sentence]);
    expect(pointing('/** The pods of a node that is being removed get their places on other nodes. */')).toEqual([]);
  });

  test('finds machines in identifiers, but not the state machine', () => {
    expect(found(source, 'a.ts', 'code', MACHINE)).toEqual(['a.ts:6: machines']);
  });
});
