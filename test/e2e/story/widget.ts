import { setTimeout as delay } from 'node:timers/promises';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { clusterName } from '../../../core/model/values/names.ts';
import { epochMs, minutes } from '../../../core/model/values/time.ts';
import { createWidget } from '../../../functions/widget/widget.ts';
import { createDynamoDbClient } from '../../../providers/dynamodb/client.ts';
import { createDynamoDbDrains } from '../../../providers/dynamodb/drains.ts';
import { createDynamoDbHistory } from '../../../providers/dynamodb/history.ts';
import { createDynamoDbStore } from '../../../providers/dynamodb/store.ts';
import { countedReason, type GroupTold, growthTold, outcomeTold, type PodTold, type Told } from './told.ts';

/** A section of the widget under its heading. */
export interface WidgetSection {
  readonly title: string;
  /** Each block of text on its own line. */
  readonly text: string;
  /** Cells of its table, the heading aside; each block of a cell on its own line. */
  readonly rows: readonly (readonly string[])[];
}

export interface ReadWidget {
  /** Names and values at the top. */
  readonly facts: Readonly<Record<string, string>>;
  readonly sections: readonly WidgetSection[];
  /** All of it; each block on its own line. */
  readonly text: string;
}

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** The widget as a person reads it in CloudWatch: without the parameters of links. */
export function readWidget(html: string): ReadWidget {
  const fragment = parseFragment(html);
  const all = within(fragment.childNodes);
  const names = all.filter(named('dt')).map(linesOf);
  const values = all.filter(named('dd')).map(linesOf);
  return {
    text: linesOf(fragment),
    facts: Object.fromEntries(names.map((name, index) => [name, values[index]!])),
    sections: all.filter(named('section')).map((section) => {
      const [heading, ...rest] = section.childNodes;
      return {
        title: linesOf(heading!),
        text: tidied(rest.map(written).join('')),
        rows: within(section.childNodes)
          .filter(named('tr'))
          .map((row) => row.childNodes.filter((cell) => cell.nodeName === 'td').map(linesOf))
          .filter((cells) => cells.length > 0),
      };
    }),
  };
}

const within = (nodes: readonly Node[]): readonly Element[] =>
  nodes.flatMap((node) => ('tagName' in node ? [node, ...within(node.childNodes)] : []));

const named =
  (name: string) =>
  ({ tagName }: Element): boolean =>
    tagName === name;

/** Text that a browser shows of a node; blocks begin and end lines. */
function written(node: Node | DefaultTreeAdapterTypes.DocumentFragment): string {
  if ('value' in node) {
    return node.value;
  }
  if (!('childNodes' in node) || node.nodeName === 'cwdb-action' || node.nodeName === 'style') {
    return '';
  }
  const inside = node.childNodes.map(written).join('');
  return node.nodeName === 'div' ? `\n${inside}\n` : inside;
}

const tidied = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

const linesOf = (node: Node | DefaultTreeAdapterTypes.DocumentFragment): string => tidied(written(node));

/** The widget's function over a table: shows what a call of CloudWatch shows. What cannot be read fails the test. */
export function widgetOver(cluster: string, table: string, endpoint: string) {
  const client = createDynamoDbClient({ endpoint });
  const unreadable = (problem: object): never => {
    throw new Error(`Unreadable: ${JSON.stringify(problem)}`);
  };
  const store = createDynamoDbStore({ client, table, onQuarantine: unreadable });
  const version = async (): Promise<number> => (await store.load(clusterName(cluster))).version;
  const widget = createWidget({
    store,
    drains: createDynamoDbDrains({ client, table, onUnreadable: unreadable }),
    history: createDynamoDbHistory({ client, table, onUnreadable: unreadable }),
    cluster: clusterName(cluster),
    options: { idleEvaluationInterval: minutes(5) },
    now: () => epochMs(Date.now()),
  });
  return {
    show: async (call: object): Promise<ReadWidget> =>
      readWidget(await widget(call, { signal: AbortSignal.timeout(30_000), functionArn: 'arn' })),
    /** Is the last decision of scale-up that groups grow? */
    hasGrown: async (): Promise<boolean> =>
      ((await store.lastDecision(clusterName(cluster), undefined, 'ScaleUp'))?.scaleUp.increases.length ?? 0) > 0,
    /** Version of the stored state. */
    version,
    /** Waits until nothing was stored for a time, in milliseconds. */
    untilStill: async (forMs: number): Promise<void> => {
      let [before, now] = [-1, await version()];
      while (now !== before) {
        await delay(forMs);
        [before, now] = [now, await version()];
      }
    },
    close: () => client.destroy(),
  };
}

/** A section by the beginning of its title; without rows where it is not there. */
export const sectionOf = ({ sections }: ReadWidget, title: string): WidgetSection =>
  sections.find((section) => section.title.startsWith(title)) ?? { title, text: '', rows: [] };

export const groupsShown = (shown: ReadWidget): Told<GroupTold> =>
  Object.fromEntries(
    sectionOf(shown, 'Node groups').rows.map(([name = '', size = '', bounds = '', ready = '']) => {
      const [group = '', trouble = ''] = name.split('\n');
      const [min, max] = bounds.split('–').map(Number);
      return [group, { size, min: min!, max: max!, ready: Number(ready), trouble }];
    }),
  );

/** Reads the first page: rows of a number, and of pods with their outcome and reasons. */
export const podsShown = (shown: ReadWidget): Told<PodTold> =>
  Object.fromEntries(
    sectionOf(shown, 'Pending pods').rows.flatMap(([, said = '']) => {
      const [first = '', ...reasons] = said.split('\n');
      const { pods, ...told } = outcomeTold(first, groupsShown(shown));
      return pods.map((pod) => [pod, { ...told, reasons: reasons.map(countedReason), details: '' }]);
    }),
  );

/** Reads the list: a row for each pod. */
export const podsListed = (list: ReadWidget, groups: Told<GroupTold>): Told<PodTold> =>
  Object.fromEntries(
    sectionOf(list, 'Pending pods').rows.map(([pod = '', said = '']) => {
      const [first = '', ...reasons] = said.split('\n');
      const { outcome, growth } = outcomeTold(first, groups);
      return [pod, { outcome, growth, reasons: reasons.map(countedReason), details: '' }];
    }),
  );

/** The rows, and the nearest group below them. */
const detailsOf = ({ rows }: WidgetSection, { text }: ReadWidget): string =>
  [...rows.map((row) => row.join(': ')), ...text.split('\n').filter((line) => line.startsWith('Nearest: '))].join(' ');

/** Reads the page of one pod. */
export function podShown(shown: ReadWidget): PodTold & { readonly meaning: string } {
  const [, outcome = '', meaning = ''] = /^(Triggered|Unschedulable): (.*)$/m.exec(shown.text)!;
  const group = shown.facts['Node group'];
  return {
    outcome: outcome as PodTold['outcome'],
    meaning,
    growth: group === undefined ? null : growthTold(group),
    reasons: sectionOf(shown, 'Reasons').rows.map(([said = '']) => countedReason(said.split('\n')[0]!)),
    details: detailsOf(sectionOf(shown, 'Unmet requirements'), shown),
  };
}
