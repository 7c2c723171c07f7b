/** The plan of what is taken, in order, with the fields for secret values, and the button. */
import { planTextOf, type PlanNote } from '@slipway/contract/pipeline/plan.ts';
import { isActive } from '@slipway/contract/pipeline/pipeline.ts';
import type { AppPromotion } from '@slipway/contract/promotion.ts';
import { Notice } from '@slipway/ui/feedback/Notice.tsx';
import { Button } from '@slipway/ui/form/Button.tsx';
import { Field } from '@slipway/ui/form/Field.tsx';
import { Input } from '@slipway/ui/form/Input.tsx';
import { Panel, PanelBody, PanelHead } from '@slipway/ui/layout/Panel.tsx';
import { Rocket } from 'lucide-react';
import { useEffect, useEffectEvent } from 'react';
import { DialogError } from '#kit/error/DialogError.tsx';
import { kindLabels, rowId, valueId, type ChosenPart } from './promotion-choice.ts';
import css from './PromotionPlan.module.css';
import type { PromoteApp } from './use-promote-app.ts';

/** ⌘Enter or Ctrl+Enter presses the button. */
const usePromoteKey = (promote: () => void): void => {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
    event.preventDefault();
    promote();
  });
  useEffect(() => {
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
};

function SecretFields({ part: { row, part, missing }, state }: { part: ChosenPart; state: PromoteApp }) {
  const keys = row.missingKeys.filter((key) => missing.includes(key) || part.entries?.some((entry) => entry.key === key));
  return keys.map((key) => {
    const id = valueId(row, key);
    return (
      <Field
        key={key}
        label={`${key} in production`}
        error={state.areValuesAsked && missing.includes(key) && 'Enter the value for production, or clear the checkbox of the key'}
      >
        <Input
          type="password"
          isMono
          autoComplete="new-password"
          value={state.values.get(id) ?? ''}
          onChange={(event) => state.type(id, event.target.value)}
        />
      </Field>
    );
  });
}

function Part({ part, state, notes }: { part: ChosenPart; state: PromoteApp; notes: { effects: string[]; warnings: string[] } }) {
  const { row } = part;
  return (
    <li>
      <div className="stack stack-8">
        <div>
          <strong>
            {kindLabels[row.kind]} {row.name}
          </strong>
          {notes.effects.map((text) => (
            <div key={text} className="meta">
              {text}
            </div>
          ))}
        </div>
        {notes.warnings.map((text) => (
          <Notice key={text} tone="warn">
            {text}
          </Notice>
        ))}
        <SecretFields part={part} state={state} />
      </div>
    </li>
  );
}

const reasonOf = ({ latest, rows }: AppPromotion, { chosen }: PromoteApp): string | undefined => {
  if (latest && isActive(latest.state)) return 'A promotion is running';
  if (chosen.length > 0) return undefined;
  return rows.every(({ isChosen }) => !isChosen) ? 'Nothing to promote' : 'Select what to promote';
};

export function PromotionPlan({ app, view, state }: { app: string; view: AppPromotion; state: PromoteApp }) {
  const { chosen, sent, plan, failure, promote, isBusy } = state;
  const reason = reasonOf(view, state);
  usePromoteKey(() => {
    if (reason === undefined && !isBusy) void promote();
  });
  const textsOf = (notes: readonly PlanNote[] | undefined, part: ChosenPart): string[] => {
    const field = `parts.${sent.findIndex(({ row }) => rowId(row) === rowId(part.row))}`;
    return [...new Set(notes?.filter((note) => note.field === field).map(planTextOf))];
  };
  return (
    <Panel aria-labelledby="one-plan">
      <PanelHead title="One plan" titleId="one-plan" note={chosen.length > 0 && 'in this order'} />
      {chosen.length > 0 && (
        <ol className={css.plan}>
          {chosen.map((part) => (
            <Part
              key={rowId(part.row)}
              part={part}
              state={state}
              notes={{ effects: textsOf(plan?.consequences, part), warnings: textsOf(plan?.warnings, part) }}
            />
          ))}
        </ol>
      )}
      <PanelBody className="stack stack-12">
        {failure !== undefined && <DialogError error={failure} />}
        <div>
          <Button
            variant="primary"
            icon={<Rocket aria-hidden="true" />}
            isBusy={isBusy}
            busyLabel={`Promoting ${app}`}
            disabledReason={reason}
            reasonPlacement="below"
            onClick={() => void promote()}
          >
            Promote to production
          </Button>
        </div>
        {reason === undefined && (
          <p className="meta">
            Stops at the first part that fails. What was promoted before stays; the rest is not started, and you can continue.
            {view.approvingTeam !== null && ` Services wait for the approval of a second person of ${view.approvingTeam}.`}
          </p>
        )}
      </PanelBody>
    </Panel>
  );
}
