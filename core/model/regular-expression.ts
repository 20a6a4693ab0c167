import { err, ok, type Result } from './result.ts';

/** A regular expression as Go's package regexp has it. */
export interface RegularExpression {
  /** Is there a match anywhere in the text? Takes time in proportion to the text's length, whatever the pattern. */
  readonly matches: (text: string) => boolean;
}

/** Longer patterns are refused. Go has no such bound; names of node groups are 255 characters at most. */
const MOST_CHARACTERS = 1_000;
/** Go's bound on counted repetition, alone and nested. */
const MOST_REPEATS = 1_000;
/** Larger programs are refused: `((a{9}){9}){9}` is written quickly. */
const MOST_STEPS = 10_000;

/**
 * Compiles a pattern of Go's regular expressions (RE2): the syntax of Perl without what needs backtracking.
 *
 * JavaScript's own expressions will not do. They read some of these patterns differently (`(?i)`, `\z`, `[[:alpha:]]`),
 * accept what Go refuses, and take exponential time for others; these come from a ConfigMap that many may write.
 *
 * Follows https://pkg.go.dev/regexp/syntax. Only whether there is a match is asked, so that greediness and groups
 * make no difference.
 *
 * @returns the expression, or what is wrong with the pattern, in Go's words.
 */
export function compileRegularExpression(pattern: string): Result<RegularExpression, string> {
  try {
    const program = assemble(parse(pattern));
    return ok({ matches: (text) => run(program, text) });
  } catch (error) {
    if (error instanceof Malformed) {
      return err(error.message);
    }
    throw error;
  }
}

/** Leaves the parser from any depth; never leaves this file. */
class Malformed extends Error {}

type CharacterTest = (character: number) => boolean;

type Assertion = 'textStart' | 'textEnd' | 'lineStart' | 'lineEnd' | 'wordBoundary' | 'noWordBoundary';

type Tree =
  | { readonly kind: 'character'; readonly test: CharacterTest }
  | { readonly kind: 'assertion'; readonly assertion: Assertion }
  | { readonly kind: 'sequence' | 'choice'; readonly of: readonly Tree[] }
  | { readonly kind: 'repeat'; readonly of: Tree; readonly min: number; readonly max: number };

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiline: boolean;
  readonly dotAll: boolean;
}

const NO_FLAGS: Flags = { ignoreCase: false, multiline: false, dotAll: false };

/** An open group: the finished alternatives, and the one that is being read. */
interface Level {
  readonly alternatives: Tree[];
  sequence: Tree[];
  /** The flags that hold again after the group. */
  readonly outer: Flags;
}

function parse(pattern: string): Tree {
  const text = Array.from(pattern, (character) => character.codePointAt(0)!);
  if (text.length > MOST_CHARACTERS) {
    throw new Malformed(`expression longer than ${MOST_CHARACTERS} characters`);
  }
  const source = new Source(text);
  const levels: Level[] = [{ alternatives: [], sequence: [], outer: NO_FLAGS }];
  const names = new Set<string>();
  let flags = NO_FLAGS;
  let repeated = false;
  while (!source.atEnd) {
    const level = levels.at(-1)!;
    const wasRepeated = repeated;
    repeated = false;
    const before = source.position;
    const character = source.take();
    switch (character) {
      case '(': {
        const group = readGroup(source, flags, names);
        if (group.opens) {
          levels.push({ alternatives: [], sequence: [], outer: flags });
        }
        flags = group.flags;
        break;
      }
      case ')': {
        if (levels.length === 1) {
          throw new Malformed('unexpected )');
        }
        levels.pop();
        levels.at(-1)!.sequence.push(treeOf(level));
        flags = level.outer;
        break;
      }
      case '|':
        level.alternatives.push({ kind: 'sequence', of: level.sequence });
        level.sequence = [];
        break;
      case '*':
      case '+':
      case '?':
      case '{': {
        const counts = character === '{' ? readCounts(source) : OPERATORS[character];
        if (counts === null) {
          level.sequence.push(literal('{', flags));
          break;
        }
        source.skip('?'); // Lazy or greedy: the same is found.
        repeat(level, counts, wasRepeated, source.since(before));
        repeated = true;
        break;
      }
      case '\\':
        readEscape(source, flags, level.sequence);
        break;
      case '[':
        level.sequence.push({ kind: 'character', test: readClass(source, flags) });
        break;
      case '.': {
        const { dotAll } = flags;
        level.sequence.push({ kind: 'character', test: (c) => dotAll || c !== NEWLINE });
        break;
      }
      case '^':
        level.sequence.push({ kind: 'assertion', assertion: flags.multiline ? 'lineStart' : 'textStart' });
        break;
      case '$':
        level.sequence.push({ kind: 'assertion', assertion: flags.multiline ? 'lineEnd' : 'textEnd' });
        break;
      default:
        level.sequence.push(literal(character, flags));
    }
  }
  if (levels.length > 1) {
    throw new Malformed('missing closing )');
  }
  return treeOf(levels[0]!);
}

