import {
  BarController,
  BarElement,
  CategoryScale,
  Chart,
  type ChartConfiguration,
  type ChartType,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  type Plugin,
  PointElement,
  Tooltip,
} from 'chart.js';
import { h, type ComponentChild } from 'preact';
import { useEffect, useRef } from 'preact/hooks';

/** Shows a time in all charts over time: that of the decision that is looked at. */
const MARK: Plugin = {
  id: 'mark',
  afterDraw: (chart, _, { at }: { at?: number | null }) => {
    const { x } = chart.scales;
    if (typeof at !== 'number' || x === undefined) {
      return;
    }
    const { ctx, chartArea } = chart;
    const place = x.getPixelForValue(at);
    ctx.save();
    ctx.strokeStyle = themeOf().text;
    ctx.setLineDash([4, 4]);
    ctx.beginPath();
    ctx.moveTo(place, chartArea.top);
    ctx.lineTo(place, chartArea.bottom);
    ctx.stroke();
    ctx.restore();
  },
};

Chart.register(
  BarController,
  BarElement,
  CategoryScale,
  Filler,
  Legend,
  LinearScale,
  LineController,
  LineElement,
  MARK,
  PointElement,
  Tooltip,
);
Chart.defaults.animation = false;
Chart.defaults.responsive = true;
Chart.defaults.maintainAspectRatio = false;

export interface Theme {
  readonly text: string;
  readonly faint: string;
  readonly tones: (tone: string) => string;
}

/** The colors that the style sheet gives, for the light or the dark scheme. */
export function themeOf(): Theme {
  const style = getComputedStyle(document.documentElement);
  const color = (name: string): string => style.getPropertyValue(`--${name}`).trim();
  return { text: color('text'), faint: color('line'), tones: color };
}

interface ChartProps<Kind extends ChartType> {
  /** Makes the chart; called again when the color scheme changes. */
  readonly config: (theme: Theme) => ChartConfiguration<Kind>;
  /** Inputs of the chart: a change of one of them makes the chart anew. */
  readonly inputs: readonly unknown[];
  /** A description of the chart, for screen readers. */
  readonly label: string;
  /** In pixels. */
  readonly height: number;
  /** A time that is marked in it. */
  readonly mark: number | null;
}

/** A chart that is as wide as its place. */
export function ChartCanvas<Kind extends ChartType>(props: ChartProps<Kind>): ComponentChild {
  const { config, inputs, label, height, mark } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawn = useRef<Chart<Kind> | null>(null);
  useEffect(() => {
    const draw = (): void => {
      drawn.current?.destroy();
      const theme = themeOf();
      Chart.defaults.color = theme.text;
      Chart.defaults.borderColor = theme.faint;
      drawn.current = new Chart(canvas.current!, config(theme));
    };
    draw();
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    scheme.addEventListener('change', draw);
    return () => {
      scheme.removeEventListener('change', draw);
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, inputs);
  useEffect(() => {
    const chart = drawn.current;
    if (chart !== null) {
      (chart.options!.plugins as Record<string, unknown>)['mark'] = { at: mark };
      chart.update('none');
    }
  }, [mark, ...inputs]);
  return h(
    'div',
    { class: 'canvas', style: { height: `${height}px` } },
    h('canvas', { ref: canvas, role: 'img', 'aria-label': label }),
  );
}
