/** Runs one load with one setting, and prints the results as JSON; see main.ts. */
import { record } from '../../../cli/demo/record/record.ts';
import { fractionalBound } from './bound.ts';
import { demandOf, jobCoreHours, shapesOf } from './demand.ts';
import { loadOf, withSteadyBoots } from './loads.ts';
import { type Measured, measured } from './measure.ts';
import { repackingCost } from './repacking.ts';
import { SETTINGS } from './settings.ts';

const [name, setting, set, boots] = process.argv.slice(2) as [string, string, string, 'drawn' | 'steady'];
const drawn = loadOf(name, { ...SETTINGS[setting], ...(JSON.parse(set) as object) });
const load = boots === 'steady' ? withSteadyBoots(drawn) : drawn;
const end = load.until! / 1_000;
const demand = demandOf(load);
const shapes = shapesOf(load);
const run = measured(await record(load));
const row: Measured = {
  load: name,
  setting,
  ...run,
  bound: run.usd / fractionalBound(demand, shapes, end),
  repacking: run.usd / repackingCost(demand, shapes, end).cost,
  lostShare: run.lostCoreHours / jobCoreHours(load),
  cpuSeconds: process.cpuUsage().user / 1e6,
};
process.stdout.write(JSON.stringify(row));
