import { expect, it } from 'vitest';
import { startJournal } from '../../../cli/install/journal.ts';

it('says of a call that AWS refuses which step failed, why, and what to do next', async () => {
  const told: string[] = [];
  const journal = startJournal((line) => told.push(line));
  const refused = Object.assign(new Error('The security token included in the request is expired'), {
    name: 'ExpiredToken',
    $metadata: { httpStatusCode: 403 },
  });
  const taken = journal.take('stack', 'Deploying the stack', async () => await Promise.reject(refused));
  const text =
    'Deploying the stack failed: the AWS credentials are expired (ExpiredToken: The security token included in the request is expired). Log in (aws sso login), or name a profile that has credentials with --profile.';
  await expect(taken).rejects.toThrow(text);
  expect(told).toEqual(['… Deploying the stack', `✗ ${text}`]);
  expect(journal.steps).toEqual([{ id: 'stack', status: 'failed', text }]);
});
