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
function commentsOf(source: string): readonly string[] {
  const comments: string[] = [];
  let open = false;
  for (const { code, comment } of linesOf(source)) {
    const text = comment
      .replace(/^\s*(?:\/\*+|\*(?!\/)|\/\/)/, '')
      .replace(/\*\/.*$/, '')
      .replaceAll(/`[^`]*`/g, 'X')
      .replaceAll(/@\w+/g, '');
    if (comment === '') {
      open = false;
    } else if (open && code === '' && !/^\s*\/\*/.test(comment)) {
      comments[comments.length - 1] += ` ${text.trim()}`;
    } else {
      comments.push(text.trim());
      open = code === '';
    }
    open &&= !comment.includes('*/');
  }
  return comments;
}

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

/** Comments whose first word stands for the subject. */
const withoutSubject = (source: string): readonly string[] =>
  commentsOf(source).filter((comment) => /^(?:What|Those|Of|One|Where)\b/.test(comment));

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

describe('the language of comments', () => {
  const sources = [...FOLDERS, 'scripts', 'test'].flatMap((folder) => globSync(`${folder}/**/*.ts`, { cwd: root }));
  const inAll = (files: readonly string[], find: (source: string) => readonly string[]): readonly string[] =>
    files.flatMap((file) => find(readFileSync(join(root, file), 'utf8')).map((sentence) => `${file}: ${sentence}`));

  test('sentences name the things that they are about', () => {
    expect(inAll(sources, pointing)).toEqual([]);
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
    expect(pointing(`/** Pods wait. ${sentence} */\nconst a = '${sentence}';\n`)).toEqual([sentence]);
    expect(pointing(`// ${sentence}\nconst a = 1;\n`)).toEqual([sentence]);
    expect(pointing(`/**\n * Pods wait. One that has those of the others is\n * what it is for them.\n */\n`)).toEqual([
      sentence,
    ]);
    expect(pointing(`const a = 1; // ${sentence}\nconst b = 2;\n`)).toEqual([sentence]);
    expect(pointing('/** The pods of a node that is being removed get their places on other nodes. */')).toEqual([]);
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
