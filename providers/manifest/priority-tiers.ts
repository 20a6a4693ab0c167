import { textBefore } from '@outrigger/core/model/values/existing.ts';
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, parseDocument, visit } from 'yaml';
import {
  PRIORITY_CONFIG_MAP,
  type PriorityTier,
  type PriorityTiers,
} from '@outrigger/core/model/cluster/priorities.ts';
import { compileRegularExpression } from '@outrigger/core/model/values/regular-expression.ts';
import { messageOf } from '@outrigger/core/model/values/error-message.ts';
import { clip } from '@outrigger/core/model/values/clip.ts';
import { err, ok } from '@outrigger/core/model/values/result.ts';
import type { Labels } from '@outrigger/core/model/cluster/selectors.ts';

const { key: KEY } = PRIORITY_CONFIG_MAP;

/** More are refused: YAML aliases can expand a small ConfigMap to any size. */
const MOST_PATTERNS = 1_000;
/** Each is looked up in the whole document: 20,000 take eight seconds. */
const MOST_ALIASES = 1_000;
/**
 * Steps of all patterns together; more are refused, because each evaluation compiles them. Typical ones have 20 to 50.
 */
const MAX_SIZE = 100_000;

/**
 * Reads the priority expander's ConfigMap: its key `priorities` has a YAML map from integers to lists of Go regular
 * expressions.
 *
 * As in Cluster Autoscaler's expander/priority, one mistake makes the whole ConfigMap invalid; an empty map is
 * valid, and of a duplicate key the latter value counts.
 */
export function readPriorityTiers(data: Labels): PriorityTiers {
  const text = data[KEY];
  if (text === undefined) {
    return err(`the key ${KEY} is missing`);
  }
  if (text === '') {
    return err(`${KEY} is empty`);
  }
  try {
    // Version 1.1 is what Cluster Autoscaler's parser reads.
    const document = parseDocument(text, { version: '1.1', uniqueKeys: false, logLevel: 'silent' });
    const [fault] = document.errors;
    if (fault !== undefined) {
      return err(clip(`${KEY} is not YAML: ${textBefore(fault.message, '\n').replace(/:$/, '')}`));
    }
    let aliases = 0;
    visit(document, { Alias: () => void (aliases += 1) });
    if (aliases > MOST_ALIASES) {
      return err(`${KEY} has more than ${MOST_ALIASES} aliases`);
    }
    const tiers = tiersIn(document);
    return ok([...tiers.values()].toSorted((a, b) => b.priority - a.priority));
  } catch (error) {
    // The library throws for aliases that go round in circles, and for ones that expand too far.
    return err(clip(error instanceof Mistake ? error.message : `${KEY} cannot be read: ${messageOf(error)}`));
  }
}

/** Ends the reading from any depth; the exception is caught in this file. */
class Mistake extends Error {}

type Content = Node | null;

function tiersIn(document: Document.Parsed): ReadonlyMap<number, PriorityTier> {
  const content = resolved(document, document.contents);
  const tiers = new Map<number, PriorityTier>();
  if (isNothing(content)) {
    return tiers;
  }
  if (!isMap(content)) {
    throw new Mistake(`${KEY} must be a map such as "10: [.*spot.*]"`);
  }
  let patterns = 0;
  let size = 0;
  for (const pair of content.items) {
    const priority = integerOf(resolved(document, pair.key as Content));
    const list = resolved(document, pair.value as Content);
    const tier = {
      priority,
      patterns: patternsIn(document, priority, list, (steps) => {
        size += steps;
        if (size > MAX_SIZE) {
          throw new Mistake(`${KEY} has regular expressions that are too large together`);
        }
      }),
    };
    patterns += tier.patterns.length;
    if (patterns > MOST_PATTERNS) {
      throw new Mistake(`${KEY} has more than ${MOST_PATTERNS} regular expressions`);
    }
    tiers.set(priority, tier);
  }
  return tiers;
}

function resolved(document: Document.Parsed, content: Content): Content {
  return isAlias(content) ? (content.resolve(document) ?? null) : content;
}

const isNothing = (content: Content): boolean => content === null || (isScalar(content) && content.value === null);

function integerOf(content: Content): number {
  if (isScalar(content) && Number.isSafeInteger(content.value)) {
    return content.value as number;
  }
  throw new Mistake(`${KEY}: ${sourceOf(content)} is not an integer`);
}

function patternsIn(
  document: Document.Parsed,
  priority: number,
  content: Content,
  charge: (size: number) => void,
): readonly string[] {
  if (isNothing(content)) {
    return [];
  }
  if (!isSeq(content)) {
    throw new Mistake(`${KEY}: ${priority} must have a list of regular expressions`);
  }
  if (content.items.length > MOST_PATTERNS) {
    throw new Mistake(`${KEY} has more than ${MOST_PATTERNS} regular expressions`);
  }
  return content.items.map((item) => {
    const scalar = resolved(document, item as Content);
    if (!isScalar(scalar)) {
      throw new Mistake(`${KEY}: ${priority} must have a list of regular expressions`);
    }
    const pattern = sourceOf(scalar);
    const compiled = compileRegularExpression(pattern);
    if (!compiled.ok) {
      throw new Mistake(`${KEY}: ${priority}: "${pattern}" is not a Go regular expression: ${compiled.error}`);
    }
    charge(compiled.value.size);
    return pattern;
  });
}

/** The source text: a pattern such as `1.10` is not a number, and an empty one matches everything. */
function sourceOf(content: Content): string {
  if (!isScalar(content)) {
    return 'a list or map';
  }
  if (typeof content.value === 'string') {
    return content.value;
  }
  if (content.value === null) {
    return '';
  }
  return content.source ?? '';
}
