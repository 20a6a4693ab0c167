import type { ClusterRecord } from '@outrigger/core/explanation/cluster-record.ts';
import { err, type Result } from '@outrigger/core/model/values/result.ts';
import { loadRemembered } from '@outrigger/providers/remembered.ts';
import type { TerminalStreams } from '../terminal/streams.ts';
import { type StoredAnswer, answerFromStored, type AskedOfStored } from './stored.ts';

export interface ExplainRequest extends Omit<AskedOfStored, 'answer'> {
  /** @returns why there is no answer: one line each */
  readonly answer: (remembered: ClusterRecord) => Result<StoredAnswer, readonly string[]>;
}

/**
 * Explains by the last decisions of a cluster, and what is stored beside them.
 *
 * @returns the exit code: 0, 1 without an answer, or 2 when the configuration is wrong.
 */
export const explainStored = async (
  { answer, ...asked }: ExplainRequest,
  streams: Pick<TerminalStreams, 'stdout' | 'stderr'>,
): Promise<number> =>
  await answerFromStored(
    {
      ...asked,
      answer: async ({ cluster, table, options, now, signal, ...stores }) => {
        const remembered = await loadRemembered(stores, { cluster, options, now }, signal);
        if (remembered === null) {
          return err([
            `error: Cluster ${cluster} was never evaluated, as far as table ${table} has it: see the log of the ScaleUp function`,
          ]);
        }
        return answer(remembered);
      },
    },
    streams,
  );