const treeOf = ({ alternatives, sequence }: Level): Tree => {
  const last: Tree = { kind: 'sequence', of: sequence };
  return alternatives.length === 0 ? last : { kind: 'choice', of: [...alternatives, last] };
};

class Source {
  readonly #text: readonly number[];
  position = 0;

  constructor(text: readonly number[]) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.position >= this.#text.length;
  }

  /** The next character; empty at the end. */
  get next(): string {
    return this.atEnd ? '' : String.fromCodePoint(this.#text[this.position]!);
  }

  take(): string {
    const character = this.next;
    this.position += 1;
    return character;
  }

  /** Takes these characters if they are the next ones. */
  skip(wanted: string): boolean {
    for (let i = 0; i < wanted.length; i++) {
      if (this.#text[this.position + i] !== wanted.codePointAt(i)) {
        return false;
      }
    }
    this.position += wanted.length;
    return true;
  }

  since(start: number): string {
    return this.#text
      .slice(start, this.position)
      .map((c) => String.fromCodePoint(c))
      .join('');
  }

  /** What comes before the next occurrence of `end`, which is taken too; `null` when there is none. */
  until(end: string): string | null {
    const start = this.position;
    while (!this.atEnd) {
      const text = this.since(start);
      if (this.skip(end)) {
        return text;
      }
      this.position += 1;
    }
    this.position = start;
    return null;
  }
}

/** The rest of `(…`: does it open a group, and which flags hold from here? */
function readGroup(
  source: Source,
  flags: Flags,
  names: Set<string>,
): { readonly opens: boolean; readonly flags: Flags } {
  const start = source.position;
  if (!source.skip('?')) {
    return { opens: true, flags };
  }
  if (source.skip('P<') || (source.next === '<' && source.skip('<'))) {
    const name = source.until('>');
    if (name === null || !/^\w+$/.test(name)) {
      throw new Malformed(`invalid named capture: \`(${source.since(start)}\``);
    }
    if (names.has(name)) {
      throw new Malformed(`duplicate capture group name: \`${name}\``);
    }
    names.add(name);
    return { opens: true, flags };
  }
  const changed = { ...flags };
  let value = true;
  let empty = false;
  for (;;) {
    const flag = source.take();
    switch (flag) {
      case 'i':
        changed.ignoreCase = value;
        empty = false;
        continue;
      case 'm':
        changed.multiline = value;
        empty = false;
        continue;
      case 's':
        changed.dotAll = value;
        empty = false;
        continue;
      case 'U':
        empty = false;
        continue;
      case '-':
        if (value) {
          value = false;
          empty = true;
          continue;
        }
        break;
      case ':':
      case ')':
        if (!empty) {
          return { opens: flag === ':', flags: changed };
        }
        break;
    }
    throw new Malformed(`invalid or unsupported Perl syntax: \`(${source.since(start)}\``);
  }
}

interface Counts {
  readonly min: number;
  readonly max: number;
}

const OPERATORS = {
  '*': { min: 0, max: Number.POSITIVE_INFINITY },
  '+': { min: 1, max: Number.POSITIVE_INFINITY },
  '?': { min: 0, max: 1 },
} as const;

/** The rest of `{2}`, `{2,}` or `{2,5}`; `null` when it is none of them: the brace then stands for itself. */
function readCounts(source: Source): Counts | null {
  const start = source.position;
  const text = source.until('}');
  const match = text === null ? null : /^(0|[1-9]\d*)(?:(,)(0|[1-9]\d*)?)?$/.exec(text);
  if (match === null) {
    source.position = start;
    return null;
  }
  const min = Number(match[1]);
  const max = match[2] === undefined ? min : match[3] === undefined ? Number.POSITIVE_INFINITY : Number(match[3]);
  if (min > MOST_REPEATS || (max > MOST_REPEATS && max !== Number.POSITIVE_INFINITY) || min > max) {
    throw new Malformed(`invalid repeat count: \`{${text}}\``);
  }
  return { min, max };
}

