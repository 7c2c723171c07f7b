/**
 * A timeline of a rollout strategy: the old revision's instances on top (outlined), the new revision's below (filled). The line in the
 * middle is the traffic; a gap means downtime. Does not rely on color.
 */
import type { RolloutStrategy } from '@slipway/contract/service/service-spec.ts';
import css from './RolloutPicture.module.css';

type Span = readonly [from: number, to: number];
interface Picture {
  /** The two instances of each revision. */
  readonly old: readonly Span[];
  readonly fresh: readonly Span[];
  /** The traffic to each revision. */
  readonly traffic: { readonly old: Span; readonly new: Span };
  /** Time at which the traffic shifts; 0 if there is a gap instead. */
  readonly shift: number;
}

const both = (span: Span): Span[] => [span, span];
const pictures: Readonly<Record<RolloutStrategy, Picture>> = {
  ROLLING_UPDATE: {
    old: [
      [0, 84],
      [0, 120],
    ],
    fresh: [
      [56, 200],
      [92, 200],
    ],
    traffic: { old: [0, 112], new: [84, 200] },
    shift: 98,
  },
  RED_BLACK: { old: both([0, 116]), fresh: both([56, 200]), traffic: { old: [0, 104], new: [104, 200] }, shift: 104 },
  RECREATE: { old: both([0, 64]), fresh: both([72, 200]), traffic: { old: [0, 64], new: [124, 200] }, shift: 0 },
};

const barHeight = 8;
const oldTop = 4;
const freshTop = 58;
const lines = { old: 34, new: 46 };

export function RolloutPicture({ strategy }: { strategy: RolloutStrategy }) {
  const { old, fresh, traffic, shift } = pictures[strategy];
  return (
    <svg className={css.picture} viewBox="0 0 200 80" aria-hidden="true" focusable="false">
      {old.map(([from, to], row) => (
        <rect key={row} className={css.old} x={from + 0.5} y={oldTop + row * 12} width={to - from - 1} height={barHeight} rx={2} />
      ))}
      {fresh.map(([from, to], row) => (
        <rect key={row} className={css.fresh} x={from} y={freshTop + row * 12} width={to - from} height={barHeight} rx={2} />
      ))}
      <path className={css.traffic} d={`M${traffic.old[0]} ${lines.old}H${traffic.old[1]}`} />
      <path className={css.traffic} d={`M${traffic.new[0]} ${lines.new}H${traffic.new[1]}`} />
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
