import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { CoreV1Event, V1ConfigMap } from '@kubernetes/client-node';
import { expect } from 'vitest';
import { parse } from 'yaml';
import type { Report } from '../../../cli/html/report.ts';
import { type PackedReport, unpacked } from '../../../cli/html/packed.ts';
import type { AutoscalerStatus } from '../../../core/model/cluster/autoscaler-status.ts';
import { withoutProgress } from '../../cli/explain/without-progress.ts';
import { readPage } from '../../cli/html/read-page.ts';
import type { E2eCluster } from '../cluster.ts';
import type { Outrigger } from '../servers/outrigger.ts';

const MAIN = new URL('../../../cli/main.ts', import.meta.url).pathname;
export const STATUS = '/api/v1/namespaces/kube-system/configmaps/cluster-autoscaler-status';
const run = promisify(execFile);

/** A cluster and the table in which Outrigger stores its decisions about the cluster. */
export interface Place {
  readonly cluster: E2eCluster;
  readonly table: string;
  readonly endpoint: string;
}

/** A process of Outrigger with its state in the table. */
export const started = async (
  { cluster, table, endpoint }: Place,
  options: Readonly<Record<string, string>>,
  name: string,
  ...args: readonly string[]
): Promise<Outrigger> =>
  cluster.outrigger(
    name,
    `--options=${await cluster.optionsFile(options)}`,
    `--dynamodb-endpoint=${endpoint}`,
    `--table=${table}`,
    '--verbose',
    ...args,
  );

export const statusInCluster = async ({ kube }: E2eCluster): Promise<AutoscalerStatus> =>
  parse((await kube.get<V1ConfigMap>(STATUS)).data!['status']!) as AutoscalerStatus;

/** Events of an object, in its namespace. */
export const eventsOf = async (
  { kube }: E2eCluster,
  namespace: string,
  uid: string,
): Promise<readonly CoreV1Event[]> => {
  const selector = encodeURIComponent(`involvedObject.uid=${uid},source=outrigger`);
  return await kube.list<CoreV1Event>(`/api/v1/namespaces/${namespace}/events?fieldSelector=${selector}`);
};

/** Address of the page, as the process logs it; `undefined` before that. */
export const pageSaidBy = (outrigger: Outrigger): string | undefined =>
  outrigger.logged().flatMap(({ message }) => /the page is (\S+)/.exec(String(message))?.slice(1) ?? [])[0];

export async function pageOf(outrigger: Outrigger): Promise<string> {
  await outrigger.untilLogged('the address of its page', () => pageSaidBy(outrigger) !== undefined);
  return pageSaidBy(outrigger)!;
}

const fetched = async (url: string): Promise<string> => await (await fetch(url)).text();

/** The report shown by the page; must equal the report in the page's data. */
export async function reportOf(url: string): Promise<Report> {
  const { report } = readPage(await fetched(url));
  const { decisions } = unpacked(JSON.parse(await fetched(`${url}report.json`)) as PackedReport);
  // The last one is on top: what was decided meanwhile is before them.
  expect(decisions.slice(decisions.length - report.decisions.length)).toEqual(report.decisions);
  return report;
}

/** Asks the table as a person does. */
export async function printed({ cluster, table, endpoint }: Place, ...args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(process.execPath, [
    MAIN,
    ...args,
    `--cluster=${cluster.name}`,
    `--table=${table}`,
    `--dynamodb-endpoint=${endpoint}`,
  ]);
  expect(withoutProgress(stderr)).toBe('');
  return stdout;
}

/** Without how long something has been so: it is asked later here than there, and the page has decisions that repeat what is stored. */
export const timeless = (text: string): string =>
  text.replaceAll(/, \d+\w* ago/g, '').replaceAll(/unneeded for [^,]+/g, 'unneeded');
