import type { SQSBatchResponse } from 'aws-lambda';
import { statusOf } from '@outrigger/core/explanation/status.ts';
import type { Options } from '@outrigger/core/model/options.ts';
import type { ClusterName } from '@outrigger/core/model/values/names.ts';
import { mapOptional } from '@outrigger/core/model/values/optional.ts';
import type { EpochMs } from '@outrigger/core/model/values/time.ts';
import type { Metrics } from '@outrigger/core/ports/observability.ts';
import { loadClusterRecord, type Stores } from '@outrigger/providers/cluster-record.ts';
import type { OnDecision } from '../../../runtime/functions.ts';
import type { Invocations } from '../../../runtime/invocations.ts';
import { pageAssets } from '../../html/assets.ts';
import { createLiveRecorder } from '../../html/live-recorder.ts';
import { liveReport } from '../../html/live-report.ts';
import { packed } from '../../html/packed.ts';
import type { Report } from '../../html/report.ts';
import { pagePolicy, writePage } from '../../html/write-page.ts';
import { awayText } from '../api-server-watch.ts';
import { createHealth, type Health, type HealthLimits } from './health.ts';
import { type Address, hostInUrl } from '../listening.ts';
import { plainAnswer, type Routes, startHttpServer } from './http-server.ts';
import { createExposition, type Exposition } from './metrics.ts';

/** The data of a process that may be read over HTTP. */
export interface EndpointSettings extends HealthLimits {
  readonly address: Address;
  /** Is there a page for people? */
  readonly ui: boolean;
}

export interface Endpoint {
  /** `http://127.0.0.1:8085/` */
  readonly url: string;
  readonly metrics: Metrics;
  readonly onDecision: OnDecision;
  /** Watches whether functions are invoked, and end. */
  readonly watching: (invocations: Invocations) => Invocations;
  readonly close: () => Promise<void>;
}

export interface ServedCluster {
  readonly cluster: ClusterName;
  readonly options: Pick<Options, 'idleEvaluationInterval'>;
  readonly stores: Stores;
  readonly dryRun: boolean;
  readonly now: () => EpochMs;
  /** Since when the API server does not answer; `null`: it answers. */
  readonly awaySince: () => EpochMs | null;
}

/** How often an open page asks for what is new. */
const REFRESH_MS = 5_000;
/** Reading the state for the page may take this long. */
const READ_MS = 5_000;

/**
 * Serves `/metrics` and `/health-check` as Cluster Autoscaler does, and a page where that is wanted.
 *
 * @throws Error where it cannot listen on the address.
 */
export async function openEndpoint(settings: EndpointSettings, observed: ServedCluster): Promise<Endpoint> {
  const { address, ui } = settings;
  const { now, dryRun } = observed;
  const exposition = createExposition(dryRun);
  const health = createHealth(settings, now());
  const recorder = createLiveRecorder(now());
  const report = async (): Promise<Report> => {
    const signal = AbortSignal.timeout(READ_MS);
    const { cluster, options, stores } = observed;
    const record = await loadClusterRecord(stores, { cluster, options, now: now() }, signal);
    return liveReport(cluster, recorder.recorded(), mapOptional(record, statusOf));
  };
  const routes: Routes = {
    '/metrics': async () => ({ status: 200, type: exposition.contentType, body: await exposition.text() }),
    '/health-check': () => {
      const trouble = health.trouble(now());
      if (trouble !== null) {
        return plainAnswer(500, `Error: ${trouble}`);
      }
      // The status stays 200 through an outage of the API server that is shorter than the limit, as Cluster Autoscaler's does.
      return plainAnswer(200, mapOptional(observed.awaySince(), (since) => `OK. ${awayText(since)}.`) ?? 'OK');
    },
  };
  const server = await startHttpServer(address, ui ? { ...routes, ...(await pageRoutes(report)) } : routes);
  return {
    url: `http://${hostInUrl(address.host)}:${server.port}/`,
    metrics: exposition.metrics,
    onDecision: (scenario, decision) => {
      exposition.onDecision(scenario, decision);
      if (ui) {
        recorder.onDecision(scenario, decision);
      }
    },
    watching: (invocations) => watched(invocations, exposition, health, now),
    close: server.close,
  };
}

const LIVE = { url: 'report.json', everyMs: REFRESH_MS };

async function pageRoutes(report: () => Promise<Report>): Promise<Routes> {
  const assets = await pageAssets();
  return {
    '/': async () => ({
      status: 200,
      type: 'text/html; charset=utf-8',
      body: writePage(await report(), assets, LIVE),
      policy: `${pagePolicy(assets, LIVE)}; frame-ancestors 'none'`,
    }),
    '/report.json': async () => ({
      status: 200,
      type: 'application/json; charset=utf-8',
      body: JSON.stringify(packed(await report())),
    }),
  };
}

const watched =
  (invocations: Invocations, { onInvocation }: Exposition, health: Health, now: () => number): Invocations =>
  (servicesFor) => {
    const invoke = invocations(servicesFor);
    return async (target, event) => {
      const start = now();
      const isEvaluation = target.name === 'scale-up';
      if (isEvaluation) {
        health.begins(start);
      }
      try {
        const result = await invoke(target, event);
        if (isEvaluation && (result as SQSBatchResponse).batchItemFailures.length === 0) {
          health.succeeds(now());
        }
        return result;
      } finally {
        onInvocation(target.name, (now() - start) / 1_000, now());
      }
    };
  };
