import type { DrainPhase } from '../model/drain.ts';

/** An arrow of the state diagram in docs/drain.md. */
interface Transition {
  readonly from: DrainPhase;
  readonly to: DrainPhase;
  /** In words, as the diagram has it. */
  readonly when: string;
}

/** Every change of phase that there is: `advanceDrain` makes no other. */
export const TRANSITIONS: readonly Transition[] = [
  { from: 'Tainting', to: 'Validating', when: 'the node bears the taint' },
  { from: 'Tainting', to: 'RollingBack', when: 'it cannot be tainted, or is gone' },
  { from: 'Validating', to: 'Evicting', when: 'a second check finds no reason against it' },
  { from: 'Validating', to: 'RollingBack', when: 'something has changed' },
  { from: 'Evicting', to: 'DeletionDelay', when: 'pods are gone, volumes detached' },
  { from: 'Evicting', to: 'RollingBack', when: 'a pod stays, or something has changed' },
  { from: 'Evicting', to: 'Tainting', when: 'the markers were removed, and the cloud ends the instance later' },
  { from: 'DeletionDelay', to: 'Terminating', when: 'no annotation asks for a delay, or its time is over' },
  { from: 'DeletionDelay', to: 'RollingBack', when: 'something has changed' },
  { from: 'Terminating', to: 'AwaitingTermination', when: 'the cloud has accepted' },
  { from: 'Terminating', to: 'Evicting', when: 'pods have come, and the cloud ends the instance later' },
  { from: 'Terminating', to: 'RollingBack', when: 'the cloud has refused, or something has changed' },
  { from: 'Terminating', to: 'Tainting', when: 'the markers were removed, and the cloud ends the instance later' },
  { from: 'AwaitingTermination', to: 'Removed', when: 'the instance is terminating' },
  { from: 'AwaitingTermination', to: 'RollingBack', when: 'the instance is still in service' },
  { from: 'RollingBack', to: 'RolledBack', when: 'the node is clean, or gone' },
];

/** @throws Error for a change of phase that is not in the table: a bug. */
export function assertTransition(from: DrainPhase, to: DrainPhase): void {
  if (!TRANSITIONS.some((one) => one.from === from && one.to === to)) {
    throw new Error(`core/drain: there is no way from ${from} to ${to}`);
  }
}
