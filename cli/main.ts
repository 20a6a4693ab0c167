#!/usr/bin/env node
import { Command } from 'commander';
import { demoCommand } from './demo.ts';
import { localCommand } from './local.ts';
import { simulateCommand } from './simulate.ts';

const program = new Command('outrigger')
  .description('A cluster autoscaler for Amazon EKS that does not live in the cluster')
  .showSuggestionAfterError()
  .showHelpAfterError('(run with --help for the options)')
  .addCommand(demoCommand())
  .addCommand(simulateCommand())
  .addCommand(localCommand());

await program.parseAsync();
