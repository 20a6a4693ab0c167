/** Runs loads with settings, as main.ts asks for them by messages, and answers with the results. */
import { record } from '../../../simulation/recording/record.ts';
import { fractionalBound } from './bound.ts';
import { demandOf, jobCoreHours, shapesOf } from './demand.ts';
import { loadOf, withSteadyBoots } from './loads.ts';
import { type Measured, measured } from './measure.ts';
import { repackingCost } from './repacking.ts';
import { SETTINGS } from './settings.ts';
import { answerTasks } from '../../../cli/workers.ts';

/** A run of a load. */
export interface Task {
  readonly load: string;
  readonly setting: string;
  /** Options beside those of the setting. */
  readonly set: Readonly<Record<string, unknown>>;
  readonly steadyBoots: boolean;
}

answerTasks(rowOf);

async function rowOf({ load: name, setting, set, steadyBoots }: Task): Promise<Measured> {
  const before = process.threadCpuUsage().user;
  const drawn = loadOf(name, { ...SETTINGS[setting], ...set });
  const load = steadyBoots ? withSteadyBoots(drawn) : drawn;
  const end = load.until! / 1_000;
  const demand = demandOf(load);
  const shapes = shapesOf(load);
  const run = measured(await record(load));
  return {
    load: name,
    setting,
    ...run,
    bound: run.usd / fractionalBound(demand, shapes, end),
    repacking: run.usd / repackingCost(demand, shapes, end).cost,
    lostShare: run.lostCoreHours / Math.max(1, jobCoreHours(load)),
    cpuSeconds: (process.threadCpuUsage().user - before) / 1e6,
  };
}
