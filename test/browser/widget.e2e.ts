import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { podKey } from '../../core/model/values/names.ts';
import { evaluateScaleDown, evaluateScaleUp } from '../../core/evaluate.ts';
import type { ClusterRecord } from '../../core/explanation/cluster-record.ts';
import { recorded } from '../../core/actuation/commit/recorded.ts';
import { widgetPage } from '../../providers/html/widget/page.ts';
import type { WidgetView } from '../../providers/schema/widget-call.ts';
import { startChromium } from '../../scripts/docs/pictures/chromium.ts';
import { pictured } from '../../scripts/docs/pictures/widget-cluster.ts';
import { evaluated, clusterRecordOf } from '../explained.ts';
import { headroomWorld } from '../core/explanation/headroom-world.ts';
import { HOSTILE_NAMES } from '../cli/html/hostile.ts';
import { nodesAndPods } from './nodes-and-pods.ts';

let browser: Browser;
beforeAll(async () => {
  browser = await startChromium();
});
afterAll(async () => await browser.close());

/** The widget as CloudWatch shows it, but for scripts: CloudWatch would remove them, and here they would run. */
async function shown(pods: number, width: number, view: WidgetView, name: (i: number) => string | null = () => null) {
  const record = pictured(pods);
  const { scaleUp } = record;
  const outcomes = scaleUp!.scaleUp.pods.map((one, i) => {
    const given = name(i);
    return given === null ? one : { ...one, pod: podKey('shop', given) };
  });
  const given = { ...record, scaleUp: { ...scaleUp!, scaleUp: { ...scaleUp!.scaleUp, pods: outcomes } } };
  return await opened(given, width, view);
}

async function opened(given: ClusterRecord, width: number, view: WidgetView, theme: 'light' | 'dark' = 'dark') {
  const html = widgetPage(given, [], { view, theme }, { endpoint: 'arn' });
  const page = await browser.newPage({ viewport: { width, height: 600 } });
  page.setDefaultTimeout(120_000);
  onTestFinished(() => page.close());
  const problems: string[] = [];
  page.on('dialog', (dialog) => problems.push(dialog.message()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => problems.push(request.url()));
  await page.setContent(`<!doctype html><style>cwdb-action{display:none}body{margin:0}</style>${html}`);
  return { page, problems };
}

const isWider = async (page: Page): Promise<boolean> =>
  await page.evaluate('document.documentElement.scrollWidth > document.documentElement.clientWidth');

describe.each([0, 1, 500])('the widget with %d waiting pods', (pods) => {
  test.each([375, 1_440])('fits into %d px, and asks for nothing', async (width) => {
    for (const view of [
      { kind: 'status' },
      { kind: 'list', list: 'pods', page: 1 },
      { kind: 'subject', subject: 'node', name: 'web-c-1' },
      { kind: 'subject', subject: 'group', name: 'web-a' },
    ] as const) {
      const { page, problems } = await shown(pods, width, view);
      expect(await isWider(page)).toBe(false);
      expect(await page.locator('.og').innerText()).not.toBe('');
      expect(problems).toEqual([]);
    }
  });
});

/** The stored decisions of a cluster with that number of nodes. */
function recordOf(nodes: number): ClusterRecord {
  const scenario = nodesAndPods(nodes);
  const up = evaluateScaleUp(scenario);
  const down = evaluateScaleDown({ ...scenario, state: up.state });
  return { ...pictured(0), scaleUp: recorded(up, scenario), scaleDown: recorded(down, scenario) };
}

describe.each(['light', 'dark'] as const)('in %s colors', (theme) => {
  describe.each([375, 1_440])('at a width of %i', (width) => {
    test.each([0, 12, 2_000])('a picture of %i nodes has a box for each, and fits the widget', async (count) => {
      const { page, problems } = await opened(recordOf(count), width, { kind: 'status' }, theme);
      expect(await isWider(page)).toBe(false);
      const boxes = (side: number) => page.locator('.picture').nth(side).locator('svg');
      const added = count === 0 ? 0 : 8;
      expect([await boxes(0).count(), await boxes(1).count()]).toEqual([count, count + added]);
      const strokes =
        "[...document.querySelectorAll('.picture title + rect')].map((one) => getComputedStyle(one).stroke)";
      // A color that the theme lacks is none, and the box is not to be seen.
      expect((await page.evaluate<string[]>(strokes)).filter((stroke) => stroke === 'none')).toEqual([]);
      const high = "Math.max(0, ...[...document.querySelectorAll('.picture')].map((one) => one.offsetHeight))";
      expect(await page.evaluate(high)).toBeLessThan(1_500);
      expect(problems).toEqual([]);
    });
  });
});

test.each([375, 1_440])('headroom fits into %d px, on each page that it is on', async (width) => {
  const world = headroomWorld();
  await evaluated(world);
  const record = await clusterRecordOf(world);
  for (const [view, text] of [
    [{ kind: 'status' }, 'CapacityBuffer, 4 pods: 1 existing, 3 upcoming'],
    [{ kind: 'subject', subject: 'group', name: 'day' }, 'until 2026-01-01 18:00 Europe/Berlin, 2 nodes: 2 upcoming'],
    [{ kind: 'subject', subject: 'node', name: 'n2' }, 'it holds headroom: 1 virtual pod of CapacityBuffer'],
  ] as const) {
    const { page, problems } = await opened(record, width, view);
    expect(await page.locator('.og').innerText()).toContain(text);
    expect(await isWider(page)).toBe(false);
    expect(problems).toEqual([]);
  }
});

test('names that are markup are text', async () => {
  const { page, problems } = await shown(
    50,
    375,
    { kind: 'list', list: 'pods', page: 1 },
    (i) => HOSTILE_NAMES[i] ?? null,
  );
  expect(await page.locator('script, img, svg, iframe').count()).toBe(0);
  expect(await page.locator('.og').innerText()).toContain('<script>');
  expect(problems).toEqual([]);
  expect(await isWider(page)).toBe(false);
});
