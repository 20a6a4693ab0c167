import { type Plugin, rejectEverywhere, rejection } from '../plugin.ts';

const GATED = rejection('SchedulingGates', 'Scheduling is blocked due to non-empty scheduling gates');

/** A pod with scheduling gates is not looked at until they are gone. Follows kube-scheduler 1.35, plugins/schedulinggates. */
export const schedulingGates: Plugin = {
  name: 'SchedulingGates',
  prepare: () => (kind) => (kind.spec.schedulingGates.length > 0 ? rejectEverywhere(GATED) : null),
};
