/** A plan's effect on running services, its warnings, and its steps. */
import { planTextOf, type Plan, type PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { duration } from '@slipway/ui/format/duration.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Globe, Info, Layers, RotateCw, Trash2, type LucideIcon } from 'lucide-react';
import { useId } from 'react';
import css from './PlanNotes.module.css';

const iconOf = ({ code }: PlanNote): LucideIcon => {
  if (code.startsWith('Deletes')) return Trash2;
  if (/Traffic|Edge|Address/.test(code)) return Globe;
  if (/Instances|Scales/.test(code)) return RotateCw;
  return /Revision|Service|Group/.test(code) ? Layers : Info;
};

export function PlanNotes({ plan, hiddenCodes = [] }: { plan: Plan; hiddenCodes?: readonly string[] }) {
  const title = useId();
  const warnings = plan.warnings.filter(({ code }) => !hiddenCodes.includes(code));
  return (
    <>
      {warnings.length > 0 && (
        <Notice tone="warn">
          <ul className="stack stack-4">
            {warnings.map((note) => (
              <li key={JSON.stringify(note)}>{planTextOf(note)}</li>
            ))}
          </ul>
        </Notice>
      )}
      {plan.consequences.length > 0 && (
        <section className="stack stack-8" aria-labelledby={title}>
          <h3 id={title}>What happens</h3>
          <ul className={css.list}>
            {plan.consequences.map((note) => {
              const Icon = iconOf(note);
              return (
                <li key={JSON.stringify(note)}>
                  <Icon aria-hidden="true" />
                  <span>{planTextOf(note)}</span>
                </li>
              );
            })}
          </ul>
        </section>
      )}
      {plan.steps.length > 0 && <PlanSteps plan={plan} />}
    </>
  );
}

function PlanSteps({ plan: { steps, usualMs } }: { plan: Plan }) {
  const count = steps.length === 1 ? '1 step' : `${steps.length} steps`;
  return (
    <details className={css.steps}>
      <summary>
        {count}
        {usualMs === null ? '' : `, usually ${duration(usualMs)}`}
      </summary>
      <ol>
        {steps.map(({ code, name, usualMs: usual }) => (
          <li key={code}>
            <span>{name}</span>
            {usual !== null && <span className="meta num">{duration(usual)}</span>}
          </li>
        ))}
      </ol>
    </details>
  );
}
