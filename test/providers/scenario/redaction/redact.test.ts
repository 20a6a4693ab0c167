import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from '../../../../core/evaluate.ts';
import type { Scenario } from '../../../../core/model/scenario.ts';
import { EMPTY_STATE } from '../../../../core/model/state.ts';
import { writeDecision } from '../../../../providers/scenario/decision.ts';
import { parseDocuments, printYaml } from '../../../../providers/scenario/documents.ts';
import { PUBLIC_KEYS, PUBLIC_PREFIXES } from '../../../../providers/scenario/redaction/public-words.ts';
import { redact } from '../../../../providers/scenario/redaction/redact.ts';
import { readScenario } from '../../../../providers/scenario/scenario.ts';
import { cases } from '../../../cases.ts';
import { clusterArb, clusterOf } from '../../../core/scaleup/clusters.ts';
import { scenario as anyScenario } from '../arbitraries.ts';

const ROOT = path.resolve(import.meta.dirname, '../../../..');

/** As a snapshot has it. */
const withoutState = (scenario: Scenario): Scenario => ({ ...scenario, state: EMPTY_STATE });

function read(text: string): readonly Scenario[] {
  return parseDocuments(text).map(({ content }) => {
    const scenario = content.kind === 'value' ? readScenario(content.value) : null;
    if (scenario?.ok !== true) {
      throw new Error(`expected a scenario: ${JSON.stringify(scenario ?? content)}`);
    }
    return withoutState(scenario.value);
  });
}

const scenariosOf = (file: string): readonly Scenario[] => read(readFileSync(path.join(ROOT, file), 'utf8'));
const WHOLE = path.join('test', 'providers', 'scenario', 'redaction', 'whole.yaml');

/** Reservations know their pods by digests, which are different and have another order. */
const DIGEST = /^[0-9a-z]{22}(?:\.[0-9a-z]{22})?$/;

function decisionOf(scenario: Scenario): unknown {
  const written = JSON.stringify(writeDecision(evaluate(scenario)));
  return JSON.parse(written, (_key, value: unknown) =>
    Array.isArray(value) && value.some((item) => DIGEST.test((item as { kind?: string } | null)?.kind ?? ''))
      ? value.map(({ count }: { count: number }) => count).toSorted((a, b) => a - b)
      : value,
  );
}

/** The decision of the redacted scenario, with the original names. */
function decisionWhenRedacted(scenario: Scenario): unknown {
  const { document, originals } = redact(scenario);
  const [again] = read(printYaml(document));
  const renamed = JSON.stringify(decisionOf(again!));
  return JSON.parse(
    renamed.replaceAll(/(?:a-)?name(?:space)?-\d{6}/g, (name) => JSON.stringify(originals[name] ?? name).slice(1, -1)),
  );
}

/** Messages are for people, and are replaced by a word. */
const withoutMessages = (scenario: Scenario): Scenario => ({
  ...scenario,
  nodeGroups: scenario.nodeGroups.map((group) => ({
    ...group,
    invalid: group.invalid && 'redacted',
    paused: group.paused && 'redacted',
    templateProblem: group.templateProblem && 'redacted',
  })),
});

const plain = (decision: unknown): unknown => JSON.parse(JSON.stringify(decision));

describe('a redacted scenario', () => {
  it.each([...globSync('examples/*.yaml', { cwd: ROOT }).toSorted(), WHOLE])(
    'of %s is decided as the original is, but for the names',
    (file) => {
      for (const scenario of scenariosOf(file)) {
        const decision = plain(decisionOf(withoutMessages(scenario))) as { scaleUp: { pods: unknown[] } };
        expect(decisionWhenRedacted(scenario)).toEqual(decision);
        expect(decision.scaleUp.pods).not.toEqual([]);
      }
    },
  );

  it('of any cluster is decided as the original is, but for the names', () => {
    fc.assert(
      fc.property(clusterArb, (given) => {
        const scenario = withoutState(clusterOf(given));
        expect(decisionWhenRedacted(scenario)).toEqual(plain(decisionOf(scenario)));
      }),
      { numRuns: cases(12) },
    );
  });

  it('can be read, whatever the API server and the cloud hold', () => {
    fc.assert(
      fc.property(anyScenario, (scenario) => {
        expect(read(printYaml(redact(scenario).document))).toHaveLength(1);
      }),
      { numRuns: cases(12) },
    );
  });
});

const withType = (group: Scenario['nodeGroups'][number], type: string): Scenario['nodeGroups'][number] =>
  JSON.parse(
    JSON.stringify(group).replaceAll(/("node\.kubernetes\.io\/instance-type":)"[^"]*"/g, `$1"${type}"`),
  ) as typeof group;

/** All texts and keys. */
const wordsIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => [key, ...wordsIn(inner)])
    : [String(value)];

describe('redaction', () => {
  const text = readFileSync(path.join(ROOT, WHOLE), 'utf8');
  const [whole] = read(text);
  const { document, originals } = redact(whole!);

  it('leaves none of the words that the user has chosen', () => {
    // Each of them has this one in it.
    expect(text.match(/acme/g)!.length).toBeGreaterThan(80);
    expect(printYaml(document)).not.toMatch(/acme|774411/i);
    const left = new Set(wordsIn(document));
    expect(Object.values(originals).filter((name) => left.has(name))).toEqual([]);
  });

  it('leaves zones, types, amounts and what else decisions read', () => {
    const redacted = printYaml(document);
    for (const word of [
      'm5.xlarge',
      'us-east-1a',
      'kube-system',
      '3920m',
      'InsufficientInstanceCapacity',
      'ebs.csi.aws.com',
      'check-capacity.autoscaling.x-k8s.io',
      'ValidUntilSeconds: "600"',
      'noRetry: "true"',
      'medium: Memory',
    ]) {
      expect(redacted).toContain(word);
    }
  });

  it.each([
    ['m5.xlarge', true],
    ['u-6tb1.112xlarge', true],
    ['c7gn.metal', true],
    ['p5en.48xlarge', true],
    ['acme-large', false],
    ['acme.large.blue', false],
    ['acme-prod-node.large', false],
  ])('of instance types leaves those of AWS: %s %s', (type, isLeft) => {
    const copy = structuredClone(whole!);
    const renamed = { ...copy, nodeGroups: copy.nodeGroups.map((group) => withType(group, type)) };
    const written = JSON.stringify(redact(renamed).document);
    expect(written.includes(`"${type}"`)).toBe(isLeft);
  });

  it('knows each key that decisions read', () => {
    const KEY = /'([a-z0-9.-]+\.[a-z]+\/[A-Za-z0-9._-]*)'/g;
    const read = globSync('core/**/*.ts', { cwd: ROOT })
      .filter((file) => !file.startsWith('core/words/'))
      .flatMap((file) => [...readFileSync(path.join(ROOT, file), 'utf8').matchAll(KEY)].map(([, key]) => key!))
      // Names of resources and volume plugins, which are no keys, and the tags of groups.
      .filter(
        (key) => !/^(?:nvidia|amd|habana|gpu\.intel|microsoft|aws\.amazon|k8s\.io\/cluster-autoscaler)\b/.test(key),
      )
      .filter((key) => !/^kubernetes\.io\/(?:aws|gce|azure|cinder|portworx|vsphere|no-prov)/.test(key));
    expect(read.length).toBeGreaterThan(50);
    const known = (key: string): boolean => PUBLIC_KEYS.has(key) || PUBLIC_PREFIXES.some((prefix) => prefix === key);
    expect(read.filter((key) => !known(key))).toEqual([]);
  });
});
