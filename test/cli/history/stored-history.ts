import type { StoredFlags } from '../../../cli/explain/flags.ts';
import { type AskedOfStored, answerFromStored } from '../../../cli/explain/stored.ts';
import { addTime, epochMs, minutes } from '../../../core/model/values/time.ts';
import { evaluated } from '../../explained.ts';
import type { TestWorld } from '../../functions/test-world.ts';
import { NOW } from '../../scenario-builders.ts';
import { storedCluster } from '../explain/stored-cluster.ts';
import { captured } from '../captured.ts';

/** Evaluated at noon, and a quarter of an hour later without the pods that wait. */
export async function twoEvaluations(world: TestWorld): Promise<void> {
  await evaluated(world);
  world.time = epochMs(world.time + minutes(15));
  world.objects = { ...world.objects, pods: (world.objects.pods ?? []).filter(({ nodeName }) => nodeName !== null) };
  await evaluated(world);
}

/** Output of a command that reads the stored data of such a cluster, half an hour after noon. */
export async function printed(
  answer: AskedOfStored['answer'],
  {
    play = twoEvaluations,
    dryRun = false,
    ...flags
  }: Partial<StoredFlags> & { readonly play?: (world: TestWorld) => Promise<void>; readonly dryRun?: boolean } = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const { server, table } = await storedCluster(dryRun, play);
  return await captured((streams) =>
    answerFromStored(
      {
        flags: { cluster: 'web', output: 'text', table, dynamodbEndpoint: server.endpoint, ...flags },
        now: () => addTime(NOW, minutes(30)),
        answer,
      },
      streams,
    ),
  );
}
