import { inject } from 'vitest';

/** Gets a resource that several files of a run share: the first request makes it (`global-setup.ts`). */
export async function shared<T>(name: string): Promise<T> {
  const response = await fetch(`${inject('shared')}/${name}`);
  const body = await response.text();
  if (!response.ok) throw new Error(`${name}: ${body}`);
  return JSON.parse(body) as T;
}
