import type { Node } from '../../model/cluster/node.ts';
import type { DisruptionReason } from '../../model/disruption.ts';
import type { NodeGroup } from '../../model/node-group.ts';
import type { Scenario } from '../../model/scenario.ts';

/** A reason to replace a node that is about the node alone. */
export interface Cause {
  readonly reason: Extract<DisruptionReason, 'Unhealthy' | 'Drifted' | 'Expired'>;
  /** Whether an option asks for it. */
  readonly isEnabled: (group: NodeGroup, asked: CauseInput) => boolean;
  /** Why a node is to be replaced, in words; `null`: it is not. */
  readonly find: (node: Node, group: NodeGroup, asked: CauseInput) => string | null;
}

type CauseInput = Pick<Scenario, 'options' | 'now'>;
