/** Figures measured by `npm run test:size` and shown in docs/limits.md; the test fails beyond them. */
import type { ClusterSize } from '../../config/schema.ts';

/** The CPU time of a round of the calibration where the figures were recorded; times elsewhere are a multiple of it. */
export const CALIBRATION_MS = 80;

/** Figures are exceeded by chance, and by a machine that is busy; beyond this something has become dearer. */
export const TOLERANCE = 1.3;

export interface SizeFigures {
  readonly nodes: number;
  /** Seconds of CPU of one evaluation on a cold start, on one x86-64 core. */
  readonly scaleUp: number;
  readonly scaleDown: number;
  /** Memory of the whole process at its peak, in MB. */
  readonly peakMb: number;
}

/** By the setting `size`, for the cluster that the size is said to be enough for: 30 pods on each node, two pods of five nodes pending. */
export const FIGURES: Readonly<Record<ClusterSize, SizeFigures>> = {
  small: { nodes: 300, scaleUp: 1.7, scaleDown: 0.55, peakMb: 260 },
  medium: { nodes: 1_500, scaleUp: 3.1, scaleDown: 1.7, peakMb: 330 },
  large: { nodes: 5_000, scaleUp: 5.4, scaleDown: 3.5, peakMb: 430 },
};
