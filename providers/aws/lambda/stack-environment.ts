import * as z from 'zod';
import { readEnvironment } from './environment.ts';

/** Environment variables that the stack in `cdk/` sets. */
const ENVIRONMENT = {
  AWS_REGION: z.string().min(1),
  OUTRIGGER_CLUSTER: z.string().min(1),
  OUTRIGGER_QUEUE_URL: z.url(),
  OUTRIGGER_TABLE: z.string().min(1),
  OUTRIGGER_DRAIN_QUEUE_URL: z.url().nullable().default(null),
  OUTRIGGER_SCALE_DOWN_FUNCTION: z.string().min(1).nullable().default(null),
  OUTRIGGER_DISCOVERY: z.string().nullable().default(null),
  OUTRIGGER_CLUSTER_API: z.string().nullable().default(null),
  OUTRIGGER_ROLE: z.string().min(1).nullable().default(null),
  OUTRIGGER_ROLE_EXTERNAL_ID: z.string().min(1).nullable().default(null),
  // Without them a stack that observes would act, and one with options would do without.
  OUTRIGGER_OPTIONS: z.string(),
  OUTRIGGER_DRY_RUN: z.enum(['true', 'false']),
  /** Set where there is none: nothing is to be heard from it. */
  OUTRIGGER_WEBHOOK: z.literal('none').nullable().default(null),
  /** For the evaluations alone, if snapshots of cached lists are on. */
  OUTRIGGER_SNAPSHOT_BUCKET: z.string().min(1).nullable().default(null),
  /** ARN of the event bus for messages. */
  OUTRIGGER_EVENT_BUS: z.string().min(1).nullable().default(null),
  OUTRIGGER_SCAN_SECONDS: z.coerce.number().int().min(10).default(60),
};
type Variables = ReturnType<typeof readEnvironment<typeof ENVIRONMENT>>;

/** The variables for starting other functions. */
const STARTED_BY = {
  drains: 'OUTRIGGER_DRAIN_QUEUE_URL',
  'scale-down': 'OUTRIGGER_SCALE_DOWN_FUNCTION',
} as const;

/** The functions that a function may start. */
export type StartedFunction = keyof typeof STARTED_BY;

/** The environment of a function that starts these. */
export type StackEnvironment<Started extends StartedFunction = never> = Variables &
  Readonly<Record<(typeof STARTED_BY)[Started], string>>;

/**
 * Reads the environment of a function of the stack.
 *
 * @param starts what the function starts
 * @throws Error when it is incomplete
 */
export function readStackEnvironment<Started extends StartedFunction>(
  starts: readonly Started[],
): StackEnvironment<Started> {
  const environment = readEnvironment(ENVIRONMENT);
  const missing = starts.map((one) => STARTED_BY[one]).find((variable) => environment[variable] === null);
  if (missing !== undefined) {
    throw new Error(
      `The function's environment is incomplete: expected ${missing}, found none; deploy it with the stack in cdk/`,
    );
  }
  return environment as StackEnvironment<Started>;
}