function repeat({ sequence }: Level, { min, max }: Counts, wasRepeated: boolean, operator: string): void {
  const last = sequence.pop();
  if (last === undefined) {
    throw new Malformed(`missing argument to repetition operator: \`${operator}\``);
  }
  if (wasRepeated) {
    throw new Malformed(`invalid nested repetition operator: \`${operator}\``);
  }
  const tree: Tree = { kind: 'repeat', of: last, min, max };
  if (!repeatsWithin(tree, MOST_REPEATS)) {
    throw new Malformed(`invalid repeat count: \`${operator}\``);
  }
  sequence.push(tree);
}

/** Nested counts multiply. `*`, `+` and `?` are no counts. */
function repeatsWithin(tree: Tree, most: number): boolean {
  switch (tree.kind) {
    case 'character':
    case 'assertion':
      return true;
    case 'sequence':
    case 'choice':
      return tree.of.every((part) => repeatsWithin(part, most));
    case 'repeat': {
      const count = tree.max === Number.POSITIVE_INFINITY ? tree.min : tree.max;
      return count <= 1 ? repeatsWithin(tree.of, most) : count <= most && repeatsWithin(tree.of, most / count);
    }
  }
}

const NEWLINE = 10;
const code = (character: string): number => character.codePointAt(0)!;

const literal = (character: string, flags: Flags): Tree => {
  const wanted = code(character);
  return { kind: 'character', test: folded((c) => c === wanted, flags) };
};

/** The same, in any case where the flags say so. */
function folded(test: CharacterTest, { ignoreCase }: Flags): CharacterTest {
  return ignoreCase ? (c) => test(c) || otherCases(c).some(test) : test;
}

function otherCases(character: number): readonly number[] {
  const text = String.fromCodePoint(character);
  const lower = text.toLowerCase();
  const upper = text.toUpperCase();
  return [lower, upper, upper.toLowerCase(), lower.toUpperCase()]
    .filter((other) => Array.from(other).length === 1)
    .map((other) => code(other));
}

const between = (low: string, high: string): CharacterTest => {
  const [from, to] = [code(low), code(high)];
  return (c) => c >= from && c <= to;
};
const oneOf = (characters: string): CharacterTest => {
  const codes = new Set(Array.from(characters, code));
  return (c) => codes.has(c);
};
const anyOf =
  (...tests: readonly CharacterTest[]): CharacterTest =>
  (c) =>
    tests.some((test) => test(c));
const not =
  (test: CharacterTest): CharacterTest =>
  (c) =>
    !test(c);

const DIGIT = between('0', '9');
const LOWER = between('a', 'z');
const UPPER = between('A', 'Z');
const ALPHA = anyOf(LOWER, UPPER);
const WORD = anyOf(ALPHA, DIGIT, oneOf('_'));

const PERL_CLASSES: Readonly<Record<string, CharacterTest>> = { d: DIGIT, s: oneOf('\t\n\f\r '), w: WORD };

const POSIX_CLASSES: Readonly<Record<string, CharacterTest>> = {
  alnum: anyOf(ALPHA, DIGIT),
  alpha: ALPHA,
  ascii: between('\0', '\x7f'),
  blank: oneOf('\t '),
  cntrl: anyOf(between('\0', '\x1f'), oneOf('\x7f')),
  digit: DIGIT,
  graph: between('!', '~'),
  lower: LOWER,
  print: between(' ', '~'),
  punct: anyOf(between('!', '/'), between(':', '@'), between('[', '`'), between('{', '~')),
  space: oneOf('\t\n\v\f\r '),
  upper: UPPER,
  word: WORD,
  xdigit: anyOf(DIGIT, between('A', 'F'), between('a', 'f')),
};

/** `\d`, `\D`, `\pL`, `\p{Greek}` …; the letter has been taken. `null` when it begins no class. */
function readNamedClass(source: Source, letter: string, flags: Flags): CharacterTest | null {
  const perl = PERL_CLASSES[letter.toLowerCase()];
  if (perl !== undefined) {
    return letter === letter.toLowerCase() ? folded(perl, flags) : not(folded(perl, flags));
  }
  if (letter !== 'p' && letter !== 'P') {
    return null;
  }
  const start = source.position;
  const braced = source.skip('{') ? source.until('}') : source.take();
  const negated = braced?.startsWith('^') ?? false;
  const test = unicodeClass(negated ? braced!.slice(1) : (braced ?? ''));
  if (test === null) {
    throw new Malformed(`invalid character class range: \`\\${letter}${source.since(start)}\``);
  }
  return negated === (letter === 'P') ? folded(test, flags) : not(folded(test, flags));
}

