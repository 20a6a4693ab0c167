import { type DurableLambdaHandler, withDurableExecution } from '@aws/durable-execution-sdk-js';
import type { DrainRequest } from '@outrigger/core/ports/executions.ts';
import type { DrainServices } from '../shared/services.ts';
import { driveDrains } from './drive.ts';
import { STEP_MS } from './pace.ts';
import { drainRequest } from './steps.ts';

/**
 * The drive as a Lambda durable execution: what has been done is not done again when it is resumed, and nothing runs
 * while it waits. Not put together by middy: its hooks do not run when an execution suspends.
 *
 * A round that was cut short is done again; it finds in the store how far it came.
 *
 * @param publish flushes metrics: at the end of each invocation, the suspended ones too.
 */
export const createDrainHandler = (services: DrainServices, publish: () => void): DurableLambdaHandler =>
  withDurableExecution<DrainRequest, void>(
    async (event, context) => {
      await driveDrains(services, drainRequest.parse(event), {
        step: (name, work) => context.step(name, work),
        stepMs: STEP_MS,
        limit: (ms) => AbortSignal.timeout(ms),
        wait: (name, ms) => context.wait(name, { seconds: Math.max(1, Math.ceil(ms / 1_000)) }),
      });
    },
    {
      plugins: [
        {
          onInvocationEnd: () => {
            publish();
            return Promise.resolve();
          },
        },
      ],
    },
  );
