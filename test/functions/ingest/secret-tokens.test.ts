import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import { epochMs } from '../../../core/model/values/time.ts';
import { createSecretTokens } from '../../../functions/ingest/secret-tokens.ts';
import { NOW } from '../../scenario-builders.ts';
import { awsStandIn } from '../../providers/aws/aws-stand-in.ts';

const MINUTE = 60_000;

interface Versions {
  readonly AWSCURRENT?: string;
  readonly AWSPREVIOUS?: string;
}

/** A secret with these versions, the current one made `rotatedAt`; `away` makes the service fail. */
async function secret(versions: Versions, rotatedAt: number = NOW) {
  const state = { versions, rotatedAt, away: false, time: NOW as number };
  const { calls, settings } = await awsStandIn(({ input }) => {
    if (state.away) {
      return { status: 400, body: { __type: 'AccessDeniedException', message: 'no' } };
    }
    const value = state.versions[input['VersionStage'] as keyof Versions];
    return value === undefined
      ? { status: 400, body: { __type: 'ResourceNotFoundException', message: 'no such version' } }
      : { body: { SecretString: value, CreatedDate: state.rotatedAt / 1_000 } };
  });
  const tokens = createSecretTokens('token', () => epochMs(state.time), new SecretsManagerClient(settings));
  return { state, calls, tokens };
}

describe('tokens from a secret', () => {
  it.each([
    { name: 'the current one', versions: { AWSCURRENT: 'new' }, expected: ['new'] },
    { name: 'both after a rotation', versions: { AWSCURRENT: 'new', AWSPREVIOUS: 'old' }, expected: ['new', 'old'] },
    { name: 'none of an empty secret', versions: { AWSCURRENT: '' }, expected: [] },
  ])('are $name', async ({ versions, expected }) => {
    const { tokens } = await secret(versions);
    expect(await tokens()).toEqual(expected);
  });

  it('are the current one alone when an hour has passed since it was made', async () => {
    const versions = { AWSCURRENT: 'new', AWSPREVIOUS: 'leaked' };
    const { tokens, calls } = await secret(versions, NOW - 60 * MINUTE);
    expect(await tokens()).toEqual(['new']);
    expect(calls).toHaveLength(1);
    const { tokens: before } = await secret(versions, NOW - 60 * MINUTE + 1);
    expect(await before()).toEqual(['new', 'leaked']);
  });

  it('leave the previous one out after its hour, though they were read before and cannot be now', async () => {
    const { state, tokens } = await secret({ AWSCURRENT: 'new', AWSPREVIOUS: 'leaked' }, NOW - 58 * MINUTE);
    expect(await tokens()).toEqual(['new', 'leaked']);
    state.away = true;
    state.time += 2 * MINUTE;
    expect(await tokens()).toEqual(['new']);
    state.time += 30 * MINUTE;
    expect(await tokens()).toEqual(['new']);
  });

  it('are read again after five minutes, not for each call', async () => {
    const { state, calls, tokens } = await secret({ AWSCURRENT: 'old' });
    await tokens();
    state.versions = { AWSCURRENT: 'new', AWSPREVIOUS: 'old' };
    state.time += 5 * MINUTE - 1;
    expect(await tokens()).toEqual(['old']);
    expect(calls).toHaveLength(2);
    state.time += 1;
    expect(await tokens()).toEqual(['new', 'old']);
  });

  it('stay valid while the secret cannot be read', async () => {
    const { state, tokens } = await secret({ AWSCURRENT: 'old' });
    await tokens();
    state.away = true;
    state.time += 10 * MINUTE;
    expect(await tokens()).toEqual(['old']);
  });

  it('are an error when they never could be read, until they can be', async () => {
    const { state, tokens } = await secret({ AWSCURRENT: 'new' });
    state.away = true;
    await expect(tokens()).rejects.toThrow('could not be read from secret token');
    await expect(tokens()).rejects.toThrow('could not be read from secret token');
    state.away = false;
    state.time += 1_000;
    expect(await tokens()).toEqual(['new']);
  });

  it('are asked for ever less often while the secret cannot be read', async () => {
    const { state, calls, tokens } = await secret({ AWSCURRENT: 'old' });
    state.away = true;
    for (let call = 0; call < 100; call += 1) {
      await tokens().catch(() => {});
      state.time += 250;
    }
    // After 0, 1, 3, 7 and 15 seconds.
    expect(calls).toHaveLength(5);
    state.time += 120 * MINUTE;
    for (let minute = 0; minute < 10; minute += 1) {
      await tokens().catch(() => {});
      state.time += MINUTE;
    }
    expect(calls.length).toBeGreaterThan(12);
  });
});
