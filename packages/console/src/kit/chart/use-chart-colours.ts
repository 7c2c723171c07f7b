/** Resolves the color tokens for a canvas, which knows no custom properties, and again when the theme changes. */
import { useTheme } from '@slipway/ui/use-theme.ts';
import { useLayoutEffect, useState, type RefObject } from 'react';

export type ChartColours = Readonly<Record<'line' | 'area' | 'grid' | 'limit' | 'marker' | 'text', string>>;
const isSame = (one: Readonly<Record<string, string>>, other: ChartColours): boolean =>
  Object.entries(other).every(([name, colour]) => one[name] === colour);

/** A custom property keeps `light-dark()` as text; only a real property resolves it. */
const read = (element: HTMLElement): ChartColours => {
  const probe = document.createElement('i');
  element.append(probe);
  const colour = (token: string): string => {
    probe.style.color = `var(${token})`;
    return getComputedStyle(probe).color;
  };
  const colours = {
    line: colour('--depth-5'),
    area: colour('--depth-2'),
    grid: colour('--line-soft'),
    limit: colour('--ink-2'),
    marker: colour('--ink'),
    text: colour('--ink-3'),
  };
  probe.remove();
  return colours;
};

/** Returns undefined before the first layout. */
export const useChartColours = (host: RefObject<HTMLElement | null>): ChartColours | undefined => {
  const { theme } = useTheme();
  const [colours, setColours] = useState<ChartColours>();
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const look = (): void =>
      setColours((known) => {
        const found = read(element);
        return known && isSame(known, found) ? known : found;
      });
    look();
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', look);
    return () => system.removeEventListener('change', look);
  }, [host, theme]);
  return colours;
};
