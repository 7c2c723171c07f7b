import type { CSSProperties } from 'react';

/**
 * Computed sizes as custom properties for React's `style`. React sets them through the DOM, which the content security policy allows; it
 * would block a style attribute in HTML.
 */
export function cssVars(values: Record<`--${string}`, string | number | undefined>): CSSProperties {
  return values;
}

/** Converts a share to a CSS percentage, clamped to 0–100 so that a wrong reading never overflows its track. */
export function percent(value: number, of = 1): string {
  const share = of > 0 ? value / of : 0;
  return `${(Math.min(1, Math.max(0, share)) * 100).toFixed(2)}%`;
}
