import type { Decision, PodOutcome, Removal } from '../../model/decision.ts';
import { counted } from '../../model/values/counted.ts';
import { POD_OUTCOMES, SCALE_DOWN_RESULTS, SCALE_UP_RESULTS } from '../../words/outcomes.ts';
import { reasonTexts } from '../../words/pod-reasons.ts';
import { repairText } from '../../words/repairs.ts';
import { whyGroupSkipped } from '../../words/why-group-skipped.ts';
import { whyNodeStays } from '../../words/why-node-stays.ts';
import { mapOptional } from '../../model/values/optional.ts';

/** A difference between two decisions, in words. */
export interface Difference {
  readonly about: 'scale-up' | 'scale-down' | 'cost' | 'node group' | 'repair' | 'node' | 'pod';
  /** Names of those that it is about, each as often as it is in a decision: once; empty where it is the whole. */
  readonly names: readonly string[];
  /** `null`: it says nothing of them. */
  readonly decided: string | null;
  readonly wouldBe: string | null;
}

/** All statements of a decision, by subject. */
type Facts = ReadonlyMap<string, { readonly about: Difference['about']; readonly name: string; readonly text: string }>;

/** The differences between a decision and another one from the same cluster: what is ordered first, then why. */
export function differencesOf(first: Decision, other: Decision): readonly Difference[] {
  const [before, after] = [factsOf(first), factsOf(other)];
  const alike = new Map<string, Difference>();
  for (const [key, { about, name }] of new Map([...before, ...after])) {
    const decided = before.get(key)?.text ?? null;
    const wouldBe = after.get(key)?.text ?? null;
    if (decided !== wouldBe) {
      const same = JSON.stringify([about, decided, wouldBe, about === 'node group' && name]);
      const names = [...(alike.get(same)?.names ?? []), name].filter((one) => one !== '');
      alike.set(same, { about, names, decided, wouldBe });
    }
  }
  return [...alike.values()].toSorted((a, b) => ORDER.indexOf(a.about) - ORDER.indexOf(b.about));
}

const ORDER: readonly Difference['about'][] = ['scale-up', 'scale-down', 'cost', 'node group', 'repair', 'node', 'pod'];

function factsOf({ scaleUp, scaleDown, registry }: Decision): Facts {
  const facts = new Map<string, { about: Difference['about']; name: string; text: string }>();
  const say = (about: Difference['about'], name: string, text: string): void =>
    void facts.set(JSON.stringify([about, name]), { about, name, text });
  say('scale-up', '', SCALE_UP_RESULTS[scaleUp.result].short);
  say('scale-down', '', SCALE_DOWN_RESULTS[scaleDown.result].short);
  if (scaleUp.plan !== null) {
    say('cost', '', `$${scaleUp.plan.cost.toFixed(3)}/h for the new nodes`);
  }
  for (const skipped of scaleUp.skippedGroups) {
    say('node group', skipped.group, `cannot grow: ${whyGroupSkipped(skipped)}`);
  }
  for (const { group, from, to } of scaleUp.increases) {
    say('node group', group, `grows from ${from} to ${to}`);
  }
  for (const repair of registry.repairs) {
    say('repair', repairText(repair), 'is made');
  }
  for (const node of scaleDown.unneeded) {
    say('node', node, 'unneeded');
  }
  for (const one of scaleDown.unremovable) {
    const pod = mapOptional(one.pod, (name) => ` (pod ${name})`) ?? '';
    say('node', one.node, `stays: ${whyNodeStays(one)}${pod}`);
  }
  for (const removal of scaleDown.removals) {
    say('node', removal.node, removalText(removal));
  }
  for (const pod of scaleUp.pods) {
    say('pod', pod.pod, podText(pod));
  }
  return facts;
}

const removalText = ({ kind, pods }: Removal): string =>
  kind === 'empty' ? 'removed, as it is empty' : `removed, and ${counted(pods.length, 'pod')} must move`;

const podText = ({ outcome, group, reasons }: PodOutcome): string =>
  [`${POD_OUTCOMES[outcome].short}${mapOptional(group, (name) => ` (${name})`) ?? ''}`, ...reasonTexts(reasons)].join(
    '; ',
  );
