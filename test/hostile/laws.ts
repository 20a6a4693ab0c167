import type { Decision } from '../../core/model/decision.ts';
import { mostVirtual } from './objects.ts';
import type { Case } from './recipes.ts';
import { ROUNDS, runCase, type Shown, type Tamper } from './run.ts';
import { HEADROOM, REQUESTED, UNITS, victimNodes, waiting } from './victim.ts';

/** Faults of a case, in words; empty when every law holds. */
export async function faultsOf(given: Case, tamper: Tamper = {}): Promise<readonly string[]> {
  const without = await withoutHostile(given);
  const shown = await runCase(given, false, tamper);
  return [
    ...without.broken.map((what) => `without the hostile objects, ${what}`),
    ...shown.broken,
    ...servedAsWithout(given, shown, without),
    ...comesToRest(shown),
    ...removedAsWithout(given, shown, without),
    ...costsNoMore(given, shown, without),
  ];
}

/** The same cluster with ordinary pods in the places of the hostile ones. */
const withoutHostile = async (given: Case): Promise<Shown> =>
  await runCase({ ...given, encoding: 'json', table: false }, true);

const bought = ({ scaleUp }: Decision): number => scaleUp.increases.reduce((sum, { from, to }) => sum + to - from, 0);

/**
 * Each pod that gets a place without the hostile objects gets one with them, on as many new nodes at least; and so do the victim's
 * buffer and request.
 */
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
  const [held, would] = [headroomIn(decision), headroomIn(before)];
  // A pod on a node may block other pods there, and the capacity held on that node is lost.
  const mayLose =
    given.victim.request === 'booked' &&
    given.hostile.some((one) => one.kind === 'node' || (one.kind === 'pods' && one.place !== 'pending'));
  const lost = mayLose ? Math.max(0, (would.get(HEADROOM.request) ?? 0) - (held.get(HEADROOM.request) ?? 0)) : 0;
  if (bought(decision) < bought(before) - Math.ceil(lost / UNITS)) {
    broken.push(`${bought(decision)} nodes are bought where ${bought(before)} would be`);
  }
  for (const [name, count] of would) {
    if (name === HEADROOM.request && mayLose) {
      continue;
    }
    if ((held.get(name) ?? 0) < count) {
      broken.push(`${name} has capacity for ${held.get(name) ?? 0} pods, and would have it for ${count}`);
    }
  }
  if (without.isProvisioned && !shown.isProvisioned) {
    broken.push(`that capacity is provisioned for ${HEADROOM.request} is not written`);
  }
  const pending = shown.pending.filter((pod) => !without.pending.includes(pod));
  if (pending.length > 0) {
    broken.push(`in the end ${pending.join(', ')} of the victim are without a node, and would have one`);
  }
  return broken;
}

/** The victim's buffer and request, and the number of pods that capacity is held or added for. */
const headroomIn = ({ scaleUp: { headroom = [], provisioningRequests = [] } }: Decision): ReadonlyMap<string, number> =>
  new Map(
    [...headroom, ...provisioningRequests]
      .filter(({ name }) => name === HEADROOM.buffer || name === HEADROOM.request)
      .map(({ name, fits, triggered }) => [name, fits + triggered]),
  );

const reasonOf = ({ scaleUp }: Decision, pod: string): string =>
  (scaleUp.pods.find((one) => one.pod === pod)?.reasons ?? []).map(({ reason }) => reason.slice(0, 200)).join('; ');

/** Bought nodes are on their way, and nothing more is wanted, but where what a request waited for has ended while nodes were drained. */
function comesToRest({ decisions, removed }: Shown): readonly string[] {
  const last = decisions.at(-1);
  const isAnswered =
    last?.scaleUp.provisioningRequests?.some(({ outcome }) => outcome === 'CapacityIsProvisioned') ?? false;
  // Pods that were evicted take what buffers hold, which kube-scheduler does not know of.
  const isTaken = removed.length > 0 && (last?.scaleUp.headroom?.some(({ triggered }) => triggered > 0) ?? false);
  return decisions.length === ROUNDS && last !== undefined && bought(last) > 0 && !isAnswered && !isTaken
    ? [`evaluation ${decisions.length} of the same cluster still buys ${bought(last)} nodes`]
    : [];
}

/**
 * As many nodes go as would, of those without a pod: where a hostile pod is no other may be moved to, if the pod asks for too much to
 * be followed. Each pod that waits or comes late, and each one that capacity is held for, may keep one.
 */
function removedAsWithout(given: Case, shown: Shown, without: Shown): readonly string[] {
  const names = victimNodes(given.victim);
  const pods = given.hostile.flatMap((recipe) => (recipe.kind === 'pods' ? [recipe] : []));
  const keeping = pods.filter(({ place }) => place === 'pending' || place === 'late');
  const used = new Set(pods.map(({ node }) => names[node % names.length]));
  const free = without.removed.filter(
    (node) => pods.length === 0 || (!used.has(node) && given.victim.nodes[names.indexOf(node)]!.length === 0),
  );
  const expected = free.length - most(given, keeping) - roomWithheld(given);
  return shown.removed.length >= expected
    ? []
    : [
        `${free.join(', ')} would be removed, and of them only ${shown.removed.length} are, where ${expected} have to be`,
      ];
}

/**
 * The hostile objects cost a node for each of their pods, and for each one that their namespace may have capacity held for; and what
 * the victim's headroom lacks finds capacity on those nodes.
 */
function costsNoMore(given: Case, shown: Shown, without: Shown): readonly string[] {
  // Pods of DaemonSets are on each node that is added, and what they leave there is less.
  if (given.hostile.some(({ kind }) => kind === 'daemonSet')) {
    return [];
  }
  const pods = given.hostile.flatMap((recipe) => (recipe.kind === 'pods' ? [recipe] : []));
  const { spare, request } = given.victim;
  const [before] = without.decisions;
  const held = before === undefined ? [] : [...headroomIn(before).values()];
  const lacking = spare + (request === 'none' ? 0 : REQUESTED) - held.reduce((sum, count) => sum + count, 0);
  // Each pod that waits may take capacity that is held, which kube-scheduler does not know of, and so may each pod of a new
  // request; then it is held elsewhere.
  const taken = Math.min(virtual(given), waiting(given.victim).size + (request === 'new' ? REQUESTED : 0));
  const limit = without.size + most(given, pods) + lacking + roomWithheld(given) + taken;
  return shown.size <= limit ? [] : [`there are ${shown.size} nodes in the end, and may be ${limit}`];
}

/** Pods that have no place on a node whose kubelet states too little, each of which may cost another node. */
const roomWithheld = ({ hostile }: Case): number => (hostile.some(({ kind }) => kind === 'node') ? UNITS : 0);

/** Maximum number of nodes for these pods and the virtual pods. */
const most = (given: Case, pods: readonly { readonly count: number }[]): number =>
  pods.reduce((sum, { count }) => sum + count, 0) + virtual(given);

/** Maximum number of virtual pods of the hostile objects that have capacity held. */
const virtual = ({ hostile, settings }: Case): number =>
  hostile.some(({ kind }) => kind === 'buffers' || kind === 'requests') ? mostVirtual(settings) : 0;
