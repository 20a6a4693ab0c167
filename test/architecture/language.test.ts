import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commentsOf, type Line, linesOf, pointingSentencesOf } from '../../scripts/measure/comments.ts';
import { PRODUCT } from '../../scripts/measure/product.ts';

const root = join(import.meta.dirname, '../..');

/** A comment is about the things in the code: it names the function, the pod, the request, or the commit. */
const PERSONS = /\b(?:nobody|somebody|whoever|so many)\b/i;
/** EC2 has instances. A state machine is one of Step Functions, and MachineDeployments are a kind of Cluster API. */
const MACHINE = /(?<!state)machines?(?!deployments)(?=[A-Z_]|\b)/i;
/** Machine is the name of a kind of Cluster API. */
const CLUSTER_API = /cluster-?api/;

/** `file:line: word` of each match. */
function found(source: string, file: string, part: keyof Line, words: RegExp): readonly string[] {
  return linesOf(source).flatMap((line, index) => {
    const match = words.exec(line[part]);
    return match === null ? [] : [`${file}:${index + 1}: ${match[0]}`];
  });
}

/** Comments whose first word stands for the subject. */
const withoutSubject = (source: string): readonly string[] =>
  commentsOf(source).filter((comment) => /^(?:What|Those|Of|One|Where)\b/.test(comment));

const inProduct = (part: keyof Line, words: RegExp, exempt?: RegExp): readonly string[] =>
  PRODUCT.flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }))
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

describe('the language of comments', () => {
  const sources = [...PRODUCT, 'scripts', 'test'].flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  const inAll = (files: readonly string[], find: (source: string) => readonly string[]): readonly string[] =>
    files.flatMap((file) => find(readFileSync(join(root, file), 'utf8')).map((sentence) => `${file}: ${sentence}`));

  test('sentences name the things that they are about', () => {
    expect(inAll(sources, pointingSentencesOf)).toEqual([]);
  });

  test('comments begin with their subject or their verb', () => {
    const others = sources.filter((file) => file !== 'test/architecture/language.test.ts');
    expect(inAll(others, withoutSubject)).toEqual([]);
  });
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
    expect(pointingSentencesOf(`/** Pods wait. ${sentence} */\nconst a = '${sentence}';\n`)).toEqual([sentence]);
    expect(pointingSentencesOf(`// ${sentence}\nconst a = 1;\n`)).toEqual([sentence]);
    expect(
      pointingSentencesOf(`/**\n * Pods wait. One that has those of the others is\n * what it is for them.\n */\n`),
    ).toEqual([sentence]);
    expect(pointingSentencesOf(`const a = 1; // ${sentence}\nconst b = 2;\n`)).toEqual([sentence]);
    expect(
      pointingSentencesOf('/** The pods of a node that is being removed get their places on other nodes. */'),
    ).toEqual([]);
  });

  test('finds comments without a subject, but not in the middle of one', () => {
    const comments = ['/** What waits. */', 'a(); // Of pods.', '// Pods, and', '// One node.', '/** Nodes. */'].join(
      '\n',
    );
    expect(withoutSubject(`${comments}\n`)).toEqual(['What waits.', 'Of pods.']);
  });

  test('finds machines in identifiers, but not the state machine', () => {
    expect(found(source, 'a.ts', 'code', MACHINE)).toEqual(['a.ts:6: machines']);
  });
});
