import { expect, it } from 'vitest';
import type { LaunchFailure } from '../../core/model/node-group.ts';
import { noCapacity } from '../../providers/simulated/auto-scaling.ts';
import { group } from '../scenario-builders.ts';
import { testGroups } from '../functions/test-world.ts';
import { fromActivityTexts } from './activity-texts.ts';

it('launch failures are what the reader of AWS’ texts finds: class, code and zone', async () => {
  const failures: LaunchFailure[] = [
    { id: 'a', zone: 'us-east-1b', ...noCapacity('m5.large', 'us-east-1b') } as LaunchFailure,
    {
      id: 'b',
      zone: 'us-east-1a',
      class: 'Quota',
      code: 'VcpuLimitExceeded',
      message: 'You have requested more vCPU capacity than your current vCPU limit of 32 allows.',
    } as LaunchFailure,
  ];
  const groups = fromActivityTexts(testGroups([]));
  // Classes are not taken over: these are wrong, and found to be.
  const given = failures.map((failure) => ({ ...failure, class: 'Other' as const }));
  const [read] = await groups.withLaunchFailures([{ ...group('a'), launchFailures: given }], new Map());
  expect(read!.launchFailures).toEqual(
    failures.map((failure) => ({ ...failure, message: expect.stringContaining(failure.message) as string })),
  );
});
