import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import { describe, expect, it } from 'vitest';
import { explainNode } from '../../../core/explanation/node.ts';
import { explainPod } from '../../../core/explanation/pod.ts';
import { statusOf } from '../../../core/explanation/status.ts';
import type { Pause } from '../../../core/model/pause.ts';
import { addTime, epochMs, minutes, seconds } from '../../../core/model/values/time.ts';
import { groupName, nodeName, podKey, type PodKey } from '../../../core/model/values/names.ts';
import { groupedReasonText } from '../../../core/words/pod-reasons.ts';
import { shortageText } from '../../../core/words/notices.ts';
import { widgetPage } from '../../../providers/html/widget/page.ts';
import { createWidget } from '../../../functions/widget/widget.ts';
import { pod } from '../../builders.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../../explained.ts';
import { times } from '../../scenario-builders.ts';
import { type TestWorld, WEB } from '../test-world.ts';

const ARN = 'arn:aws:lambda:eu-central-1:123456789012:function:Outrigger-web-Widget';
const LATER = seconds(90);

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** Every element of a piece of HTML, as a browser reads it. */
const elementsOf = (html: string): readonly Element[] => {
  const all = (nodes: readonly Node[]): readonly Element[] =>
    nodes.flatMap((node) => ('tagName' in node ? [node, ...all(node.childNodes)] : []));
  return all(parseFragment(html).childNodes);
};
const textOf = (node: Node): string =>
  'value' in node
    ? node.value
    : 'childNodes' in node && node.nodeName !== 'style'
      ? node.childNodes.map(textOf).join('')
      : '';

/** Text that a person reads: without the parameters of links. */
const shown = (html: string): string =>
  parseFragment(html.replaceAll(/<cwdb-action.*?<\/cwdb-action>/gs, ''))
    .childNodes.map(textOf)
    .join('');

/** Calls of links, by their text. */
const linksIn = (html: string): ReadonlyMap<string, Record<string, unknown>> => {
  const elements = elementsOf(html);
  return new Map(
    elements.flatMap((element, i) =>
      element.tagName === 'cwdb-action'
        ? [[textOf(elements[i - 1]!), JSON.parse(textOf(element)) as Record<string, unknown>] as const]
        : [],
    ),
  );
};

const widgetOf =
  (world: TestWorld) =>
  async (event: unknown = {}): Promise<string> =>
    await createWidget({
      store: world.store,
      drains: world.drains,
      history: world.history,
      cluster: WEB,
      options: { idleEvaluationInterval: minutes(5) },
      now: () => addTime(epochMs(world.time), LATER),
    })(event, { signal: AbortSignal.timeout(10_000), functionArn: ARN });

async function eventful(pods: readonly string[] = []) {
  const base = eventfulWorld();
  const world = eventfulWorld({
    objects: {
      ...base.objects,
      pods: [
        ...(base.objects.pods ?? []),
        ...pods.map((name) => pod(name, { requests: { cpu: 100 }, owner: 'ReplicaSet/huge' })),
      ],
    },
  });
  await evaluated(world);
  return { world, widget: widgetOf(world), record: await clusterRecordOf(world, LATER) };
}

