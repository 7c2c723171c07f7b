/** How many characters of a log fit into a row, measured once with a line that nobody sees. */
import { useLayoutEffect, useState, type RefObject } from 'react';
import type { Columns } from './log-layout.ts';

const none: Columns = { wrapAt: 0, headRows: 0 };

/** `probe` is a line of the log with `probeText` as its text. */
export const probeText = '0'.repeat(20);

export const useColumns = (probe: RefObject<HTMLElement | null>, isWrapped: boolean): Columns => {
  const [columns, setColumns] = useState(none);
  useLayoutEffect(() => {
    const line = probe.current;
    const cell = line?.querySelector<HTMLElement>('[data-probe]');
    const ruler = cell?.firstElementChild;
    if (!line || !cell || !ruler) return;
    const measure = (): void => {
      const character = ruler.getBoundingClientRect().width / probeText.length;
      const headRows = cell.offsetTop > line.offsetTop + 1 ? 1 : 0;
      // Not clientWidth: it rounds up, and half a pixel decides whether one more character fits.
      const { width } = cell.getBoundingClientRect();
      const wrapAt = isWrapped && character > 0 ? Math.max(8, Math.floor(width / character + 0.001)) : 0;
      setColumns((known) => (known.wrapAt === wrapAt && known.headRows === headRows ? known : { wrapAt, headRows }));
    };
    // The ruler changes its width when the face arrives, the cell when the window does.
    const observer = new ResizeObserver(measure);
    observer.observe(cell);
    observer.observe(ruler);
    return () => observer.disconnect();
  }, [probe, isWrapped]);
  return columns;
};
