/** Rounded to six digits after the point: more than prices and shares have, fewer than a sum gets wrong. */
export const rounded = (value: number): number => Math.round(value * 1e6) / 1e6;
