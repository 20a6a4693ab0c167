import * as z from 'zod';
import { type Decision, NO_NODES } from '@outrigger/core/model/decision.ts';
import { storedGroup, storedNode, storedPodKey } from './scalars.ts';
import { FORMER_FIELDS } from '../former-names.ts';
import { stored, storedState } from './state.ts';

const list = <T extends z.core.$ZodLooseShape>(shape: T) => z.array(z.looseObject(shape));

const plan = z.looseObject({
  cost: z.number(),
  bound: z.number().nullable(),
  basis: z.string(),
});

/**
 * A past decision, for display only: this validates the fields that are necessary to show it, and keeps the rest as
 * written.
 */
export const storedDecision = z.looseObject({
  name: z.string(),
  scaleUp: stored(
    {
      result: z.string(),
      increases: list({ group: storedGroup, from: z.number(), to: z.number() }),
      pods: list({ pod: storedPodKey, outcome: z.string() }),
      upcoming: z.record(z.string(), z.number()),
      skippedGroups: list({ group: storedGroup, reason: z.string() }),
      considered: z.array(
        stored(
          {
            options: z.array(stored({ group: storedGroup }, FORMER_FIELDS.consideredOption)),
            winner: storedGroup,
            why: z.string(),
            split: list({ group: storedGroup }),
            unbalanced: list({ group: storedGroup, reason: z.string() }).optional(),
          },
          FORMER_FIELDS.considered,
        ),
      ),
      plan: plan.nullable().default(null),
    },
    FORMER_FIELDS.scaleUp,
  ),
  scaleDown: z.looseObject({
    result: z.string(),
    unneeded: z.array(storedNode),
    removals: list({
      node: storedNode,
      group: storedGroup,
      kind: z.string(),
      pods: z.array(storedPodKey),
      destinations: list({ node: storedNode, pods: z.number() }).default([]),
    }),
    unremovable: list({ node: storedNode, reason: z.string() }),
    message: z.string().nullable().default(null),
    disruptions: z.array(stored({}, FORMER_FIELDS.disruption)).optional(),
    budgets: z.array(stored({}, FORMER_FIELDS.budget)).optional(),
  }),
  registry: z.looseObject({
    clusterHealthy: z.boolean(),
    totals: z.looseObject({ registered: z.number(), ready: z.number() }).default({ ...NO_NODES }),
    groups: z.record(z.string(), z.looseObject({ healthy: z.boolean(), target: z.number() })),
    repairs: list({ kind: z.string(), group: storedGroup }),
  }),
  state: storedState,
  nodeGroups: z
    .record(
      z.string(),
      z.looseObject({
        min: z.number().optional(),
        max: z.number().optional(),
        template: z
          .looseObject({ instanceType: z.string().nullable(), cpu: z.number(), memory: z.number() })
          .optional(),
        nodes: z.array(storedNode).optional(),
      }),
    )
    .optional(),
}) as unknown as z.ZodType<Decision>;
