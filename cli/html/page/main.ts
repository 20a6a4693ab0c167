import { h, render } from 'preact';
import { type PackedReport, unpacked } from '../packed.ts';
import { App } from './app.ts';

const root = document.getElementById('page')!;
const data = document.getElementById('report')!;

let shown: PackedReport = JSON.parse(data.textContent) as PackedReport;
const show = (note: string | null): void => render(h(App, { report: unpacked(shown), note }), root);

show(null);

/** URL and interval at which the page is requested anew; a page in a file has none. */
const { live, every } = data.dataset;
if (live !== undefined) {
  let report = unpacked(shown);
  const refresh = async (): Promise<void> => {
    let note: string | null = null;
    try {
      // The browser asks whether what it has is still so.
      const response = await fetch(live, { cache: 'no-cache' });
      if (!response.ok) {
        throw new Error(String(response.status));
      }
      shown = (await response.json()) as PackedReport;
      report = unpacked(shown);
    } catch {
      note = 'Outrigger does not answer: what is shown is no longer up to date.';
    }
    render(h(App, { report, note }), root);
    setTimeout(() => void refresh(), Number(every));
  };
  setTimeout(() => void refresh(), Number(every));
}
