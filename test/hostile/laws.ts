import type { Decision } from '../../core/model/decision.ts';
import { hostileObjects } from './objects.ts';
import type { Case } from './recipes.ts';
import { ROUNDS, runCase, type Shown, type Tamper } from './run.ts';
import { victimNodes, waiting } from './victim.ts';

/** What is wrong with a case, in words; empty when every law holds. */
export async function faultsOf(given: Case, tamper: Tamper = {}): Promise<readonly string[]> {
  const without = await withoutHostile(given);
  const shown = await runCase(given, false, tamper);
  return [
    ...without.broken.map((what) => `without the hostile objects, ${what}`),
    ...shown.broken,
    ...servedAsWithout(given, shown, without),
    ...comesToRest(shown),
    ...removedAsWithout(given, shown, without),
  ];
}

/** The same cluster with ordinary pods in the places of the hostile ones. Where there are none it is known already. */
async function withoutHostile(given: Case): Promise<Shown> {
  const bound = given.hostile.filter((recipe) => recipe.kind === 'pods' && !['pending', 'late'].includes(recipe.place));
  const plain: Case = { ...given, hostile: bound, encoding: 'json', table: false };
  // What is removed is not compared otherwise.
  const rounds = mayKeepNodes(given) ? 1 : ROUNDS;
  if (bound.length > 0) {
    return await runCase(plain, true, {}, rounds);
  }
  const key = JSON.stringify(given.victim);
  const known = undisturbed.get(key) ?? (await runCase(plain, true));
  undisturbed.set(key, known);
  return known;
}

const undisturbed = new Map<string, Shown>();

const bought = ({ scaleUp }: Decision): number => scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);

/** Each pod that gets a place without the hostile objects gets one with them, on as many new nodes at least. */
function servedAsWithout(given: Case, shown: Shown, without: Shown): readonly string[] {
  const [decision] = shown.decisions;
  const [before] = without.decisions;
  if (decision === undefined || before === undefined) {
    return [];
  }
  const outcomes = (of: Decision): ReadonlyMap<string, string> =>
    new Map(of.scaleUp.pods.map(({ pod, outcome }) => [pod, outcome]));
  const [had, has] = [outcomes(before), outcomes(decision)];
  const isServed = (outcome: string | undefined): boolean => outcome === 'Triggered' || outcome === 'Fits';
  const broken = [...waiting(given.victim).keys()].flatMap((pod) =>
    isServed(had.get(pod)) && !isServed(has.get(pod))
      ? [
          `the victim's ${pod} is ${has.get(pod) ?? 'not mentioned'}, and would be ${had.get(pod)!}: ${reasonOf(decision, pod)}`,
        ]
      : [],
  );
  if (bought(decision) < bought(before)) {
    broken.push(`${bought(decision)} nodes are bought where ${bought(before)} would be`);
  }
  return broken;
}

const reasonOf = ({ scaleUp }: Decision, pod: string): string =>
  (scaleUp.pods.find((one) => one.pod === pod)?.reasons ?? []).map(({ reason }) => reason.slice(0, 200)).join('; ');

/** What was bought is on its way, and nothing more is wanted. */
function comesToRest({ decisions }: Shown): readonly string[] {
  const last = decisions.at(-1);
  return decisions.length === ROUNDS && last !== undefined && bought(last) > 0
    ? [`evaluation ${decisions.length} of the same cluster still buys ${bought(last)} nodes`]
    : [];
}

const mayKeepNodes = ({ hostile }: Case): boolean =>
  hostile.some((recipe) => recipe.kind !== 'pods' || recipe.place === 'pending' || recipe.place === 'late');

/**
 * As many nodes go as would, of those without a pod. Pods that wait may want the room, those that come late may keep their
 * node, and where a hostile pod is no other may be moved to, if the pod asks for too much to be followed.
 */
function removedAsWithout(given: Case, shown: Shown, without: Shown): readonly string[] {
  if (mayKeepNodes(given)) {
    return [];
  }
  const names = victimNodes(given.victim);
  const used = new Set(hostileObjects(given.hostile, names).map(({ object }) => object.spec?.['nodeName']));
  const empty = without.removed.filter(
    (node) => !used.has(node) && given.victim.nodes[names.indexOf(node)]!.length === 0,
  );
  return shown.removed.length >= empty.length
    ? []
    : [`${empty.join(', ')} would be removed, being empty, and only ${shown.removed.join(', ') || 'none'} are`];
}
