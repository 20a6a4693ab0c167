import { inject } from 'vitest';

/** What several files of a run have in common: whoever asks first has it made (`global-setup.ts`). */
export async function shared<T>(name: string): Promise<T> {
  const response = await fetch(`${inject('shared')}/${name}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`${name}: ${body}`);
  return JSON.parse(body) as T;
}