describe('the first page', () => {
  it('says what outrigger status says: corrections, pods with their reasons, groups, unneeded nodes, nodes that stay', async () => {
    const { widget, record } = await eventful();
    const page = shown(await widget());
    const status = statusOf(record);
    for (const text of [
      ...status.corrections.map(({ what }) => what),
      ...status.pods.flatMap(({ reasons }) => reasons),
      ...status.groups.map(({ group }) => group),
      ...status.unneeded.map(({ node }) => node),
      explainNode(record, nodeName('n2'))!.unremovable!.why,
    ]) {
      expect(page).toContain(text);
    }
    expect(page).toContain('Pending pods (3)');
  });

  it('has the last decisions of the history, in its words', async () => {
    const { world, widget } = await eventful();
    const decisions = await world.history.list(WEB, { limit: 5 });
    expect(decisions.length).toBeGreaterThan(1);
    const page = shown(await widget());
    for (const { did } of decisions) {
      expect(page).toContain(did);
    }
  });

  it('has what AWS has announced, and what it has none of', async () => {
    const { record } = await eventful();
    const shortage = {
      type: 'm5.large',
      zone: 'eu-west-1a',
      capacityType: 'spot',
      until: epochMs(record.now + 60_000),
    };
    const given = { ...record, state: { ...record.state, shortages: [shortage] } };
    const [told] = statusOf(given).shortages;
    const call = { view: { kind: 'status' }, theme: 'light' } as const;
    expect(shown(widgetPage(given, [], call, { endpoint: ARN }))).toContain(shortageText(told!));
  });

  it('is no larger than Lambda may answer, however many nodes there are, and draws the changed ones', async () => {
    const { record } = await eventful();
    const nodes = times(10_000, (i) => nodeName(`n${i}.`.padEnd(253, 'long')));
    const pod = podKey('namespace'.padEnd(63, '-long'), 'pod'.padEnd(253, '-long'));
    const { scaleDown } = record;
    const given = {
      ...record,
      scaleDown: {
        ...scaleDown!,
        nodeGroups: { web: { nodes } },
        scaleDown: {
          ...scaleDown!.scaleDown,
          removals: [
            { node: nodes[9_998]!, group: groupName('web'), kind: 'empty' as const, pods: [], destinations: [] },
          ],
          unneeded: [nodes[9_999]!],
          unremovable: nodes.map((node) => ({
            node,
            pod,
            reason: 'BlockedByPod' as const,
            podReason: 'NotReplicated' as const,
          })),
        },
      },
    };
    const call = { view: { kind: 'status' }, theme: 'light' } as const;
    const page = widgetPage(given, [], call, { endpoint: ARN });
    expect(Buffer.byteLength(JSON.stringify(page))).toBeLessThan(6 * 1024 ** 2);
    expect(page).toContain('web (2500 of 10000)');
    const titles = elementsOf(page).flatMap((one) => (one.tagName === 'title' ? [textOf(one)] : []));
    expect(titles.filter((title) => title.startsWith('n9998.'))).toHaveLength(1);
    expect(titles.filter((title) => title.startsWith('n9999.'))).toHaveLength(2);
  });

  it('has what is paused', async () => {
    const { record } = await eventful();
    const pause = { part: 'All', group: null, until: null, cancelDrains: false, source: 'Command' } as const;
    const call = { view: { kind: 'status' }, theme: 'light' } as const;
    const page = (pauses: readonly Pause[]) => shown(widgetPage({ ...record, pauses }, [], call, { endpoint: ARN }));
    expect(page([pause])).toContain('Paused (1)everything is paused until it is resumed, by outrigger pause');
    expect(page([])).not.toContain('Paused');
  });

  it('says that no pod waits, where none does', async () => {
    const world = eventfulWorld({ objects: { ...eventfulWorld().objects, pods: [] } });
    await evaluated(world);
    expect(shown(await widgetOf(world)())).toContain('Pending pods (0)No pod is pending.');
  });

  it('says that a cluster was never evaluated', async () => {
    expect(shown(await widgetOf(eventfulWorld())())).toContain('Cluster web was never evaluated');
  });

  it('follows the theme of the console', async () => {
    const { widget } = await eventful();
    expect(elementsOf(await widget({ widgetContext: { theme: 'dark' } }))[0]!.attrs).toContainEqual({
      name: 'class',
      value: 'cwdb-no-default-styles og og-dark',
    });
    expect(await widget()).toContain('og-light');
  });
});

describe('500 waiting pods', () => {
  const names = Array.from({ length: 497 }, (_, i) => `many-${String(i).padStart(3, '0')}`);

  it('make a first page that is no longer than a few lines for each reason', async () => {
    const { widget } = await eventful(names);
    const page = await widget();
    expect(shown(page)).toContain('Pending pods (500)');
    expect(shown(page)).toContain('and 496 more');
    expect(page.length).toBeLessThan(20_000);
  });

  it('are all listed, each once and with its reasons, on the pages that links lead to', async () => {
    const { widget } = await eventful(names);
    const seen: string[] = [];
    let call = linksIn(await widget()).get('All 500 pods, each with its reasons');
    while (call !== undefined) {
      const page = await widget(call);
      const links = linksIn(page);
      const pods = [...links].filter(([, parameters]) => parameters['subject'] === 'pod').map(([name]) => name);
      seen.push(...pods);
      expect(shown(page).split('groups: Insufficient cpu').length - 1).toBeGreaterThanOrEqual(pods.length - 1);
      call = links.get('Next →');
    }
    expect(seen).toHaveLength(500);
    expect(new Set(seen).size).toBe(500);
  });

  it('a page beyond the last one is the last one', async () => {
    const { widget } = await eventful(names);
    expect(shown(await widget({ list: 'pods', page: 99 }))).toContain('451 – 500 of 500');
  });
});

