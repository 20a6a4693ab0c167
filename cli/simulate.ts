import { Command } from 'commander';

export const simulateCommand = (): Command => new Command('simulate');
