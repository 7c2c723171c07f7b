/** The tokens as a canvas needs them. It knows no custom properties, so they are read off an element, again when the theme changes. */
import { useTheme } from '@slipway/ui/use-theme.ts';
import { useLayoutEffect, useState, type RefObject } from 'react';

const tokens = { line: '--depth-5', area: '--depth-2', grid: '--line-soft', limit: '--ink-2', marker: '--ink', text: '--ink-3' } as const;
export type ChartColours = Readonly<Record<keyof typeof tokens, string>>;

/** `light-dark()` stays as written in a custom property; only a real property resolves it. */
const read = (element: HTMLElement): ChartColours => {
  const probe = document.createElement('i');
  element.append(probe);
  const colours = Object.entries(tokens).map(([name, token]) => {
    probe.style.color = `var(${token})`;
    return [name, getComputedStyle(probe).color];
  });
  probe.remove();
  return Object.fromEntries(colours) as ChartColours;
};

/** Undefined before the first layout. */
export const useChartColours = (host: RefObject<HTMLElement | null>): ChartColours | undefined => {
  const { theme } = useTheme();
  const [colours, setColours] = useState<ChartColours>();
  useLayoutEffect(() => {
    const element = host.current;
    if (!element) return;
    const look = (): void =>
      setColours((known) => {
        const found = read(element);
        return known && Object.entries(found).every(([name, colour]) => known[name as keyof ChartColours] === colour) ? known : found;
      });
    look();
    const system = matchMedia('(prefers-color-scheme: dark)');
    system.addEventListener('change', look);
    return () => system.removeEventListener('change', look);
  }, [host, theme]);
  return colours;
};
