// batch: node zz-batch.ts FIRST COUNT PROVIDER [draw...]
import { run } from './run.ts';
import { summedArmings } from './invariants/invariant.ts';
import { INVARIANTS } from './invariants/all.ts';
const [first = '1', count = '10', provider = 'aws', ...draw] = process.argv.slice(2);
const all = [];
const step = Number(process.env.STEP ?? 1);
for (let i = 0; i < Number(count); i += 1) {
  const seed = Number(first) + i * step;
  const r = await run({ seed, provider: provider as never, draw });
  all.push(r.armings);
  if (r.violation !== null) {
    console.log(
      `seed ${seed} ${r.violation.at} ${r.violation.invariant}: ${r.violation.what} (${r.faults} faults) ${r.lines.at(-2)?.slice(0, 12)}`,
    );
    if (process.env.STOP) {
      break;
    }
  }
}
if (!process.env.STOP) {
  const sums = summedArmings(all);
  for (const { name } of INVARIANTS) {
    const s = sums.get(name);
    console.log(`${name}: ${s?.cases ?? 0} ${s === undefined ? '' : ((100 * s.armed) / s.cases).toFixed(1)}`);
  }
}
console.log('cpu', (process.cpuUsage().user / 1e6).toFixed(1));