/** A general category (`L`, `Lu`) or a script (`Greek`); `null` when there is none of this name. */
function unicodeClass(name: string): CharacterTest | null {
  if (name === 'Any') {
    return () => true;
  }
  if (!/^[A-Z][a-z]?$|^[A-Z][A-Za-z_]{2,}$/.test(name)) {
    return null;
  }
  try {
    const expression = new RegExp(name.length <= 2 ? `^\\p{gc=${name}}$` : `^\\p{sc=${name}}$`, 'u');
    return (c) => expression.test(String.fromCodePoint(c));
  } catch {
    return null;
  }
}

const CONTROLS: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };

/** The character that an escape stands for; the backslash has been taken. */
function readEscapedCharacter(source: Source): number {
  const start = source.position;
  const character = source.take();
  if (character === '') {
    throw new Malformed('trailing backslash at end of expression');
  }
  if (/^[0-7]$/.test(character) && (character === '0' || /^[0-7]$/.test(source.next))) {
    let digits = character;
    while (digits.length < 3 && /^[0-7]$/.test(source.next)) {
      digits += source.take();
    }
    return Number.parseInt(digits, 8);
  }
  if (character === 'x') {
    const digits = source.skip('{') ? source.until('}') : source.take() + source.take();
    const value = /^[\dA-Fa-f]+$/.test(digits ?? '') ? Number.parseInt(digits!, 16) : Number.NaN;
    if (value <= 0x10ffff && (digits!.length === 2 || source.since(start).startsWith('x{'))) {
      return value;
    }
  } else if (Object.hasOwn(CONTROLS, character)) {
    return CONTROLS[character]!;
  } else if (code(character) < 0x80 && !/^[\dA-Za-z]$/.test(character)) {
    return code(character);
  }
  throw new Malformed(`invalid escape sequence: \`\\${source.since(start)}\``);
}

const ASSERTIONS: Readonly<Record<string, Assertion>> = {
  A: 'textStart',
  z: 'textEnd',
  b: 'wordBoundary',
  B: 'noWordBoundary',
};

/** An escape outside of a class; the backslash has been taken. */
function readEscape(source: Source, flags: Flags, into: Tree[]): void {
  const letter = source.next;
  if (Object.hasOwn(ASSERTIONS, letter)) {
    source.take();
    into.push({ kind: 'assertion', assertion: ASSERTIONS[letter]! });
    return;
  }
  if (source.skip('Q')) {
    const quoted = source.until('\\E') ?? rest(source);
    into.push(...Array.from(quoted, (character) => literal(character, flags)));
    return;
  }
  if (/^[dDsSwWpP]$/.test(letter)) {
    source.take();
    into.push({ kind: 'character', test: readNamedClass(source, letter, flags)! });
    return;
  }
  const character = readEscapedCharacter(source);
  into.push(literal(String.fromCodePoint(character), flags));
}

function rest(source: Source): string {
  const start = source.position;
  while (!source.atEnd) {
    source.position += 1;
  }
  return source.since(start);
}

/** The rest of `[…]`. */
function readClass(source: Source, flags: Flags): CharacterTest {
  const start = source.position;
  const negated = source.skip('^');
  const tests: CharacterTest[] = [];
  for (let first = true; first || source.next !== ']'; first = false) {
    if (source.atEnd) {
      break;
    }
    tests.push(readClassPart(source, flags, start));
  }
  if (!source.skip(']')) {
    throw new Malformed(`missing closing ]: \`[${source.since(start)}\``);
  }
  const test = anyOf(...tests);
  return negated ? not(test) : test;
}

function readClassPart(source: Source, flags: Flags, start: number): CharacterTest {
  if (source.skip('[:')) {
    const name = source.until(':]');
    if (name !== null) {
      const bare = name.replace(/^\^/, '');
      const test = Object.hasOwn(POSIX_CLASSES, bare) ? POSIX_CLASSES[bare] : undefined;
      if (test === undefined) {
        throw new Malformed(`invalid character class range: \`[:${name}:]\``);
      }
      return name.startsWith('^') ? not(folded(test, flags)) : folded(test, flags);
    }
    source.position -= 2;
  }
  const before = source.position;
  if (source.skip('\\')) {
    const named = readNamedClass(source, source.take(), flags);
    if (named !== null) {
      return named;
    }
    source.position = before;
  }
  const low = readClassCharacter(source, start);
  const dash = source.position;
  if (!source.skip('-') || source.next === ']' || source.atEnd) {
    source.position = dash;
    return folded((c) => c === low, flags);
  }
  const high = readClassCharacter(source, start);
  if (high < low) {
    throw new Malformed(`invalid character class range: \`${source.since(before)}\``);
  }
  return folded((c) => c >= low && c <= high, flags);
}

