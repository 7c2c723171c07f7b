/** The vitals as cards: 75th percentile on a scale with both limits, and the distribution of the samples. */
import type { MonitorRange, MonitorVitals, VitalSummary } from '@slipway/contract/monitoring/readings.ts';
import { vitalFacts } from '@slipway/contract/monitoring/vitals.ts';
import { cssVars, percent } from '@slipway/ui/css-vars.ts';
import { Status } from '@slipway/ui/feedback/Status.tsx';
import { count } from '@slipway/ui/format/count.ts';
import { rangeBefore, rangeLabels, vitalLook, vitalParts, vitalText } from './monitoring-labels.ts';
import css from './VitalCards.module.css';

/** The poor limit is at this share of the scale. */
const POOR_AT = 0.77;

function Scale({ vital, value }: { vital: VitalSummary['vital']; value: number }) {
  const { good, poor } = vitalFacts[vital];
  const at = (one: number): string => percent(Math.min(1, (one / poor) * POOR_AT));
  const limits = [good, poor] as const;
  return (
    <div
      className={css.scale}
      role="img"
      aria-label={`${vitalText(vital, value)}; good up to ${vitalText(vital, good)}, poor from ${vitalText(vital, poor)}`}
    >
      <i style={cssVars({ '--at': at(value) })} />
      {limits.map((limit) => (
        <b key={limit} style={cssVars({ '--at': at(limit) })}>
          <span>{vitalText(vital, limit)}</span>
        </b>
      ))}
    </div>
  );
}

/** Rounds the shares so that they add up to 100. */
const sharesOf = ({ good, needsImprovement, poor }: VitalSummary): readonly [number, number, number] => {
  const total = good + needsImprovement + poor;
  const [second, third] = [Math.round((needsImprovement / total) * 100), Math.round((poor / total) * 100)];
  return [100 - second - third, second, third];
};

function Spread({ summary }: { summary: VitalSummary }) {
  const [good, improve, poor] = sharesOf(summary);
  return (
    <>
      <div className={css.spread} role="img" aria-label={`${good} percent good, ${improve} percent to improve, ${poor} percent poor`}>
        <i style={cssVars({ '--share': good })} />
        {improve > 0 && <i className={css.improve} style={cssVars({ '--share': improve })} />}
        {poor > 0 && <i className={css.poor} style={cssVars({ '--share': poor })} />}
      </div>
      <div className={`${css.numbers} num`}>
        {good} · {improve} · {poor} %{summary.before !== null && <span>was {vitalText(summary.vital, summary.before)}</span>}
      </div>
    </>
  );
}

function Card({ summary }: { summary: VitalSummary }) {
  const { vital, p75 } = summary;
  const look = p75 === null ? undefined : vitalLook(vital, p75);
  const [number, unit] = p75 === null ? ['–', ''] : vitalParts(vital, p75);
  return (
    <div className={css.vital} role="group" aria-label={vitalFacts[vital].label}>
      <div className={css.name}>
        {vital} <span>{vitalFacts[vital].label}</span>
      </div>
      <div className={css.value}>
        <span>
          {number} <small>{unit}</small>
        </span>
        {look && (
          <Status tone={look.tone} className={css.rating}>
            {look.word}
          </Status>
        )}
      </div>
      {p75 === null ? (
        <p className="meta">No samples</p>
      ) : (
        <>
          <Scale vital={vital} value={p75} />
          <Spread summary={summary} />
        </>
      )}
    </div>
  );
}

export interface VitalCardsProps {
  read: MonitorVitals;
  vitals: readonly VitalSummary[];
  range: MonitorRange;
}

export function VitalCards({ read, vitals, range }: VitalCardsProps) {
  return (
    <div>
      <section className={css.vitals} aria-label="Web vitals">
        {vitals.map((summary) => (
          <Card key={summary.vital} summary={summary} />
        ))}
      </section>
      <p className={`${css.note} meta`}>
        <span>75 of 100 samples are at least this good. “Was” is {rangeBefore[range]}.</span>
        <span>
          <i className={css.key} /> good
        </span>
        <span>
          <i className={`${css.key} ${css.improve}`} /> to improve
        </span>
        <span>
          <i className={`${css.key} ${css.poor}`} /> poor
        </span>
        <span className="push num">
          {count(read.views, 'page view')} and {count(read.errors, 'error')} in {count(read.sessions, 'session')}, {rangeLabels[range]}
        </span>
      </p>
    </div>
  );
}
