// A status mark: the silhouettes of buoyage topmarks, so that a status never depends on color. Always used with a word next to it.
import { classNames } from '../class-names.ts';
import css from './StatusIcon.module.css';
import type { MarkShape, Tone } from '../tone.ts';
import { SHAPE_OF_TONE } from '../tone.ts';

const PATHS: Record<MarkShape, string> = {
  cone: 'M6 1.2 11.4 10.8H.6z',
  can: 'M1.5 1.5h9v9h-9z',
  cross: 'M2.6.9 6 4.3 9.4.9l1.7 1.7L7.7 6l3.4 3.4-1.7 1.7L6 7.7l-3.4 3.4L.9 9.4 4.3 6 .9 2.6z',
  sphere: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1',
  bar: 'M.8 4.2h10.4v3.6H.8z',
  ring: 'M6 1a5 5 0 1 1 0 10A5 5 0 0 1 6 1m0 2a3 3 0 1 0 0 6 3 3 0 0 0 0-6',
  load: 'M10 1a6 6 0 0 1 5.9 5H20v2h-4.1a6 6 0 0 1-11.8 0H0V6h4.1A6 6 0 0 1 10 1',
  'load-open':
    'M0 6h4.1a6 6 0 0 1 11.8 0H20v2h-4.1a6 6 0 0 1-11.8 0H0zM10 2.6A4.4 4.4 0 0 0 5.7 6h8.6A4.4 4.4 0 0 0 10 2.6M5.7 8a4.4 4.4 0 0 0 8.6 0z',
};

export interface StatusIconProps {
  /** Selects shape and color. Without it the mark has the color of its text. */
  tone?: Tone;
  shape?: MarkShape;
  /** Removes the color and keeps the shape, for marks on colored backgrounds. */
  isInked?: boolean;
  className?: string;
}

export function StatusIcon({ tone, shape = tone ? SHAPE_OF_TONE[tone] : 'sphere', isInked = false, className }: StatusIconProps) {
  const isWide = shape === 'load' || shape === 'load-open';
  return (
    <svg
      className={classNames(css.mark, isWide && css.wide, className)}
      data-tone={isInked ? undefined : tone}
      data-pulse={tone === 'run' || undefined}
      viewBox={isWide ? '0 0 20 14' : '0 0 12 12'}
      aria-hidden="true"
    >
      <path fillRule="evenodd" d={PATHS[shape]} />
    </svg>
  );
}