describe('a pod, a node and a node group', () => {
  it('are reached by their links, and say what outrigger explain says', async () => {
    const { widget, record } = await eventful();
    const links = linksIn(await widget());
    const huge = shown(await widget(links.get('default/huge')));
    const { scaleUp } = explainPod(record, 'default/huge' as PodKey)!;
    expect(huge).toContain(`Unschedulable: ${scaleUp!.meaning}`);
    expect(huge).toContain('Nearest: web, with a request of at most 4 CPU');
    for (const reason of scaleUp!.reasons) {
      expect(huge).toContain(groupedReasonText(reason));
    }
    const { unremovable } = explainNode(record, nodeName('n2'))!;
    const node = shown(await widget(links.get('n2')));
    expect(node).toContain(unremovable!.why);
    expect(node).toContain(unremovable!.advice);
    expect(shown(await widget(links.get('web-b')))).toContain('0 → 1, of 0 to 5');
  });

  it('are found by a part of their name', async () => {
    const { widget } = await eventful();
    const find = async (text: string): Promise<string> =>
      await widget({ search: true, widgetContext: { forms: { all: { find: text } } } });
    expect([...linksIn(await find('HUGE')).keys()]).toEqual(['← Status', 'Why?', 'default/huge', 'default/huge-2']);
    expect(shown(await find('waits'))).toContain('Triggered: ');
    expect(shown(await find('waits'))).toContain('web-b, from 0 to 1');
    expect(shown(await find('web'))).toContain('of 1 to 10');
    expect(shown(await find('nobody'))).toContain('Nothing is known of such a name.');
  });
});

it('a link calls the function itself', async () => {
  const { widget } = await eventful();
  const actions = elementsOf(await widget()).filter(({ tagName }) => tagName === 'cwdb-action');
  expect(actions.length).toBeGreaterThan(5);
  for (const { attrs } of actions) {
    expect(attrs).toContainEqual({ name: 'endpoint', value: ARN });
  }
});

it('documents its parameters where CloudWatch asks for that', async () => {
  const { widget } = await eventful();
  expect(await widget({ describe: true })).toMatch(/^## Outrigger: why\?/);
});

it.each([
  null,
  'text',
  7,
  [],
  { page: 'x', list: 'secrets', subject: 'pod', widgetContext: 3 },
  { widgetContext: { theme: 'x', forms: 1 } },
])('shows the first page for an event that is none (%j)', async (event) => {
  const { widget } = await eventful();
  expect(shown(await widget(event))).toContain('Pending pods (3)');
});

describe('names and texts that are markup', () => {
  const HOSTILE = '"><img src=x onerror=alert(1)><script>alert(1)</script><cwdb-action>{"a":1}</cwdb-action>\u202E';

  it('are text on every page, wherever they come from', async () => {
    const { world, widget } = await eventful([HOSTILE]);
    const pages = await Promise.all(
      [
        {},
        { list: 'pods' },
        { subject: 'pod', name: `default/${HOSTILE}` },
        { subject: 'pod', name: HOSTILE },
        { search: true, widgetContext: { forms: { all: { find: HOSTILE } } } },
        { search: true, widgetContext: { forms: { all: { find: 'onerror' } } } },
      ].map(async (event) => await widget(event)),
    );
    expect(world.objects.pods?.some(({ name }) => name === HOSTILE)).toBe(true);
    for (const page of pages) {
      const elements = elementsOf(page);
      expect(new Set(elements.map(({ tagName }) => tagName)).isSubsetOf(KNOWN)).toBe(true);
      expect(
        elements.flatMap(({ attrs }) => attrs.map(({ name }) => name)).filter((name) => name.startsWith('on')),
      ).toEqual([]);
      expect(page).not.toContain('\u202E');
      // Each action is of a link, and has parameters of ours.
      for (const [, parameters] of linksIn(page)) {
        expect(parameters).not.toHaveProperty('a');
      }
    }
    expect(shown(pages[1]!)).toContain('<script>alert(1)</script>');
  });

  /** Elements of the pages. */
  const KNOWN = new Set(
    'div style form input a cwdb-action section h3 dl dt dd table thead tbody tr th td span i p svg g rect path title'.split(
      ' ',
    ),
  );
});
