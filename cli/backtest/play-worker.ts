/** Plays loads in a thread, as `playAll` asks for them. */
import nodeModule from 'node:module';
import path from 'node:path';
import { loadMissingFeatures } from '../missing-features.ts';
import { answerTasks } from '../workers.ts';
import type { PlayTask } from './play.ts';

if (import.meta.url.endsWith('.ts')) {
  nodeModule.enableCompileCache(path.join(import.meta.dirname, '../../.cache/compiled'));
}
await loadMissingFeatures();
const { play } = await import('./play.ts');

answerTasks(async ({ played, provider }: PlayTask, onTime) => await play(played, provider, onTime));
