import { expect, it } from 'vitest';
import { TOKEN_HASH } from '../../../core/model/values/token-hash.ts';
import { hashOfToken, isAcceptedToken, newToken } from '../../../providers/kubernetes/webhook-token.ts';

it('a new token is 32 random bytes that stand in a path as they are', () => {
  const tokens = Array.from({ length: 100 }, newToken);
  expect(new Set(tokens).size).toBe(100);
  for (const token of tokens) {
    expect(token).toMatch(/^[\w-]{43}$/);
    expect(Buffer.from(token, 'base64url')).toHaveLength(32);
  }
});

it('the hash of a token is its SHA-256', () => {
  expect(hashOfToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  expect(hashOfToken(newToken())).toMatch(TOKEN_HASH);
});

it.each([
  ['the only one', ['a'], 'a', true],
  ['the first of two', ['a', 'b'], 'a', true],
  ['the second of two', ['a', 'b'], 'b', true],
  ['another one', ['a', 'b'], 'c', false],
  ['one where none is known', [], 'a', false],
  ['none, even where its hash is listed', ['', 'a'], '', false],
])('a token is accepted by its hash: %s', (_name, tokens, shown, accepted) => {
  expect(isAcceptedToken(shown, tokens.map(hashOfToken))).toBe(accepted);
});
