import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { pageAssets } from '../../cli/html/assets.ts';
import { NODE_STATES, type Report } from '../../cli/html/report.ts';
import { createLiveRecorder } from '../../cli/html/live-recorder.ts';
import { liveReport } from '../../cli/html/live-report.ts';
import { simulateReport } from '../../cli/html/simulate-report.ts';
import { writePage } from '../../cli/html/write-page.ts';
import { startHttpServer } from '../../cli/local/endpoint/http-server.ts';
import { packed } from '../../cli/html/packed.ts';
import { evaluate } from '../../core/evaluate.ts';
import { statusOf } from '../../core/explanation/status.ts';
import { startChromium } from '../../scripts/docs/pictures/chromium.ts';
import { recordedDemo } from '../../scripts/docs/pictures/demo.ts';
import { node, pod } from '../builders.ts';
import { evaluated, eventfulWorld, clusterRecordOf } from '../explained.ts';
import { HOSTILE_NAMES } from '../cli/html/hostile.ts';
import { group, scenario, times } from '../scenario-builders.ts';
import { nodesAndPods } from './nodes-and-pods.ts';

let browser: Browser;
let folder = '';
beforeAll(async () => {
  browser = await startChromium();
  folder = await mkdtemp(path.join(tmpdir(), 'page-'));
});
afterAll(async () => {
  await browser.close();
  await rm(folder, { recursive: true });
});

interface Opened {
  readonly page: Page;
  /** Complaints of the browser: errors, and whatever the policy forbids. */
  readonly complaints: readonly string[];
  /** URLs that are asked of a network. */
  readonly requests: readonly string[];
}

interface View {
  readonly width?: number;
  readonly scheme?: 'light' | 'dark';
}

