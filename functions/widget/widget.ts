import type { Options } from '@outrigger/core/model/options.ts';
import type { DecisionHistory } from '@outrigger/core/ports/decision-history.ts';
import { dryRunOf } from '@outrigger/core/actuation/commit/dry-run-state.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import { unevaluatedPage, WIDGET_DOCUMENTATION, widgetPage } from '@outrigger/providers/html/widget/page.ts';
import { loadClusterRecord, type Stores } from '@outrigger/providers/cluster-record.ts';
import { parseWidgetCall } from '@outrigger/providers/schema/widget-call.ts';

/** Decisions of the past on the first page. */
const MOST_DECISIONS = 10;

interface WidgetServices extends Stores {
  readonly history: Pick<DecisionHistory, 'list'>;
  readonly now: () => EpochMs;
  readonly cluster: ClusterName;
  readonly options: Pick<Options, 'idleEvaluationInterval'>;
}

/** Answers a custom widget of CloudWatch with HTML, from what is stored alone. Changes nothing. */
export const createWidget =
  (services: WidgetServices) =>
  async (
    event: unknown,
    { signal, functionArn }: { readonly signal: AbortSignal; readonly functionArn: string },
  ): Promise<string> => {
    const call = parseWidgetCall(event);
    if (call.view.kind === 'documentation') {
      return WIDGET_DOCUMENTATION;
    }
    const record = await loadClusterRecord(
      services,
      { cluster: services.cluster, options: services.options, now: services.now() },
      signal,
    );
    if (record === null) {
      return unevaluatedPage(services.cluster, call);
    }
    const of = record.mode === 'observe' ? dryRunOf(services.cluster) : services.cluster;
    const decisions =
      call.view.kind === 'status' ? await services.history.list(of, { limit: MOST_DECISIONS }, signal) : [];
    return widgetPage(record, decisions, call, { endpoint: functionArn });
  };
