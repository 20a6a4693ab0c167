import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isPointing, linesOfCode, sentencesOf } from './comments.ts';
import { isJudged, isTooLong, namesLittle, sentencesInPages } from './pages.ts';
import { PRODUCT } from './product.ts';
import { type Syntax, syntaxOf } from './syntax.ts';

interface Source {
  readonly file: string;
  readonly text: string;
  /** Number of lines with code. */
  readonly lines: number;
}

interface ParsedSource extends Source {
  readonly syntax: Syntax;
}

/** Figures by what they count. */
export type Figures = Readonly<Record<string, number>>;

/** Measures the size of a tree, and how plain the code and the comments in it are. @param root folder of the tree */
export function figuresOf(root: string): Figures {
  const product = PRODUCT.flatMap((folder) => sourcesIn(root, folder)).map((source): ParsedSource => ({
    ...source,
    syntax: syntaxOf(source.text),
  }));
  const tests = sourcesIn(root, 'test');
  const inPages = sentencesInPages(root);
  const core = product.filter(({ file }) => file.startsWith('core/'));
  const inRooms = Object.groupBy(
    core.filter(({ file }) => file.split('/').length > 2),
    ({ file }) => file.split('/')[1]!,
  );
  const of = (sources: readonly ParsedSource[], count: (syntax: Syntax) => number): number =>
    sum(sources, ({ syntax }) => count(syntax));
  const perThousand = (count: (syntax: Syntax) => number): number =>
    rounded((1_000 * of(product, count)) / linesIn(product));
  const withoutPorts = core.filter(({ file }) => !file.startsWith('core/ports/'));
  return {
    'lines of code of the product': linesIn(product),
    ...Object.fromEntries(
      PRODUCT.map((folder) => [
        `lines of ${folder}`,
        linesIn(product.filter(({ file }) => file.startsWith(`${folder}/`))),
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(inRooms).map(([room, sources]) => [`lines of core/${room}`, linesIn(sources!)]),
    ),
    'lines of code of the tests': linesIn(tests),
    'folders of core': Object.keys(inRooms).length,
    'exported names': of(product, ({ exported }) => exported.length),
    'exported names with two definitions or more': ambiguous(product),
    'types whose name is a participle alone': of(product, participles),
    'fields of core that are functions, without ports': of(withoutPorts, ({ functionFields }) => functionFields),
    'fields of core that are functions of variants, trackers and the scheduler': of(
      withoutPorts,
      ({ exemptFunctionFields }) => exemptFunctionFields,
    ),
    'parameters in core that are functions, without ports': of(
      withoutPorts,
      ({ functionParameters }) => functionParameters,
    ),
    'conditional expressions per 1,000 lines': perThousand(({ conditionals }) => conditionals),
    'nested conditional expressions': of(product, ({ nestedConditionals }) => nestedConditionals),
    'non-null assertions per 1,000 lines': perThousand(({ nonNulls }) => nonNulls),
    'optional spreads per 1,000 lines': perThousand(({ optionalSpreads }) => optionalSpreads),
    '% of sentences in comments that name little': shareOfPointing(product),
    '% of sentences in comments of tests that name little': shareOfPointing(tests),
    '% of sentences in pages that name little': percent(inPages.filter(isJudged), namesLittle),
    'sentences of more than 25 words in pages for operators': inPages.filter(isTooLong).length,
  };
}

const sourcesIn = (root: string, folder: string): readonly Source[] =>
  globSync(`${folder}/**/*.ts`, { cwd: root })
    .toSorted()
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      return { file, text, lines: linesOfCode(text) };
    });

const sum = <T>(of: readonly T[], count: (one: T) => number): number =>
  of.reduce((total, one) => total + count(one), 0);
const linesIn = (sources: readonly Source[]): number => sum(sources, ({ lines }) => lines);
const rounded = (value: number): number => Math.round(value * 100) / 100;

const percent = <T>(of: readonly T[], is: (one: T) => boolean): number =>
  rounded((100 * of.filter(is).length) / Math.max(1, of.length));

const shareOfPointing = (sources: readonly Source[]): number =>
  percent(
    sources.flatMap(({ text }) => sentencesOf(text)),
    isPointing,
  );

function ambiguous(sources: readonly ParsedSource[]): number {
  const files = new Map<string, number>();
  for (const { syntax } of sources) {
    for (const name of new Set(syntax.exported)) {
      files.set(name, (files.get(name) ?? 0) + 1);
    }
  }
  return [...files.values()].filter((count) => count > 1).length;
}

/** Nouns, though they end as participles do. */
const NOUNS = new Set(['Finding', 'Listing', 'Offering', 'Packing', 'Recording', 'Saving', 'Sighting', 'Warning']);

const PARTICIPLE =
  /^(?:[A-Z][a-z]+(?:ed|ing)|Built|Done|Drawn|Found|Given|Gone|Held|Kept|Known|Left|Lost|Made|Said|Seen|Sent|Shown|Taken|Told|Written)$/;

/** `Wanted`, `Considered`, `Waiting`: the noun is missing. */
const participles = ({ types }: Syntax): number =>
  types.filter((name) => PARTICIPLE.test(name) && !NOUNS.has(name)).length;
