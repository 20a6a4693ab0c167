import { Command } from 'commander';

export const localCommand = (): Command => new Command('local');
