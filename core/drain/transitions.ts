import type { DrainPhase } from '../model/drain.ts';

/** One arrow of the state diagram in docs/drain.md. */
export interface Transition {
  readonly from: DrainPhase;
  readonly to: DrainPhase;
  /** In words, as the diagram has it. */
  readonly when: string;
}

/** Every change of phase that there is: `advanceDrain` makes no other. */
export const TRANSITIONS: readonly Transition[] = [
  { from: 'Tainting', to: 'Settling', when: 'the node bears the taint' },
  { from: 'Tainting', to: 'RollingBack', when: 'it cannot be tainted, or is gone' },
  { from: 'Settling', to: 'Evicting', when: 'a second look finds nothing against it' },
  { from: 'Settling', to: 'RollingBack', when: 'something has changed' },
  { from: 'Evicting', to: 'Delaying', when: 'pods are gone, volumes detached' },
  { from: 'Evicting', to: 'RollingBack', when: 'a pod stays, or something has changed' },
  { from: 'Delaying', to: 'Terminating', when: 'nobody wants a delay, or not any longer' },
  { from: 'Delaying', to: 'RollingBack', when: 'something has changed' },
  { from: 'Terminating', to: 'Verifying', when: 'the cloud has agreed' },
  { from: 'Terminating', to: 'RollingBack', when: 'the cloud has refused, or something has changed' },
  { from: 'Verifying', to: 'Removed', when: 'the machine is on its way out' },
  { from: 'Verifying', to: 'RollingBack', when: 'the machine still serves' },
  { from: 'RollingBack', to: 'RolledBack', when: 'the node is clean, or gone' },
];

/** @throws Error for a change of phase that is not in the table: a bug. */
export function assertTransition(from: DrainPhase, to: DrainPhase): void {
  if (!TRANSITIONS.some((one) => one.from === from && one.to === to)) {
    throw new Error(`core/drain: there is no way from ${from} to ${to}`);
  }
}
