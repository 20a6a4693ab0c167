/**
 * `npm run simulate-faults -- --seeds N [--seed S]`: runs the functions over a simulated world in which everything goes
 * wrong that may, once for each seed, and checks after every step what must hold. See docs/fault-simulation.md.
 */
import { simulateFaults } from './command.ts';

await simulateFaults().parseAsync();
