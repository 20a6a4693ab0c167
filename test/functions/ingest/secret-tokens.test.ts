import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { describe, expect, it } from 'vitest';
import { epochMs } from '../../../core/model/time.ts';
import { createSecretTokens } from '../../../functions/ingest/secret-tokens.ts';
import { NOW } from '../../scenario-builders.ts';
import { awsStandIn } from '../shared/aws-stand-in.ts';

/** A secret with these versions; `away` makes the service fail. */
async function secret(versions: { AWSCURRENT?: string; AWSPREVIOUS?: string }) {
  const state = { versions, away: false, time: NOW as number };
  const { calls, settings } = await awsStandIn(({ input }) => {
    if (state.away) {
      return { status: 400, body: { __type: 'AccessDeniedException', message: 'no' } };
    }
    const value = state.versions[input['VersionStage'] as 'AWSCURRENT' | 'AWSPREVIOUS'];
    return value === undefined
      ? { status: 400, body: { __type: 'ResourceNotFoundException', message: 'no such version' } }
      : { body: { SecretString: value } };
  });
  const tokens = createSecretTokens('token', () => epochMs(state.time), new SecretsManagerClient(settings));
  return { state, calls, tokens };
}

describe('tokens from a secret', () => {
  it.each([
    { name: 'the current one', versions: { AWSCURRENT: 'new' }, expected: ['new'] },
    { name: 'both during rotation', versions: { AWSCURRENT: 'new', AWSPREVIOUS: 'old' }, expected: ['new', 'old'] },
    { name: 'none of an empty secret', versions: { AWSCURRENT: '' }, expected: [] },
  ])('are $name', async ({ versions, expected }) => {
    const { tokens } = await secret(versions);
    expect(await tokens()).toEqual(expected);
  });

  it('are read again after five minutes, not for each call', async () => {
    const { state, calls, tokens } = await secret({ AWSCURRENT: 'old' });
    await tokens();
    state.versions = { AWSCURRENT: 'new', AWSPREVIOUS: 'old' };
    state.time += 300_000;
    expect(await tokens()).toEqual(['old']);
    expect(calls).toHaveLength(2);
    state.time += 1;
    expect(await tokens()).toEqual(['new', 'old']);
  });

  it('stay valid while the secret cannot be read', async () => {
    const { state, tokens } = await secret({ AWSCURRENT: 'old' });
    await tokens();
    state.away = true;
    state.time += 600_000;
    expect(await tokens()).toEqual(['old']);
  });

  it('are an error when they never could be read', async () => {
    const { state, tokens } = await secret({});
    state.away = true;
    await expect(tokens()).rejects.toThrow('could not be read from secret token');
  });
});