async function open(url: string, { width = 1_440, scheme = 'light' }: View = {}): Promise<Opened> {
  const page = await browser.newPage({ viewport: { width, height: 900 }, colorScheme: scheme });
  // Time limit of each wait: many times slower machines get there, too.
  page.setDefaultTimeout(120_000);
  onTestFinished(() => page.close());
  const complaints: string[] = [];
  const requests: string[] = [];
  page.on('console', (message) => complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on('request', (request) => requests.push(request.url()));
  await page.goto(url);
  await page.waitForSelector('main');
  return { page, complaints, requests };
}

async function fileOf(report: Report): Promise<string> {
  const file = path.join(folder, `${Math.floor(performance.now() * 1_000)}.html`);
  await writeFile(file, writePage(report, await pageAssets(), null));
  return pathToFileURL(file).href;
}

/** Opens all decisions, and all that they hide. */
async function openAll(page: Page): Promise<void> {
  for (const summary of await page.locator('.decision > summary').all()) {
    await summary.click();
  }
  // Sections of a decision are made when it is opened.
  await expect.poll(() => page.locator('.decision:not(:has(.section))').count()).toBe(0);
}

const BIG = { cpu: 4, memory: '16Gi' };

describe.each(['light', 'dark'] as const)('in %s colors', (scheme) => {
  test.each([375, 1_440])('a live page has the tables of the widget, and fits %i px', async (width) => {
    const world = eventfulWorld();
    await evaluated(world);
    const status = statusOf(await clusterRecordOf(world));
    const report = liveReport('web', createLiveRecorder(world.time).recorded(), status);
    const { page, complaints } = await open(await fileOf(report), { width, scheme });
    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
    expect(await page.locator('section.card > h2').allInnerTexts()).toEqual(
      expect.arrayContaining(['Needs correction', 'Pending pods', 'Node groups']),
    );
    const groups = page.locator('section.card', { hasText: 'Node groups' }).locator('tbody tr');
    expect(await groups.count()).toBe(4);
    expect(complaints).toEqual([]);
  });
});

/** Pods that wait, two thirds of which a group can hold. */
const waiting = (count: number) =>
  scenario({
    groups: [group('web', { nodes: ['n1'], max: 200 })],
    nodes: [node('n1', BIG)],
    pods: times(count, (i) => pod(`waits-${i}`, { requests: { cpu: i % 3 === 0 ? '64' : '1' } })),
  });

const simulated = (one: ReturnType<typeof scenario>): Report =>
  simulateReport([{ scenario: one, decision: evaluate(one) }]);

describe.each([375, 1_440])('at a width of %i', (width) => {
  test.each([0, 1, 500])(
    'a page with %i waiting pods shows its decision, and nothing is wider than the page',
    async (count) => {
      const { page, complaints, requests } = await open(await fileOf(simulated(waiting(count))), { width });
      await openAll(page);
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      const shown = await page.locator('main').innerText();
      expect(shown.includes("pod didn't trigger scale-up: 1 Insufficient cpu")).toBe(count > 0);
      expect(shown.includes('pod triggered scale-up: [{web 1->')).toBe(count > 1);
      expect(complaints).toEqual([]);
      // The page itself, and nothing else.
      expect(requests).toHaveLength(1);
    },
  );

  test('a run has its charts drawn, in the colors of the scheme', async () => {
    const url = await fileOf(await recordedDemo());
    const backgrounds = new Set<string>();
    for (const scheme of ['light', 'dark'] as const) {
      const { page, complaints } = await open(url, { width, scheme });
      expect(complaints).toEqual([]);
      const drawn = await page.locator('canvas').evaluateAll((all) =>
        all.map((canvas) => {
          const { width, height } = canvas as unknown as { width: number; height: number };
          const context = (
            canvas as unknown as {
              getContext: (kind: '2d') => { getImageData: (...area: number[]) => { data: Uint8ClampedArray } };
            }
          ).getContext('2d');
          return new Set(new Uint32Array(context.getImageData(0, 0, width, height).data.buffer)).size;
        }),
      );
      expect(drawn).toHaveLength(5);
      expect(Math.min(...drawn)).toBeGreaterThan(20);
      backgrounds.add(await page.evaluate<string>('getComputedStyle(document.body).backgroundColor'));
    }
    expect(backgrounds.size).toBe(2);
  });
});

describe.each(['light', 'dark'] as const)('in %s colors', (scheme) => {
  describe.each([375, 1_440])('at a width of %i', (width) => {
    test('a picture of no nodes has no box, and fits the page', async () => {
      const { page, complaints } = await open(await fileOf(simulated(nodesAndPods(0))), { width, scheme });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      expect(await page.locator('.picture svg').count()).toBe(0);
      expect(complaints).toEqual([]);
    });

    test.each([12, 2_000])('a picture of %i nodes has a box for each, and fits the page', async (count) => {
      const { page, complaints } = await open(await fileOf(simulated(nodesAndPods(count))), { width, scheme });
      expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBe(0);
      const boxes = (side: number) =>
        page.locator('.before-after > div').nth(side).locator('.picture-boxes').first().locator('svg');
      expect([await boxes(0).count(), await boxes(1).count()]).toEqual([count, count + 8]);
      expect(await boxes(1).last().locator('title').first().textContent()).toContain('added by this decision');
      // A color that the scheme lacks is none, and the box is not to be seen.
      const stroke = "getComputedStyle(document.querySelector('.picture-boxes rect')).stroke";
      expect(await page.evaluate(stroke)).toMatch(/^rgb/);
      // 2,000 nodes are on a few screens of a telephone.
      const high = await page
        .locator('.before-after > div')
        .first()
        .evaluate((one) => (one as unknown as { offsetHeight: number }).offsetHeight);
      expect(high).toBeLessThan(2_000);
      expect(complaints).toEqual([]);
    });
  });
});

test('names that are markup are shown as they are, and nothing of them runs', async () => {
  const name = (base: string, at: number): string =>
    `${base}${HOSTILE_NAMES[at % HOSTILE_NAMES.length]!.replaceAll('alert(1)', 'document.title=1')}`;
  const nodes = times(4, (i) => name('node', i));
  const one = {
    ...scenario({
      groups: times(3, (i) => group(name('group', i), { nodes: i === 0 ? nodes : [], max: 2 })),
      nodes: nodes.map((at) => node(at, BIG)),
      pods: times(HOSTILE_NAMES.length, (i) =>
        pod(name('pod', i), { requests: { cpu: '64' }, namespace: HOSTILE_NAMES[i]! }),
      ),
    }),
    name: HOSTILE_NAMES[0]!,
  };
  const { page, complaints, requests } = await open(await fileOf(simulated(one)));
  const title = await page.title();
  await openAll(page);
  for (const more of await page.locator('li button').all()) {
    await more.click();
  }
  await page.locator('li button').first().waitFor({ state: 'detached' });
  const shown = await page.locator('.names code').allTextContents();
  expect(shown).toEqual(
    expect.arrayContaining([...times(HOSTILE_NAMES.length, (i) => `${HOSTILE_NAMES[i]}/${name('pod', i)}`)]),
  );
  // The boxes of the picture are the only elements of that kind.
  expect(await page.locator('img, main script, main style, iframe, svg:not(.picture svg)').count()).toBe(0);
  expect(await page.title()).toBe(title);
  expect(complaints).toEqual([]);
  expect(requests).toHaveLength(1);
});

test('filters leave the decisions and the nodes that they name', async () => {
  const { page } = await open(await fileOf(await recordedDemo()));
  const count = (): Promise<number> => page.locator('.decision').count();
  const all = await count();
  await page.getByLabel('Decisions').selectOption('changes');
  const changes = await count();
  expect(changes).toBeGreaterThan(0);
  expect(changes).toBeLessThan(all);
  await page.getByLabel('Decisions').selectOption('all');
  await page.getByLabel('Node group').selectOption('batch');
  expect(await page.locator('.pager').innerText()).toContain('1–3 of 3');
  await page.getByLabel('Filter').fill('no such name');
  expect(await count()).toBe(0);
  expect(await page.locator('.pager').innerText()).toContain('0–0 of 0');
});

test('a run of 2 000 nodes can be used: it is there and filtered within seconds', async () => {
  const nodes = times(2_000, (i) => ({
    name: `ip-10-0-${Math.floor(i / 256)}-${i % 256}.ec2.internal`,
    group: `web-${i % 3}`,
    phases: NODE_STATES.map((state, at) => ({ state, from: i * 0.5 + at * 100, to: i * 0.5 + at * 100 + 100 })),
    note: 'removed empty',
  }));
  const base = await recordedDemo();
  const decisions = times(300, (i) => ({
    ...base.decisions[i % base.decisions.length]!,
    at: i * 5,
    sections: [
      {
        title: 'Nodes kept',
        rows: [{ label: 'NotUnderutilized', text: 'in use', subjects: nodes.slice(i).map(({ name }) => name) }],
      },
    ],
  }));
  const url = await fileOf({ ...base, nodes, decisions, span: { from: 0, to: 1_500 } });
  const before = performance.now();
  const { page, complaints } = await open(url);
  await page.getByLabel('Filter').fill('ip-10-0-7-200');
  await page.getByText('1–1 of 1').waitFor();
  // A second or so on an idle machine.
  expect(performance.now() - before).toBeLessThan(20_000);
  expect(complaints).toEqual([]);
});

test('a page that is served shows what is new without being loaded again, and says when its server is gone', async () => {
  let report = simulated(waiting(0));
  const live = { url: 'report.json', everyMs: 100 };
  const assets = await pageAssets();
  const server = await startHttpServer(
    { host: '127.0.0.1', port: 0 },
    {
      '/': () => ({ status: 200, type: 'text/html; charset=utf-8', body: writePage(report, assets, live) }),
      '/report.json': () => ({ status: 200, type: 'application/json', body: JSON.stringify(packed(report)) }),
    },
  );
  const { page } = await open(`http://127.0.0.1:${server.port}/`);
  await page.getByText('no pod needs a new node').first().waitFor();
  await page.getByLabel('Filter').fill('waits-1');
  report = simulated(waiting(10));
  await page.getByText('scale up web 1 →').first().waitFor();
  expect(await page.getByLabel('Filter').inputValue()).toBe('waits-1');
  await server.close();
  await page.getByText('Outrigger does not answer').waitFor();
});
