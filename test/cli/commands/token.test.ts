import { expect, it } from 'vitest';
import { isAcceptedToken } from '../../../providers/kubernetes/webhook-token.ts';
import { outrigger } from '../outrigger.ts';

/** Output of `outrigger token` with these arguments. */
const printed = async (...args: readonly string[]): Promise<string> => (await outrigger(['token', ...args])).stdout;

it('prints a token that its hash accepts, another one each time', async () => {
  const texts = [await printed(), await printed()];
  const pairs = texts.map((text) => /^token {2}([\w-]{43})\nhash {3}([0-9a-f]{64})\n$/.exec(text)?.slice(1) ?? []);
  expect(new Set(pairs.map(([token]) => token)).size).toBe(2);
  for (const [token = '', hash = ''] of pairs) {
    expect(isAcceptedToken(token, [hash])).toBe(true);
  }
});

it('prints the same as JSON', async () => {
  const { token, hash } = JSON.parse(await printed('-o', 'json')) as { readonly token: string; readonly hash: string };
  expect(isAcceptedToken(token, [hash])).toBe(true);
});