function readClassCharacter(source: Source, start: number): number {
  if (source.atEnd) {
    throw new Malformed(`missing closing ]: \`[${source.since(start)}\``);
  }
  return source.skip('\\') ? readEscapedCharacter(source) : code(source.take());
}

type Step =
  | { readonly kind: 'character'; readonly test: CharacterTest; readonly next: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion; readonly next: number }
  | { readonly kind: 'fork'; first: number; readonly second: number };

interface Program {
  readonly steps: readonly Step[];
  readonly start: number;
}

/** Where a match is complete. */
const MATCH = -1;

/** Thompson's construction, from the end to the beginning: every step knows what comes next. */
function assemble(tree: Tree): Program {
  const steps: Step[] = [];
  const add = (step: Step): number => {
    if (steps.length === MOST_STEPS) {
      throw new Malformed('expression too large');
    }
    return steps.push(step) - 1;
  };
  const emit = (part: Tree, next: number): number => {
    switch (part.kind) {
      case 'character':
        return add({ kind: 'character', test: part.test, next });
      case 'assertion':
        return add({ kind: 'assertion', assertion: part.assertion, next });
      case 'sequence':
        return part.of.reduceRight((after, inner) => emit(inner, after), next);
      case 'choice':
        return part.of
          .map((inner) => emit(inner, next))
          .reduceRight((second, first) => add({ kind: 'fork', first, second }));
      case 'repeat':
        return emitRepeat(part, next);
    }
  };
  const emitRepeat = ({ of, min, max }: Extract<Tree, { kind: 'repeat' }>, next: number): number => {
    let entry = next;
    if (max === Number.POSITIVE_INFINITY) {
      entry = add({ kind: 'fork', first: MATCH, second: next });
      (steps[entry] as Extract<Step, { kind: 'fork' }>).first = emit(of, entry);
    } else {
      for (let i = min; i < max; i++) {
        entry = add({ kind: 'fork', first: emit(of, entry), second: next });
      }
    }
    for (let i = 0; i < min; i++) {
      entry = emit(of, entry);
    }
    return entry;
  };
  const start = emit(tree, MATCH);
  return { steps, start };
}

/** Follows all ways through the program at once, one character after the other. */
function run({ steps, start }: Program, text: string): boolean {
  const characters = Array.from(text, code);
  /** The position at which a step was last reached: none is followed twice at one. */
  const reachedAt = new Int32Array(steps.length).fill(-1);
  let current: number[] = [];
  for (let position = 0; position <= characters.length; position++) {
    const waiting: number[] = [];
    // A match may begin anywhere.
    const reached = [start, ...current];
    while (reached.length > 0) {
      const at = reached.pop()!;
      if (at === MATCH) {
        return true;
      }
      if (reachedAt[at] === position) {
        continue;
      }
      reachedAt[at] = position;
      const step = steps[at]!;
      if (step.kind === 'fork') {
        reached.push(step.first, step.second);
      } else if (step.kind === 'character') {
        waiting.push(at);
      } else if (holds(step.assertion, characters, position)) {
        reached.push(step.next);
      }
    }
    current = [];
    if (position < characters.length) {
      for (const at of waiting) {
        const step = steps[at] as Extract<Step, { kind: 'character' }>;
        if (step.test(characters[position]!)) {
          current.push(step.next);
        }
      }
    }
  }
  return false;
}

function holds(assertion: Assertion, text: readonly number[], position: number): boolean {
  const before = text[position - 1];
  const after = text[position];
  const boundary = (before !== undefined && WORD(before)) !== (after !== undefined && WORD(after));
  switch (assertion) {
    case 'textStart':
      return before === undefined;
    case 'textEnd':
      return after === undefined;
    case 'lineStart':
      return before === undefined || before === NEWLINE;
    case 'lineEnd':
      return after === undefined || after === NEWLINE;
    case 'wordBoundary':
      return boundary;
    case 'noWordBoundary':
      return !boundary;
  }
}
