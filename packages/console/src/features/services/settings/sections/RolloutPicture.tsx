/**
 * A timeline of a rollout strategy: the old revision's instances on top (outlined), the new revision's below (filled). The line in the
 * middle is the traffic; a gap means downtime. Does not rely on color.
 */
import type { RolloutStrategy } from '@slipway/contract/service/service-spec.ts';
import css from './RolloutPicture.module.css';

interface Bar {
  readonly from: number;
  readonly to: number;
  /** Row of the instance: 0 and 1. */
  readonly row: number;
}
interface Picture {
  readonly old: readonly Bar[];
  readonly fresh: readonly Bar[];
  /** Segments of traffic. A slanted segment shifts traffic from old to new. */
  readonly traffic: readonly { readonly from: number; readonly to: number; readonly at: 'old' | 'new' }[];
  /** Time at which the traffic shifts. */
  readonly shift: number;
}

const pictures: Readonly<Record<RolloutStrategy, Picture>> = {
  ROLLING_UPDATE: {
    old: [
      { from: 0, to: 84, row: 0 },
      { from: 0, to: 120, row: 1 },
    ],
    fresh: [
      { from: 56, to: 200, row: 0 },
      { from: 92, to: 200, row: 1 },
    ],
    traffic: [
      { from: 0, to: 112, at: 'old' },
      { from: 84, to: 200, at: 'new' },
    ],
    shift: 98,
  },
  RED_BLACK: {
    old: [
      { from: 0, to: 116, row: 0 },
      { from: 0, to: 116, row: 1 },
    ],
    fresh: [
      { from: 56, to: 200, row: 0 },
      { from: 56, to: 200, row: 1 },
    ],
    traffic: [
      { from: 0, to: 104, at: 'old' },
      { from: 104, to: 200, at: 'new' },
    ],
    shift: 104,
  },
  RECREATE: {
    old: [
      { from: 0, to: 64, row: 0 },
      { from: 0, to: 64, row: 1 },
    ],
    fresh: [
      { from: 72, to: 200, row: 0 },
      { from: 72, to: 200, row: 1 },
    ],
    traffic: [
      { from: 0, to: 64, at: 'old' },
      { from: 124, to: 200, at: 'new' },
    ],
    shift: 0,
  },
};

const barHeight = 8;
const oldTop = 4;
const freshTop = 58;
const lines = { old: 34, new: 46 };

export function RolloutPicture({ strategy }: { strategy: RolloutStrategy }) {
  const { old, fresh, traffic, shift } = pictures[strategy];
  return (
    <svg className={css.picture} viewBox="0 0 200 80" aria-hidden="true" focusable="false">
      {old.map(({ from, to, row }) => (
        <rect key={row} className={css.old} x={from + 0.5} y={oldTop + row * 12} width={to - from - 1} height={barHeight} rx={2} />
      ))}
      {fresh.map(({ from, to, row }) => (
        <rect key={row} className={css.fresh} x={from} y={freshTop + row * 12} width={to - from} height={barHeight} rx={2} />
      ))}
      {traffic.map(({ from, to, at }) => (
        <path key={at} className={css.traffic} d={`M${from} ${lines[at]}H${to}`} />
      ))}
      {shift > 0 ? (
        <path className={css.shift} d={`M${shift} ${lines.old}V${lines.new}m-3 -4l3 4l3 -4`} />
      ) : (
        <g className={css.gap}>
          <path d="M66 40H122" />
          <text x={94} y={36} textAnchor="middle">
            503
          </text>
        </g>
      )}
    </svg>
  );
}
